/** One run: live while it is under way; then its ledger, what it rejected, why it failed, and the render after it. */
import type { JSX } from "preact";
import type { RenderAnswer } from "../../../src/contract/renders.ts";
import type { Run, RunAnswer, SyncAnswer } from "../../../src/contract/runs.ts";
import type { Source } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { HeldRender, HeldRenderState } from "../components/held-render.tsx";
import { Ledger } from "../components/ledger.tsx";
import { Missing } from "../components/missing.tsx";
import { RefusalReasons, RenderFiles } from "../components/render-files.tsx";
import { RunProgress } from "../components/run-progress.tsx";
import {
  CancelButton,
  durationOf,
  FailureNotice,
  isUnpublished,
  causeText,
  RunStatusBadge,
  runTitle,
  useSources,
} from "../components/runs.tsx";
import { SyncPlanResult } from "../components/sync-plan-result.tsx";
import { AcceptRemovalButton } from "../components/source-actions.tsx";
import { SyncIssues } from "../components/sync-issues.tsx";
import { CopyLine } from "../components/copy-button.tsx";
import { Await, Facts, PageHeading, Section, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { formatDuration } from "../format.ts";
import { runsText as text } from "../messages/runs.ts";
import { refusedIn } from "../refused.ts";
import { Link, navigate } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";

export function RunPage({ params: { id = "" } }: PageProps): JSX.Element {
  const run = useData<Wire<typeof RunAnswer>>(`/runs/${encodeURIComponent(id)}`);
  const sources = useSources().data?.sources;
  useReload(run.reload, { run: (changed) => changed.run_id === id });
  const { data } = run;
  return (
    <>
      <PageHeading title={data ? runTitle(data, sources) : text.title}>
        {data && (
          <div class="buttons">
            {isUnpublished(data) ? <HeldRenderState id={id} /> : <RunStatusBadge run={data} />}
            {data.status === "running" && data.kind === "sync" && (
              <CancelButton runId={id} hasSource={data.source_id !== null} />
            )}
          </div>
        )}
      </PageHeading>
      <Await loaded={run} missing={<Missing text={text.unknown} page="/runs" link={text.showAll} />}>
        {(found) => (
          <>
            {found.status === "running" && <RunProgress runId={id} onEnd={run.reload} />}
            <Failure run={found} />
            {found.kind === "sync" && found.status !== "running" && <SyncResult run={found} />}
            {isUnpublished(found) && <HeldRender id={id} />}
            {found.kind === "render" && found.status === "succeeded" && !isUnpublished(found) && (
              <RenderResult id={id} title={text.render.files} />
            )}
            {found.dry_run !== null && found.source_id !== null && (
              <SyncPlanResult report={found.dry_run} sourceId={found.source_id} />
            )}
            <RunFacts run={found} sources={sources} />
          </>
        )}
      </Await>
    </>
  );
}

function Failure({ run }: { readonly run: Run }): JSX.Element | null {
  const { error, kind } = run;
  if (error === null) return null;
  return (
    <FailureNotice error={error} kind={kind} isPush={kind === "sync" && run.source_id === null}>
      <RepairLink run={run} />
    </FailureNotice>
  );
}

/** Failures that new settings of the source may repair. */
const REPAIRABLE = /^(source_|target_|catalog_collapsed$)/;

function RepairLink({ run }: { readonly run: Run }): JSX.Element | null {
  const { href } = useThisCatalog();
  if (run.kind !== "sync") return null;
  if (run.source_id === null) return <Link href={href("/upload")}>{text.failure.upload}</Link>;
  if (!REPAIRABLE.test(run.error?.code ?? "")) return null;
  return (
    <div class="buttons">
      {run.error?.code === "catalog_collapsed" && (
        <AcceptRemovalButton
          sourceId={run.source_id}
          onStarted={(started) => navigate(href(`/runs/${started}`))}
        />
      )}
      <Link href={href(`/sources/${run.source_id}`)}>{text.failure.editSource}</Link>
    </div>
  );
}

function RunFacts({
  run,
  sources,
}: {
  readonly run: Run;
  readonly sources: readonly Source[] | undefined;
}): JSX.Element {
  const { href } = useThisCatalog();
  const duration = durationOf(run);
  const source = sources?.find(({ id }) => id === run.source_id);
  return (
    <Section title={text.facts.title}>
      <Facts
        entries={[
          ...(run.kind === "sync"
            ? [
                [
                  text.facts.source,
                  run.source_id === null ? (
                    text.facts.push
                  ) : source ? (
                    <Link href={href(`/sources/${source.id}`)}>{source.name}</Link>
                  ) : (
                    text.removedSource
                  ),
                ] as const,
              ]
            : []),
          [text.facts.cause, causeText(run)],
          ...(run.cause_run_id !== null
            ? [
                [
                  text.facts.causedBy,
                  <Link href={href(`/runs/${run.cause_run_id}`)}>{text.facts.causeRun}</Link>,
                ] as const,
              ]
            : []),
          [text.facts.queued, <Time at={run.queued_at} />],
          ...(run.finished_at === null ? [] : [[text.facts.ended, <Time at={run.finished_at} />] as const]),
          ...(duration === null ? [] : [[text.facts.duration, formatDuration(duration)] as const]),
          [text.facts.id, <CopyLine text={run.run_id} label={text.facts.copyId} />],
        ]}
      />
    </Section>
  );
}

function SyncResult({ run: { run_id: id, status } }: { readonly run: Run }): JSX.Element {
  const sync = useData<Wire<typeof SyncAnswer>>(`/syncs/${id}`);
  useReload(sync.reload, { run: ({ cause_run_id: cause }) => cause === id });
  const isFailed = status === "failed";
  return (
    <Await loaded={sync}>
      {({ stats, render_run_id: renderId }) => (
        <>
          {(!isFailed || stats.seen > 0) && (
            <Section title={text.ledger.title}>
              <Ledger stats={stats} isPartial={isFailed} />
            </Section>
          )}
          {renderId !== null && <RenderAfter id={renderId} />}
          {(!isFailed || stats.rejected + stats.warnings > 0) && (
            <SyncIssues runId={id} stats={stats} isStored={!isFailed} />
          )}
        </>
      )}
    </Await>
  );
}

function RenderAfter({ id }: { readonly id: string }): JSX.Element {
  const run = useData<Wire<typeof RunAnswer>>(`/runs/${id}`);
  const { href } = useThisCatalog();
  return (
    <Await loaded={run}>
      {({ status, error, render_state }) =>
        status === "succeeded" && !isUnpublished({ render_state }) ? (
          <RenderResult id={id} title={text.render.title} hasReasons={false} />
        ) : (
          <Section title={text.render.title}>
            {isUnpublished({ render_state }) ? (
              <HeldRender id={id} />
            ) : error === null ? (
              <RunProgress runId={id} onEnd={run.reload} />
            ) : (
              <FailureNotice error={error} kind="render">
                <Link href={href(`/renders/${id}`)}>{text.render.open}</Link>
              </FailureNotice>
            )}
          </Section>
        )
      }
    </Await>
  );
}

function RenderResult({
  id,
  title,
  hasReasons = true,
}: {
  readonly id: string;
  readonly title: string;
  readonly hasReasons?: boolean;
}): JSX.Element {
  const render = useData<Wire<typeof RenderAnswer>>(`/renders/${id}`);
  const { href } = useThisCatalog();
  const to = hasReasons ? "/feeds" : `/runs/${id}`;
  return (
    <Await loaded={render}>
      {(data) => (
        <>
          <Section
            title={title}
            actions={<Link href={href(to)}>{hasReasons ? text.render.feeds : text.render.why}</Link>}
          >
            <RenderFiles render={data} />
            <p class="small muted">{data.is_published ? text.render.published : text.render.notPublished}</p>
          </Section>
          {hasReasons && data.files.some((file) => refusedIn(file) > 0) && (
            <Section title={text.render.reasons}>
              <RefusalReasons render={data} />
            </Section>
          )}
        </>
      )}
    </Await>
  );
}
