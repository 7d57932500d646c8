/** Rows that a search for items cannot find, because they were rejected: where, and why. */
import type { JSX } from "preact";
import type { IssuesAnswer, RunsAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { itemsText as t } from "../messages/items.ts";
import { Link, pathWith } from "../router.tsx";
import { useData } from "../use-data.ts";
import { useSources } from "./runs.tsx";

/** Of more sources only these are asked. */
const MAX_RUNS = 5;

export function RejectedItems({ query }: { readonly query: string }): JSX.Element {
  const sources = useSources().data?.sources ?? [];
  const pushes =
    useData<Wire<typeof RunsAnswer>>("/runs?kind=sync&source_id=pushed&limit=1").data?.runs ?? [];
  const runs = [
    ...sources.flatMap(({ last_run: last, name }) =>
      last && last.stats.rejected > 0 ? [{ id: last.run_id, name: t.syncOf(name) }] : [],
    ),
    ...pushes.map(({ run_id: id }) => ({ id, name: t.lastPush })),
  ];
  return (
    <>
      {runs.slice(0, MAX_RUNS).map(({ id, name }) => (
        <RejectedOf key={id} runId={id} name={name} query={query} />
      ))}
    </>
  );
}

function RejectedOf({
  runId,
  name,
  query,
}: {
  readonly runId: string;
  readonly name: string;
  readonly query: string;
}): JSX.Element | null {
  const { href } = useThisCatalog();
  const filter = { kind: "rejection", q: query };
  const found = useData<Wire<typeof IssuesAnswer>>(
    pathWith(`/syncs/${runId}/issues`, { ...filter, limit: 1 }),
  );
  const [first] = found.data?.issues ?? [];
  if (!first) return null;
  return (
    <p class="anywhere">
      {t.rejected(first.item_id ?? query, name, first.message)}{" "}
      <Link href={href(pathWith(`/runs/${runId}`, filter))}>{t.showRejected}</Link>
    </p>
  );
}
