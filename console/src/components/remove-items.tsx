/**
 * Removes pushed or uploaded items: those that the filter of the page shows, or one. The dialog names how many, before
 * anything is removed.
 */
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

/** Undefined until the number is known. */
type Found = RemovedItemsAnswer["data"] | Problem | undefined;

export function RemoveItemsButton({
  items,
  label = t.label,
}: {
  readonly items: Items;
  readonly label?: string;
}): JSX.Element {
  const { fetch, href } = useThisCatalog();
  const [found, setFound] = useState<Found>();
  // The removal must find as many items as the dialog has named.
  const expected = found !== undefined && "matched" in found ? found.matched : 0;
  const remove = async () => {
    const { run_id: id } = await fetch<AcceptedAnswer>("/items", {
      method: "DELETE",
      headers: { prefer: "respond-async" },
      body: { ...items, expected, guard: "hold" },
    });
    navigate(href(`/runs/${id}`));
  };
  return (
    <DialogButton label={label} title={t.title} confirm={t.confirm} canConfirm={expected > 0} act={remove}>
      <Matched items={items} found={found} onFound={setFound} />
    </DialogButton>
  );
}

/** Shows how many items match. */
function Matched({
  items,
  found,
  onFound,
}: {
  readonly items: Items;
  readonly found: Found;
  readonly onFound: (found: Found) => void;
}): JSX.Element {
  const { fetch } = useThisCatalog();
  useEffect(() => {
    // The dialog may have been open before, with another number.
    onFound(undefined);
    fetch<RemovedItemsAnswer>("/items", { method: "DELETE", body: { ...items, dry_run: true } }).then(
      onFound,
      (error: unknown) => onFound(toProblem(error)),
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
    </>
  );
}
