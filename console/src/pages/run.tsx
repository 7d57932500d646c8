/** One run: live while it is under way; then its ledger, what it rejected, why it failed, and the render after it. */
import type { ComponentChildren, JSX } from "preact";
import type { RenderAnswer } from "../../../src/contract/renders.ts";
import type { Run, RunAnswer, SyncAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { ConfirmButton } from "../components/form.tsx";
import { Ledger } from "../components/ledger.tsx";
import { ExclusionReasons, RenderFiles } from "../components/render-files.tsx";
import { RunProgress } from "../components/run-progress.tsx";
import { durationOf, FailureNotice, RunStatusBadge, runTitle, useSources } from "../components/runs.tsx";
import { SyncIssues } from "../components/sync-issues.tsx";
import { Await, CopyButton, Facts, PageHeading, Section, Time } from "../components/ui.tsx";
import { useEvents } from "../events.tsx";
import { formatDuration } from "../format.ts";
import { runsText as text } from "../messages/runs.ts";
import { Link } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";

export function RunPage({ params: { id = "" } }: PageProps): JSX.Element {
  const run = useData<Wire<typeof RunAnswer>>(`/runs/${id}`);
  useEvents({ onRun: (changed) => changed.run_id === id && run.reload(), onRefetch: run.reload });
  return (
    <>
      {run.data === undefined && <PageHeading title={text.title} />}
      <Await loaded={run}>
        {(data) =>
          data.kind === "sync" ? (
            <SyncRun run={data} onEnd={run.reload} />
          ) : (
            <RunFrame run={data} onEnd={run.reload}>
              {data.kind === "render" && data.status === "succeeded" && (
                <RenderResult id={id} title={text.render.files} />
              )}
            </RunFrame>
          )
        }
      </Await>
    </>
  );
}

/** The parts that runs of every kind have. */
function RunFrame({
  run,
  onEnd,
  children,
}: {
  readonly run: Run;
  readonly onEnd: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { call } = useThisCatalog();
  const { data } = useSources();
  const isRunning = run.status === "running";
  return (
    <>
      <PageHeading title={runTitle(run, data?.sources)}>
        <div class="buttons">
          <RunStatusBadge run={run} />
          {isRunning && run.kind === "sync" && (
            <ConfirmButton
              label={text.cancel.label}
              title={text.cancel.title}
              confirm={text.cancel.confirm}
              dismiss={text.cancel.dismiss}
              act={async () => call(`/syncs/${run.run_id}/cancel`, { method: "POST" })}
            >
              <p>
                {text.cancel.text} {run.source_id !== null && text.cancel.nextSync}
              </p>
            </ConfirmButton>
          )}
        </div>
      </PageHeading>
      {isRunning && <RunProgress runId={run.run_id} onEnd={onEnd} />}
      {run.error !== null && (
        <FailureNotice
          error={run.error}
          kind={run.kind}
          isPush={run.kind === "sync" && run.source_id === null}
        >
          <RepairLink run={run} />
        </FailureNotice>
      )}
      {children}
      <RunFacts run={run} />
    </>
  );
}

/** Failures that new settings of the source may repair. */
const REPAIRABLE = /^(source_|target_|catalog_collapsed$)/;

function RepairLink({ run }: { readonly run: Run }): JSX.Element | null {
  const { href } = useThisCatalog();
  if (run.kind !== "sync") return null;
  if (run.source_id === null) return <Link href={href("/upload")}>{text.failure.upload}</Link>;
  if (!REPAIRABLE.test(run.error?.code ?? "")) return null;
  return <Link href={href(`/sources/${run.source_id}`)}>{text.failure.editSource}</Link>;
}

function RunFacts({ run }: { readonly run: Run }): JSX.Element {
  const { href } = useThisCatalog();
  const { data } = useSources();
  const duration = durationOf(run);
  const source = data?.sources.find(({ id }) => id === run.source_id);
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
          [text.facts.cause, text.cause[run.cause]],
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
          [
            text.facts.id,
            <span class="with-copy">
              <code>{run.run_id}</code>
              <CopyButton text={run.run_id} label={text.facts.copyId} />
            </span>,
          ],
        ]}
      />
    </Section>
  );
}

function SyncRun({ run, onEnd }: { readonly run: Run; readonly onEnd: () => void }): JSX.Element {
  const { run_id: id, status } = run;
  // Once it has ended, its ledger is loaded.
  const sync = useData<Wire<typeof SyncAnswer>>(status === "running" ? null : `/syncs/${id}`);
  useEvents({
    onRun: ({ cause_run_id: cause }) => cause === id && sync.reload(),
    onRefetch: sync.reload,
  });
  const isFailed = status === "failed";
  return (
    <RunFrame run={run} onEnd={onEnd}>
      {status !== "running" && (
        <Await loaded={sync}>
          {({ stats, render_run_id: renderId }) => (
            <>
              {(!isFailed || stats.seen > 0) && (
                <Section title={text.ledger.title}>
                  <Ledger stats={stats} isPartial={isFailed} />
                </Section>
              )}
              {renderId !== null && <RenderAfter id={renderId} />}
              {(!isFailed || stats.rejected + stats.warnings > 0) && <SyncIssues runId={id} stats={stats} />}
            </>
          )}
        </Await>
      )}
    </RunFrame>
  );
}

function RenderAfter({ id }: { readonly id: string }): JSX.Element {
  const run = useData<Wire<typeof RunAnswer>>(`/runs/${id}`);
  const { href } = useThisCatalog();
  return (
    <Await loaded={run}>
      {({ status, error }) =>
        status === "succeeded" ? (
          <RenderResult id={id} title={text.render.title} hasReasons={false} />
        ) : (
          <Section title={text.render.title}>
            {error === null ? (
              <RunProgress runId={id} onEnd={run.reload} />
            ) : (
              <FailureNotice error={error} kind="render">
                <Link href={href(`/runs/${id}`)}>{text.render.open}</Link>
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
          {hasReasons && data.files.some(({ excluded }) => excluded > 0) && (
            <Section title={text.render.reasons}>
              <ExclusionReasons render={data} />
            </Section>
          )}
        </>
      )}
    </Await>
  );
}
