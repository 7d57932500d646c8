/** Parts of the audit: the score, what limits it, its dimensions and channels. */
import type { JSX } from "preact";
import type { Audit, AuditsAnswer } from "../../../src/contract/audits.ts";
import type { Finding } from "../../../src/contract/findings.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatNumber } from "../format.ts";
import { auditText as t } from "../messages/audit.ts";
import { Link } from "../router.tsx";
import { Bar, LineChart } from "./chart.tsx";
import { Table } from "./table.tsx";
import { Badge, Facts, Notice, Section, Time } from "./ui.tsx";
import type { Tone } from "./ui.tsx";
import { formatGain } from "./waterfall.tsx";

export type AuditRule = Audit["rules"][number];
export type AuditSummary = AuditsAnswer["data"]["audits"][number];

const SEVERITY_TONES = { critical: "bad", major: "attention", minor: "neutral", info: "neutral" } as const;

export function Severity({ of }: { readonly of: Finding["severity"] }): JSX.Element {
  return (
    <span title={t.severityMeanings[of]}>
      <Badge tone={SEVERITY_TONES[of]}>{t.severities[of]}</Badge>
    </span>
  );
}

const gradeTone = (grade: Audit["grade"]): Tone =>
  grade === "A" || grade === "B" ? "ok" : grade === "C" ? "attention" : "bad";

export const ruleHref = (id: string): string => `/audit/${encodeURIComponent(id)}`;

export function RuleLink({ rule }: { readonly rule: Pick<AuditRule, "id" | "title"> }): JSX.Element {
  const { href } = useThisCatalog();
  return <Link href={href(ruleHref(rule.id))}>{rule.title}</Link>;
}

type Fix = Pick<AuditRule, "score_if_fixed" | "grade_if_fixed" | "gain"> &
  Partial<Pick<AuditRule, "gain_min" | "gain_max">>;

/** "89 (B) +10", with the range if other rules depend on the fix, or nothing where a fix alone gains nothing. */
export function Gain({
  of: { score_if_fixed: score, grade_if_fixed: grade, gain, gain_min: min = gain, gain_max: max = gain },
}: {
  readonly of: Fix;
}): JSX.Element {
  if (gain === 0) return <span class="muted">±0</span>;
  return (
    <>
      {t.problems.gain(score, grade)} <b>{formatGain(gain)}</b>
      {min !== max && (
        <span class="cell-note small muted">{t.problems.range(formatGain(min), formatGain(max))}</span>
      )}
    </>
  );
}

export function ScoreCard({ audit }: { readonly audit: Audit }): JSX.Element {
  const { catalog_score: score, previous_score: previous, grade, items, rejected, coverage } = audit;
  const change = previous === null ? null : score - previous;
  return (
    <div class="card">
      <p class="score-figure">
        <span class="visually-hidden">{t.score.label}</span>
        <span class="score-number">{score}</span>
        <span class="muted">{t.score.of}</span>
        <Badge tone={gradeTone(grade)}>{t.score.grade(grade)}</Badge>
      </p>
      <p>
        {change === null
          ? t.score.first
          : change === 0
            ? t.score.unchanged
            : t.score.changed(formatGain(change))}
      </p>
      <Facts
        entries={[
          [t.audited, <Time at={audit.created_at} />],
          [t.score.items, formatNumber(items)],
          [t.score.rejected, formatNumber(rejected)],
          [t.score.checks, `${formatNumber(coverage.judged)}, ${t.score.unknown(coverage.unknown)}`],
        ]}
      />
    </div>
  );
}

/** How many audits the table below the chart has. */
const MAX_FIGURES = 50;

export function ScoreHistory({ audits }: { readonly audits: readonly AuditSummary[] }): JSX.Element {
  const points = audits.toReversed().map((one) => ({ at: one.created_at, value: one.catalog_score }));
  return (
    <div class="card">
      <h2>{t.history.title}</h2>
      {points.length < 2 ? (
        <p class="muted">{t.history.few}</p>
      ) : (
        <>
          <LineChart label={t.history.title} points={points} range={[0, 100]} />
          {new Set(audits.map(({ ruleset }) => ruleset)).size > 1 && (
            <p class="small muted">{t.history.otherRules}</p>
          )}
          <details>
            <summary>{t.history.figures}</summary>
            <Table
              label={t.history.label}
              rows={audits.slice(0, MAX_FIGURES)}
              keyOf={(one) => one.run_id}
              columns={[
                { head: t.history.time, kind: "heading", cell: (one) => <Time at={one.created_at} /> },
                { head: t.history.score, kind: "number", cell: (one) => one.catalog_score },
                { head: t.history.grade, cell: ({ grade }) => grade },
                { head: t.history.items, kind: "number", cell: (one) => formatNumber(one.items) },
              ]}
            />
          </details>
        </>
      )}
    </div>
  );
}

/** The rule about rows that never became items. */
export const REJECTED = "eligibility.rejected";

/** The score below which the best grade is out of reach, whatever else is fixed. */
const BEST_GRADE = 90;

/** What refused items and rejected rows leave of the score. */
export function Ceiling({ audit }: { readonly audit: Audit }): JSX.Element {
  const { ceiling, refusals } = audit;
  return (
    <Section title={t.ceiling.title}>
      {refusals === null || ceiling === null ? (
        <p>{t.ceiling.none}</p>
      ) : (
        <Notice tone={ceiling.limit < BEST_GRADE ? "attention" : "neutral"}>
          <p>
            <b>{t.ceiling.atMost(ceiling.limit)}</b> {ceiling.reason}
          </p>
          <Causes audit={audit} refusals={refusals} />
        </Notice>
      )}
    </Section>
  );
}

function Causes({
  audit,
  refusals,
}: {
  readonly audit: Audit;
  readonly refusals: NonNullable<Audit["refusals"]>;
}): JSX.Element {
  const { score_if_fixed: score, grade_if_fixed: grade, gain } = refusals;
  const rules = refusals.rules.flatMap((id) => audit.rules.find((rule) => rule.id === id) ?? []);
  return (
    <>
      <p>{gain > 0 ? t.ceiling.ifFixed(score, grade, formatGain(gain)) : t.ceiling.causes}</p>
      <ul class="plain-list">
        {rules.map((rule) => (
          <li key={rule.id}>
            <RuleLink rule={rule} />
            {": "}
            {rule.id === REJECTED ? t.ceiling.rejected(rule.refused) : t.ceiling.refused(rule.refused)}
            {rule.gain > 0 && `, ${t.ceiling.alone(formatGain(rule.gain))}`}
          </li>
        ))}
      </ul>
    </>
  );
}

const barTone = (score: number) => (score >= 90 ? "ok" : score >= 70 ? "attention" : "bad");

export function Dimensions({ audit }: { readonly audit: Audit }): JSX.Element {
  return (
    <Section title={t.dimensions.title}>
      <Table
        label={t.dimensions.label}
        rows={audit.dimensions}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t.dimensions.dimension,
            kind: "heading",
            cell: ({ id, title }) => (
              <>
                {title}
                <span class="cell-note small muted">{t.dimensions.questions[id]}</span>
              </>
            ),
          },
          {
            head: t.dimensions.share,
            cell: ({ score }) => (score === null ? "" : <ScoreBar score={score} />),
          },
          {
            head: t.dimensions.score,
            kind: "number",
            cell: ({ score }) => score ?? <span class="muted">{t.dimensions.notJudged}</span>,
          },
          {
            head: t.dimensions.lost,
            kind: "number",
            cell: ({ lost, stake }) => t.dimensions.of(lost.toFixed(2), stake.toFixed(2)),
          },
        ]}
      />
    </Section>
  );
}

const ScoreBar = ({ score }: { readonly score: number }): JSX.Element => (
  <span class="bar-cell">
    <Bar part={score / 100} kind={barTone(score)} />
  </span>
);

export function Channels({ audit }: { readonly audit: Audit }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Section title={t.channels.title}>
      <p class="small muted">{t.channels.note}</p>
      <Table
        label={t.channels.label}
        rows={audit.formats}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t.channels.channel,
            kind: "heading",
            cell: ({ id, files }) => (
              <>
                <Link href={href(`/audit?channel=${id}#problems`)}>{t.channels.names[id]}</Link>
                <span class="cell-note small muted">{files.join(", ")}</span>
              </>
            ),
          },
          { head: t.dimensions.share, cell: ({ score }) => <ScoreBar score={score} /> },
          { head: t.channels.score, kind: "number", cell: ({ score }) => score },
          {
            head: t.channels.ready,
            kind: "number",
            cell: ({ ready, total }) => t.channels.readyOf(ready, total),
          },
          {
            head: t.channels.refused,
            kind: "number",
            cell: ({ refusals }) => formatNumber(refusals?.items ?? 0),
          },
          {
            head: t.channels.ifFixed,
            kind: "number",
            cell: ({ refusals }) => (refusals ? <Gain of={refusals} /> : ""),
          },
        ]}
      />
    </Section>
  );
}
