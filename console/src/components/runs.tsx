/** Runs: their names, their history as a timeline, and why one failed. */
import type { ComponentChildren, JSX } from "preact";
import type { ListedRun, Run } from "../../../src/contract/runs.ts";
import type { Source, SourcesAnswer } from "../../../src/contract/sources.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import type { ShownProgress } from "../events.tsx";
import { formatDuration, formatNumber } from "../format.ts";
import { renderTexts } from "../messages/renders.ts";
import { pushRemedies, remedies, runsText as text } from "../messages/runs.ts";
import { t } from "../messages.ts";
import { Link } from "../router.tsx";
import { useData } from "../use-data.ts";
import type { LoadedData } from "../use-data.ts";
import { DialogButton } from "./buttons.tsx";
import { Badge, Time } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

export const useSources = (): LoadedData<{ readonly sources: readonly Source[] }> =>
  useData<Wire<typeof SourcesAnswer>>("/sources");

type Outcome = Run["status"] | "canceled" | "held" | "discarded" | "superseded";

const TONES = {
  running: "neutral",
  succeeded: "ok",
  failed: "bad",
  canceled: "neutral",
  held: "attention",
  discarded: "neutral",
  superseded: "neutral",
} as const satisfies Record<Outcome, Tone>;

type WithError = { readonly error: { readonly code: string } | null };

/** Ended by a user, which is no failure. */
export const isCanceled = ({ error }: WithError): boolean => error?.code === "canceled";

type Ended = Pick<Run, "status" | "error" | "render_state">;

/** A render whose files are complete and were not published: they wait for a person, or one has decided. */
export const isUnpublished = ({ render_state: state }: Pick<Run, "render_state">): boolean =>
  state !== null && state !== "published";

function outcomeOf(run: Ended): Outcome {
  if (isCanceled(run)) return "canceled";
  return run.render_state === null || run.render_state === "published" ? run.status : run.render_state;
}

export function RunStatusBadge({ run }: { readonly run: Ended }): JSX.Element {
  const outcome = outcomeOf(run);
  const { status, canceled } = t.run;
  return <Badge tone={TONES[outcome]}>{{ ...renderTexts.states, ...status, canceled }[outcome]}</Badge>;
}

/** "after a push", "on schedule". */
export const causeText = ({ kind, cause }: Pick<Run, "kind" | "cause">): string =>
  cause === "push" && kind !== "sync" ? text.afterPush : text.cause[cause];

/** "Sync of Main shop", "Render". */
export function runTitle(
  { kind, source_id: id }: Pick<Run, "kind" | "source_id">,
  sources: readonly Source[] | undefined,
): string {
  if (kind !== "sync") return text.kind[kind];
  if (id === null) return text.kind.push;
  if (!sources) return text.kind.unnamedSync;
  return text.kind.sync(sources.find((source) => source.id === id)?.name ?? text.removedSource);
}

/** From the begin to the end, in milliseconds; null until it has ended. */
export const durationOf = ({
  started_at: begin,
  finished_at: end,
}: Pick<Run, "started_at" | "finished_at">): number | null =>
  begin === null || end === null ? null : Date.parse(end) - Date.parse(begin);

const dayFormat = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric" });
const DAY_MS = 86_400_000;

function dayOf(at: string, now = Date.now()): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return text.today;
  return day === new Date(now - DAY_MS).toDateString() ? text.yesterday : dayFormat.format(Date.parse(at));
}

/** Runs, newest first, by day. */
export function RunTimeline({
  runs,
  sources,
  progress = {},
}: {
  readonly runs: readonly ListedRun[];
  readonly sources: readonly Source[] | undefined;
  /** The latest progress of runs that are under way, by id. */
  readonly progress?: Readonly<Record<string, ShownProgress>>;
}): JSX.Element {
  const days = Map.groupBy(runs, ({ queued_at: at }) => dayOf(at));
  return (
    <div class="timeline">
      {[...days].map(([day, ofDay]) => (
        <section key={day} aria-label={day}>
          <p class="timeline-day small muted">{day}</p>
          <ol>
            {ofDay.map((run) => (
              <TimelineEntry key={run.run_id} run={run} sources={sources} progress={progress[run.run_id]} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function TimelineEntry({
  run,
  sources,
  progress,
}: {
  readonly run: ListedRun;
  readonly sources: readonly Source[] | undefined;
  readonly progress: ShownProgress | undefined;
}): JSX.Element {
  const { href } = useThisCatalog();
  const duration = durationOf(run);
  const outcome = outcomeOf(run);
  return (
    <li class={`run ${outcome}`}>
      <div class="run-what">
        <p class="run-title">
          <Link href={href(`/runs/${run.run_id}`)}>{runTitle(run, sources)}</Link>
          {outcome !== "succeeded" && <RunStatusBadge run={run} />}
        </p>
        <p class="small muted">
          <Time at={run.queued_at} /> · {causeText(run)}
          {duration !== null && ` · ${formatDuration(duration)}`}
        </p>
        {run.status === "running" && <RunningPhase {...run} {...progress} />}
        {run.render_state !== null && isUnpublished(run) && (
          <p class="small muted">{renderTexts.stateTexts[run.render_state]}</p>
        )}
        {run.error !== null && (
          <p class={`small ${outcome === "failed" ? "run-error" : "muted"}`}>{run.error.message}</p>
        )}
      </div>
      {run.status !== "running" && <Counts run={run} />}
    </li>
  );
}

function RunningPhase({ phase, done }: Pick<Run, "phase" | "done">): JSX.Element {
  return (
    <p class="small">
      {t.run.phases[phase ?? "queued"]}
      {done > 0 && ` · ${formatNumber(done)}`}
    </p>
  );
}

const COUNTED = ["seen", "upserted", "unchanged", "rejected", "removed"] as const;

function Counts({ run: { counts, kind, done, status } }: { readonly run: ListedRun }): JSX.Element | null {
  const entries =
    counts !== null
      ? COUNTED.map((name) => [text.counts[name], counts[name]] as const)
      : kind === "audit" || status === "failed"
        ? []
        : [[text.counts.items, done] as const];
  if (entries.every(([, count]) => count === 0)) return null;
  return (
    <dl class="run-counts">
      {entries.map(([name, count]) => (
        <div key={name} class={count === 0 ? "muted" : ""}>
          <dt class="small muted">{name}</dt>
          <dd class="number">{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function CancelButton({
  runId,
  hasSource,
}: {
  readonly runId: string;
  /** A push or an upload has none, and is not repeated. */
  readonly hasSource: boolean;
}): JSX.Element {
  const { call } = useThisCatalog();
  const { label, title, confirm, dismiss } = text.cancel;
  return (
    <DialogButton
      {...{ label, title, confirm, dismiss }}
      act={async () => call(`/syncs/${runId}/cancel`, { method: "POST" })}
    >
      <p>
        {text.cancel.text} {hasSource && text.cancel.nextSync}
      </p>
    </DialogButton>
  );
}

/** Why a run failed, and what to do. */
export function FailureNotice({
  error,
  kind,
  isPush = false,
  children,
}: {
  readonly error: NonNullable<Run["error"]>;
  readonly kind: Run["kind"];
  /** A push or an upload. */
  readonly isPush?: boolean;
  /** Links to where it can be repaired. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const remedy = (isPush ? pushRemedies[error.code] : undefined) ?? remedies[error.code];
  const wasCanceled = isCanceled({ error });
  const unchanged = text.failure.unchanged[kind];
  return (
    <div class={`notice ${wasCanceled ? "neutral" : "bad"}`} role="alert">
      <p>
        <strong>{wasCanceled ? text.failure.canceled : text.failure.title}</strong> {error.message}
      </p>
      {remedy !== undefined && (
        <p>
          <strong>{text.failure.todo}</strong> {remedy}
        </p>
      )}
      {children}
      <p class="small">
        {t.errorCode} <code>{error.code}</code>
        {unchanged !== null && ` · ${unchanged}`}
      </p>
    </div>
  );
}
