/** One source: its state, its settings, its schedule, its runs, and removing it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KindsAnswer, Source } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { RunsAnswer } from "../../../src/contract/runs.ts";
import { useThisCatalog } from "../catalog.ts";
import { FailureNotice, RunTimeline, useSources } from "../components/runs.tsx";
import {
  AcceptRemovalButton,
  SourceBadge,
  SourceSwitch,
  SyncButton,
  TrySyncButton,
} from "../components/source-actions.tsx";
import { RemoveSource, ScheduleForm, SettingsForm } from "../components/source-settings.tsx";
import { LiveRun } from "../components/sync-result.tsx";
import { Missing } from "../components/missing.tsx";
import { Await, Facts, PageHeading, Section, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { Link, pathWith } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { LastSync, NextOfSource } from "./sources.tsx";

const text = setupText.sourcePage;

export function SourcePage({ params: { id = "" } }: PageProps): JSX.Element {
  const sources = useSources();
  const [started, setStarted] = useState<string>();
  useReload(sources.reload, { run: ({ source_id: of }) => of === id });
  const source = sources.data?.sources.find((one) => one.id === id);
  return (
    <>
      <PageHeading title={source?.name ?? setupText.sources.title}>
        {source && (
          <div class="buttons">
            <SourceBadge source={source} />
            <SyncButton source={source} kind="primary" onStarted={setStarted} />
            <TrySyncButton source={source} />
            <SourceSwitch source={source} onChange={sources.reload} />
          </div>
        )}
      </PageHeading>
      <Await loaded={sources}>
        {() =>
          source ? (
            <>
              <LastRun
                source={source}
                started={started}
                onStarted={setStarted}
                onEnd={() => {
                  setStarted(undefined);
                  sources.reload();
                }}
              />
              <Details source={source} onChange={sources.reload} />
            </>
          ) : (
            <Missing text={text.unknown} page="/sources" link={text.back} />
          )
        }
      </Await>
    </>
  );
}

function Details({
  source,
  onChange,
}: {
  readonly source: Source;
  readonly onChange: () => void;
}): JSX.Element {
  const kinds = useData<Wire<typeof KindsAnswer>>("/sources/kinds");
  const kind = kinds.data?.kinds.find((one) => one.kind === source.kind);
  return (
    <>
      <SourceFacts source={source} kindLabel={kind?.label ?? source.kind} />
      <SourceRuns source={source} />
      <Await loaded={kinds}>
        {() =>
          kind && (
            <Section title={text.settings}>
              <SettingsForm source={source} kind={kind} onSaved={onChange} />
            </Section>
          )
        }
      </Await>
      <Section title={text.schedule}>
        <ScheduleForm source={source} onSaved={onChange} />
      </Section>
      <Section title={text.removeTitle}>
        <RemoveSource source={source} />
      </Section>
    </>
  );
}

/** The sync that runs, or why the last one failed. */
function LastRun({
  source: { id, last_run: last },
  started,
  onStarted,
  onEnd,
}: {
  readonly source: Source;
  /** The run that the user has started on this page. */
  readonly started: string | undefined;
  readonly onStarted: (runId: string) => void;
  readonly onEnd: () => void;
}): JSX.Element | null {
  const running = started ?? (last?.status === "running" ? last.run_id : undefined);
  if (running !== undefined) return <LiveRun hasSource key={running} runId={running} onEnd={onEnd} />;
  if (!last?.error) return null;
  return (
    <FailureNotice kind="sync" error={last.error}>
      {last.error.code === "catalog_collapsed" && <AcceptRemovalButton sourceId={id} onStarted={onStarted} />}
    </FailureNotice>
  );
}

function SourceFacts({
  source,
  kindLabel,
}: {
  readonly source: Source;
  readonly kindLabel: string;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Facts
      entries={[
        [text.kind, kindLabel],
        [
          text.items,
          <Link href={href(pathWith("/items", { source_id: source.id }))}>
            {formatNumber(source.item_count)}
          </Link>,
        ],
        [text.last, <LastSync source={source} />],
        [text.next, <NextOfSource source={source} />],
        [text.deletions, source.deletions.detail],
        [text.created, <Time at={source.created_at} />],
      ]}
    />
  );
}

const SHOWN_RUNS = 5;

function SourceRuns({ source }: { readonly source: Source }): JSX.Element {
  const { href } = useThisCatalog();
  const runs = useData<Wire<typeof RunsAnswer>>(
    pathWith("/runs", { source_id: source.id, limit: SHOWN_RUNS }),
  );
  useReload(runs.reload, { run: ({ source_id: of }) => of === source.id });
  return (
    <Section
      title={text.runs}
      actions={<Link href={href(pathWith("/runs", { source: source.id }))}>{text.allRuns}</Link>}
    >
      <Await loaded={runs}>
        {({ runs: newest }) =>
          newest.length === 0 ? (
            <p class="muted">{text.noRuns}</p>
          ) : (
            <RunTimeline runs={newest} sources={[source]} />
          )
        }
      </Await>
    </Section>
  );
}
