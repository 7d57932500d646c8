/** One source: its state, its settings, its schedule, its runs, and removing it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { KindsAnswer, Source } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import type { RunsAnswer } from "../../../src/contract/runs.ts";
import { useThisCatalog } from "../catalog.ts";
import { ActionButton } from "../components/form.tsx";
import { FailureNotice, RunTimeline, useSources } from "../components/runs.tsx";
import { SourceBadge, startSync } from "../components/source-actions.tsx";
import { RemoveSource, ScheduleForm, SettingsForm } from "../components/source-settings.tsx";
import { LiveRun } from "../components/sync-result.tsx";
import { Await, Empty, Facts, PageHeading, Section, Time } from "../components/ui.tsx";
import { useEvents } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { Link, pathWith } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";
import { LastSync, NextOfSource } from "./sources.tsx";

const text = setupText.sourcePage;

export function SourcePage({ params: { id = "" } }: PageProps): JSX.Element {
  const { href } = useThisCatalog();
  const sources = useSources();
  const kinds = useData<Wire<typeof KindsAnswer>>("/sources/kinds");
  useEvents({
    onRun: ({ source_id: of }) => of === id && sources.reload(),
    onRefetch: sources.reload,
  });
  const source = sources.data?.sources.find((one) => one.id === id);
  const kind = kinds.data?.kinds.find((one) => one.kind === source?.kind);
  return (
    <>
      {!source && <PageHeading title={setupText.sources.title} />}
      <Await loaded={sources}>
        {() =>
          source ? (
            <>
              <SourceHead source={source} kindLabel={kind?.label} onChange={sources.reload} />
              <SourceRuns source={source} />
              <Await loaded={kinds}>
                {() =>
                  kind && (
                    <Section title={text.settings}>
                      <SettingsForm source={source} kind={kind} onSaved={sources.reload} />
                    </Section>
                  )
                }
              </Await>
              <Section title={text.schedule}>
                <ScheduleForm source={source} onSaved={sources.reload} />
              </Section>
              <Section title={text.removeTitle}>
                <RemoveSource source={source} />
              </Section>
            </>
          ) : (
            <Empty>
              <p>{text.unknown}</p>
              <Link href={href("/sources")}>{text.back}</Link>
            </Empty>
          )
        }
      </Await>
    </>
  );
}

function SourceHead({
  source,
  kindLabel,
  onChange,
}: {
  readonly source: Source;
  readonly kindLabel: string | undefined;
  readonly onChange: () => void;
}): JSX.Element {
  const catalog = useThisCatalog();
  const [started, setStarted] = useState<string>();
  const last = source.last_run;
  const running = started ?? (last?.status === "running" ? last.run_id : undefined);
  return (
    <>
      <PageHeading title={source.name}>
        <div class="buttons">
          <SourceBadge source={source} />
          <ActionButton
            scope="write"
            kind="primary"
            act={async () => setStarted(await startSync(catalog, source.id))}
          >
            {setupText.sources.sync}
          </ActionButton>
          <Switch source={source} onChange={onChange} />
        </div>
      </PageHeading>
      {running !== undefined && (
        <LiveRun
          hasSource
          key={running}
          runId={running}
          onEnd={() => {
            setStarted(undefined);
            onChange();
          }}
        />
      )}
      {running === undefined && last?.error && <FailureNotice kind="sync" error={last.error} />}
      <SourceFacts source={source} kindLabel={kindLabel ?? source.kind} />
    </>
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
        [text.created, <Time at={source.created_at} />],
      ]}
    />
  );
}

function Switch({
  source: { id, enabled },
  onChange,
}: {
  readonly source: Source;
  readonly onChange: () => void;
}): JSX.Element {
  const { call } = useThisCatalog();
  return (
    <ActionButton
      scope="write"
      act={async () => {
        await call("/sources", { method: "PATCH", body: { id, enabled: !enabled } });
        onChange();
      }}
    >
      {enabled ? setupText.sources.switchOff : setupText.sources.switchOn}
    </ActionButton>
  );
}

const SHOWN_RUNS = 5;

function SourceRuns({ source }: { readonly source: Source }): JSX.Element {
  const { href } = useThisCatalog();
  const runs = useData<Wire<typeof RunsAnswer>>(
    pathWith("/runs", { source_id: source.id, limit: SHOWN_RUNS }),
  );
  useEvents({ onRun: ({ source_id: of }) => of === source.id && runs.reload() });
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
