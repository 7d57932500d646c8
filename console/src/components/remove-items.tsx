/** Removes pushed or uploaded items: those that the filter of the page shows, or one. The dialog names how many, before anything is removed. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RemovedItemsAnswer, RemoveItems } from "../../../src/contract/items.ts";
import type { AcceptedAnswer } from "../../../src/contract/syncs.ts";
import { toProblem } from "../api.ts";
import type { Problem } from "../api.ts";
import { useThisCatalog } from "../catalog.ts";
import { itemsText } from "../messages/items.ts";
import { navigate } from "../router.tsx";
import { DialogButton } from "./buttons.tsx";
import { Loading, ProblemMessage } from "./ui.tsx";

const t = itemsText.remove;

type Items = Pick<RemoveItems, "q" | "group_id" | "finding" | "refused_in" | "ids" | "all">;

export function RemoveItemsButton({
  items,
  label = t.label,
}: {
  readonly items: Items;
  readonly label?: string;
}): JSX.Element {
  const { fetch, href } = useThisCatalog();
  const remove = async (entered: FormData) => {
    const expected = Number(entered.get("expected"));
    const { run_id: id } = await fetch<AcceptedAnswer>("/items", {
      method: "DELETE",
      headers: { prefer: "respond-async" },
      body: { ...items, expected, guard: "hold" },
    });
    navigate(href(`/runs/${id}`));
  };
  return (
    <DialogButton label={label} title={t.title} confirm={t.confirm} act={remove}>
      <Matched items={items} />
    </DialogButton>
  );
}

/** How many items match, and the number that the removal must find again. */
function Matched({ items }: { readonly items: Items }): JSX.Element {
  const { fetch } = useThisCatalog();
  const [found, setFound] = useState<RemovedItemsAnswer["data"] | Problem>();
  useEffect(() => {
    fetch<RemovedItemsAnswer>("/items", { method: "DELETE", body: { ...items, dry_run: true } }).then(
      setFound,
      (error: unknown) => setFound(toProblem(error)),
    );
  }, []);
  if (found === undefined) return <Loading />;
  if (!("matched" in found)) return <ProblemMessage problem={found} />;
  return (
    <>
      <p>
        <strong>{t.matched(found.matched)}</strong> {t.effect}
      </p>
      {found.examples.length > 0 && (
        <p class="small muted anywhere">{t.examples(found.examples, found.matched)}</p>
      )}
      <p class="small">{t.sources}</p>
      <input type="hidden" name="expected" value={found.matched} />
    </>
  );
}
