/** The history of a catalog: syncs and pushes, or renders, removals and audits. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunsAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { Source } from "../../../src/contract/sources.ts";
import { RunTimeline, useSources } from "../components/runs.tsx";
import { Filters, FilterSelect, Pager } from "../components/table.tsx";
import { Await, Empty, PageHeading } from "../components/ui.tsx";
import { NothingYet } from "../components/ways-in.tsx";
import { useEvents, useReload } from "../events.tsx";
import type { ShownProgress } from "../events.tsx";
import { runsText as text } from "../messages/runs.ts";
import { t } from "../messages.ts";
import { Link, pathWith, useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";

const PAGE = 50;

export function RunsPage(): JSX.Element {
  const { query } = useLocation();
  const sources = useSources().data?.sources;
  const kind = query.get("kind") ?? "";
  const runs = useData<Wire<typeof RunsAnswer>>(
    pathWith("/runs", {
      kind: kind === "all" ? "" : kind === "" ? "sync" : kind,
      status: query.get("status"),
      source_id: query.get("source"),
      cursor: query.get("cursor"),
      limit: PAGE,
    }),
  );
  const [progress, setProgress] = useState<Readonly<Record<string, ShownProgress>>>({});
  useReload(runs.reload, { run: () => true });
  useEvents({ onProgress: (one) => setProgress((before) => ({ ...before, [one.run_id]: one })) });
  return (
    <>
      <PageHeading title={text.title} />
      <p class="muted">{text.intro}</p>
      <RunFilters sources={sources} />
      <Await loaded={runs}>
        {({ runs: page, next_cursor: next }) =>
          page.length > 0 ? (
            <>
              <RunTimeline runs={page} sources={sources} progress={progress} />
              <Pager next={next} />
            </>
          ) : (
            <NoRuns />
          )
        }
      </Await>
    </>
  );
}

function RunFilters({ sources = [] }: { readonly sources: readonly Source[] | undefined }): JSX.Element {
  return (
    <Filters>
      <FilterSelect name="kind" label={text.filters.kind} options={Object.entries(text.filters.kinds)} />
      <FilterSelect
        name="status"
        label={text.filters.status}
        any={text.filters.anyStatus}
        options={Object.entries(t.run.status)}
      />
      <FilterSelect
        name="source"
        label={text.filters.source}
        any={text.filters.anySource}
        options={[...sources.map(({ id, name }) => [id, name] as const), ["pushed", text.filters.pushes]]}
      />
    </Filters>
  );
}

function NoRuns(): JSX.Element {
  const location = useLocation();
  if (["kind", "status", "source", "cursor"].some((name) => location.query.has(name)))
    return (
      <Empty>
        <p>{text.nothingFound}</p>
        <Link href={location.path}>{text.showAll}</Link>
      </Empty>
    );
  return <NothingYet>{text.empty}</NothingYet>;
}
