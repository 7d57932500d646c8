/** Two renders compared: totals, causes, what happened between them, and the items with their fields. */
import type { JSX } from "preact";
import type { Render, RendersAnswer } from "../../../src/contract/renders.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { Comparison } from "../components/comparison.tsx";
import { stateOf } from "../components/render-state.tsx";
import { Filters, FilterSelect } from "../components/table.tsx";
import { Await, Empty, PageHeading } from "../components/ui.tsx";
import { formatExact } from "../format.ts";
import { compareTexts as t } from "../messages/compare.ts";
import { renderTexts } from "../messages/renders.ts";
import { Link, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";

/** As many as are kept, and more. */
const CHOICES = 50;

export function ComparePage(): JSX.Element {
  const { href } = useThisCatalog();
  const loaded = useData<Wire<typeof RendersAnswer>>(`/renders?limit=${CHOICES}`);
  return (
    <>
      <PageHeading title={t.title}>
        <Link href={href("/renders")}>{renderTexts.backToList}</Link>
      </PageHeading>
      <p class="muted">{t.intro}</p>
      <Await loaded={loaded}>
        {({ renders }) => <Chosen renders={renders.filter(({ is_kept: isKept }) => isKept)} />}
      </Await>
    </>
  );
}

/** The two renders of the address; the newest two unless it names others. */
function Chosen({ renders }: { readonly renders: readonly Render[] }): JSX.Element {
  const { query } = useLocation();
  const after = query.get("after") ?? renders[0]?.run_id;
  const older = renders.findIndex(({ run_id: id }) => id === after) + 1;
  const before = query.get("before") ?? renders[older]?.run_id;
  if (renders.length < 2)
    return (
      <Empty>
        <p>{t.tooFew}</p>
      </Empty>
    );
  return (
    <>
      <Filters>
        <RenderSelect name="before" label={t.before} renders={renders} chosen={before} />
        <RenderSelect name="after" label={t.after} renders={renders} chosen={after} />
      </Filters>
      {before === undefined || after === undefined ? (
        <p>{t.choose}</p>
      ) : (
        <Comparison before={before} after={after} />
      )}
    </>
  );
}

function RenderSelect({
  name,
  label,
  renders,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly renders: readonly Render[];
  readonly chosen: string | undefined;
}): JSX.Element {
  return (
    <FilterSelect
      name={name}
      label={label}
      value={chosen ?? ""}
      options={renders.map((render) => [
        render.run_id,
        t.option(formatExact(render.finished_at ?? render.queued_at), renderTexts.states[stateOf(render)]),
      ])}
    />
  );
}
