/** A catalog at a glance: its state with the one thing to do first, its score, its feeds and its syncs. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Attention, CatalogStatus } from "../../../src/contract/status.ts";
import { useThisCatalog } from "../catalog.ts";
import { ActionControl } from "../components/catalog-state.tsx";
import { STATE_TONES, StateBadge } from "../components/state-badge.tsx";
import { LineChart } from "../components/chart.tsx";
import { NextSync } from "../components/next-sync.tsx";
import { RunProgress } from "../components/run-progress.tsx";
import { FeedTable } from "../components/feed-table.tsx";
import { Await, Badge, Facts, Notice, PageHeading, Section, Time } from "../components/ui.tsx";
import { Unpublished, useFeeds } from "../components/unpublished.tsx";
import { WaysIn } from "../components/ways-in.tsx";
import { useEvents } from "../events.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../messages.ts";
import { overviewTexts as texts } from "../messages/overview.ts";
import { Link } from "../router.tsx";
import { useStatus } from "../use-status.ts";

export function OverviewPage(): JSX.Element {
  const status = useStatus();
  const { data, reload } = status;
  const isEmpty = data?.items === 0 && data.sources === 0;
  // The ways in say that there are no items.
  const hasState = !isEmpty || data.attention.some(({ code }) => code !== "no_items");
  return (
    <>
      <PageHeading title={texts.title}>
        {data && data.state !== "ok" && hasState && <StateBadge state={data.state} />}
      </PageHeading>
      <Await loaded={status}>
        {(found) =>
          isEmpty ? (
            <>
              {hasState && <State status={found} reload={reload} />}
              <WaysIn />
              {hasState && <OtherAttention status={found} reload={reload} />}
            </>
          ) : (
            <Overview status={found} reload={reload} />
          )
        }
      </Await>
    </>
  );
}

type OfStatus = { readonly status: CatalogStatus };

function Overview({ status, reload }: OfStatus & { readonly reload: () => void }): JSX.Element {
  const feeds = useFeeds();
  return (
    <>
      <State status={status} reload={reload} />
      <Unpublished feeds={feeds} onPublished={reload} />
      <Figures status={status} />
      <OtherAttention status={status} reload={reload} />
      <Section title={texts.feeds}>
        <FeedTable feeds={status.feeds} />
      </Section>
    </>
  );
}

function State({
  status: { state, reason, action, attention },
  reload,
}: OfStatus & { readonly reload: () => void }): JSX.Element {
  const [first] = attention;
  // The message repeats the reason and goes on.
  const detail = first?.message.startsWith(reason) ? first.message.slice(reason.length).trim() : "";
  return (
    <div role="status">
      <Notice tone={STATE_TONES[state]}>
        <p>
          <strong>{reason}</strong>
        </p>
        {detail !== "" && <p>{detail}</p>}
        {first?.since != null && (
          <p class="small">
            <Time at={first.since} />
          </p>
        )}
        {action && <ActionControl action={action} isFirst onDone={reload} />}
      </Notice>
    </div>
  );
}

function Figures({ status: { score, items, sources, pushed_items: pushed, sync } }: OfStatus): JSX.Element {
  const { href } = useThisCatalog();
  const [runId, onEnd] = useRunningSync();
  return (
    <div class="overview-figures">
      <Score score={score} />
      <div class="card">
        <Facts
          entries={[
            [
              texts.items,
              <>
                <Link href={href("/items")}>{formatNumber(items)}</Link>{" "}
                <span class="muted">{originOf(sources, pushed)}</span>
              </>,
            ],
            [texts.lastSync, <LastSync last={sync.last} />],
            [
              texts.nextSync,
              sync.next ? (
                <>
                  <NextSync at={sync.next.at} isRunning={sync.running > 0} />{" "}
                  <span class="muted">{sync.next.source_name}</span>
                </>
              ) : (
                texts.noNextSync
              ),
            ],
            ...(sync.running > 0
              ? [[texts.now, <Running count={sync.running} runId={runId} onEnd={onEnd} />] as const]
              : []),
          ]}
        />
      </div>
    </div>
  );
}

/** The id of the sync that was heard of last, until it ends. */
function useRunningSync(): readonly [runId: string | undefined, onEnd: () => void] {
  const [runId, setRunId] = useState<string>();
  useEvents({
    onRun: ({ run_id: id, kind, status }) => kind === "sync" && status === "running" && setRunId(id),
    onProgress: ({ run_id: id, phase }) => phase === "reading" && setRunId(id),
  });
  return [runId, () => setRunId(undefined)];
}

function Running({
  count,
  runId,
  onEnd,
}: {
  readonly count: number;
  readonly runId: string | undefined;
  readonly onEnd: () => void;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <>
      {texts.running(count)} <Link href={href("/runs")}>{texts.showRuns}</Link>
      {runId !== undefined && <RunProgress key={runId} runId={runId} onEnd={onEnd} />}
    </>
  );
}

function originOf(sources: number, pushed: number): string {
  if (sources === 0) return texts.pushed;
  const from = sources === 1 ? texts.oneSource : texts.sources(formatNumber(sources));
  return pushed === 0 ? from : texts.alsoPushed(from, formatNumber(pushed));
}

function LastSync({ last }: { readonly last: CatalogStatus["sync"]["last"] }): JSX.Element {
  const { href } = useThisCatalog();
  if (!last) return <>{texts.noSync}</>;
  return (
    <>
      <Link href={href(`/runs/${last.run_id}`)}>
        <Time at={last.finished_at} />
      </Link>{" "}
      <span class="muted">{last.source_name ?? texts.push}</span>{" "}
      {last.error_code === "canceled" ? (
        <Badge tone="neutral">{t.run.canceled}</Badge>
      ) : (
        last.status === "failed" && <Badge tone="bad">{texts.failed}</Badge>
      )}
    </>
  );
}

function Score({ score }: Pick<CatalogStatus, "score">): JSX.Element {
  const { href } = useThisCatalog();
  if (!score)
    return (
      <div class="card score">
        <p class="small muted">{texts.score}</p>
        <p class="stat-value muted">{texts.noScore}</p>
        <p class="small muted">{texts.noScoreNote}</p>
      </div>
    );
  const change = score.previous_score === null ? null : score.score - score.previous_score;
  return (
    <div class="card score">
      <div>
        <p class="small muted">{texts.score}</p>
        <p>
          <Link href={href("/audit")} class="stat-value">
            {score.score}
          </Link>{" "}
          <span class="muted">{texts.grade(score.grade)}</span>
        </p>
        <p class="small muted">
          {change === 0 && texts.samePoints}
          {change !== null && change !== 0 && texts.points(change > 0 ? `+${change}` : `−${-change}`)}
        </p>
      </div>
      <LineChart
        label={texts.trend}
        points={score.history.map(({ at, score: value }) => ({ at, value }))}
        range={[0, 100]}
      />
      {score.ceiling !== null && <p class="small muted">{texts.ceiling(formatNumber(score.ceiling))}</p>}
    </div>
  );
}

/** Without the first entry, which is the reason of the state. */
function OtherAttention({
  status: { attention, attention_count: count },
  reload,
}: OfStatus & { readonly reload: () => void }): JSX.Element | null {
  const others = attention.slice(1);
  if (others.length === 0) return null;
  return (
    <Section title={texts.attention}>
      <ol class="attention-list">
        {others.map((entry) => (
          <AttentionEntry key={entry.code + entry.message} entry={entry} onDone={reload} />
        ))}
      </ol>
      {count > attention.length && (
        <p class="small muted">{texts.more(formatNumber(count - attention.length))}</p>
      )}
    </Section>
  );
}

function AttentionEntry({
  entry: { severity, message, since, action },
  onDone,
}: {
  readonly entry: Attention;
  readonly onDone: () => void;
}): JSX.Element {
  return (
    <li>
      <Badge tone={STATE_TONES[severity]}>{texts.severity[severity]}</Badge>
      <div>
        <p>{message}</p>
        {since !== null && (
          <p class="small muted">
            <Time at={since} />
          </p>
        )}
      </div>
      {action && <ActionControl action={action} onDone={onDone} />}
    </li>
  );
}
