/** The result of a dry run: score, rows and findings before and after, and some of the items. */
import type { JSX } from "preact";
import type { ChangedItem, Plan, PlanFigures } from "../../../src/contract/plans.ts";
import { formatNumber } from "../format.ts";
import { formatPoints, fieldName } from "../messages/proposals.ts";
import { planText as t } from "../messages/plan.ts";
import { ItemLink } from "./item-link.tsx";
import { LongText } from "./long-text.tsx";
import { Table } from "./table.tsx";
import { Notice, Stats } from "./ui.tsx";

export function PlanResult({
  plan,
  titles,
}: {
  readonly plan: Plan;
  /** Of the rules of the audit. */
  readonly titles: ReadonlyMap<string, string>;
}): JSX.Element {
  const { changed_items: changed, refused_values: refused, refusals } = plan;
  return (
    <div class="plan">
      <p>
        <b>{t.changed(changed)}</b> {t.nothingStored}
      </p>
      <PlanOutcome guard={plan.guard} />
      <PlanFiguresList plan={plan} />
      {refused > 0 && (
        <Notice tone="attention">
          <p>{t.refused(refused)}</p>
          <ul class="plain-list">
            {refusals.map(({ item_id: item, message }) => (
              <li key={item + message}>{t.refusal(item, message)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <PlanFindings plan={plan} titles={titles} />
      {plan.examples.length > 0 && <PlanExamples of={plan.examples} />}
    </div>
  );
}

/** What the publish guard would say. */
export function PlanOutcome({ guard }: Pick<Plan, "guard">): JSX.Element | null {
  if (guard === null) return null;
  if (guard.exceeded.length === 0) return <Notice tone="ok">{t.published}</Notice>;
  return (
    <Notice tone="attention">
      <p>{guard.held ? t.held : t.exceeded}</p>
      <ul class="plain-list">
        {guard.exceeded.map(({ limit, message }) => (
          <li key={limit + message}>{message}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** "88 → 90", or the number alone if it stays. */
const change = (before: string, after: string): string => (before === after ? after : `${before} → ${after}`);

const score = ({ score: points, grade }: PlanFigures) =>
  points === null ? t.notScored : `${points} (${grade ?? ""})`;
const ceilingText = ({ score: points, ceiling }: PlanFigures) =>
  ceiling != null && points === ceiling.limit ? t.ceiling(ceiling.limit, ceiling.reason) : "";
const rowsIn = ({ files }: PlanFigures, file: string) => formatNumber(files[file]?.written ?? 0);

/** The score and the rows of each file, before and after. */
export function PlanFiguresList({
  plan: { before, after, gain },
}: {
  readonly plan: Pick<Plan, "before" | "after" | "gain">;
}): JSX.Element {
  return (
    <Stats
      entries={[
        {
          name: t.score,
          value: change(score(before), score(after)),
          note: `${formatPoints(gain)} ${t.points}${ceilingText(after)}`,
        },
        ...Object.keys(after.files).map((file) => ({
          name: t.rows(file),
          value: change(rowsIn(before, file), rowsIn(after, file)),
        })),
      ]}
    />
  );
}

/** How many findings there would be, where the number changes. */
export function PlanFindings({
  plan: { before, after },
  titles,
}: {
  readonly plan: Pick<Plan, "before" | "after">;
  readonly titles: ReadonlyMap<string, string>;
}): JSX.Element {
  const rules = [...new Set([...Object.keys(before.findings), ...Object.keys(after.findings)])];
  const rows = rules
    .map((rule) => ({ rule, was: before.findings[rule] ?? 0, is: after.findings[rule] ?? 0 }))
    .filter(({ was, is }) => was !== is)
    .sort((a, b) => a.is - a.was - (b.is - b.was));
  if (rows.length === 0) return <p class="muted">{t.noFindings}</p>;
  return (
    <Table
      label={t.findings}
      rows={rows}
      keyOf={({ rule }) => rule}
      columns={[
        { head: t.finding, kind: "heading", cell: ({ rule }) => titles.get(rule) ?? <code>{rule}</code> },
        { head: t.before, kind: "number", cell: ({ was }) => formatNumber(was) },
        { head: t.after, kind: "number", cell: ({ is }) => formatNumber(is) },
        {
          head: t.difference,
          kind: "number",
          cell: ({ was, is }) => `${is < was ? "−" : "+"}${formatNumber(Math.abs(is - was))}`,
        },
      ]}
    />
  );
}

const valueText = (value: string | null) =>
  value === null ? <span class="muted">{t.none}</span> : <LongText text={value} />;

/** Some items with their values before and after. */
export function PlanExamples({ of: items }: { readonly of: readonly ChangedItem[] }): JSX.Element {
  const rows = items.flatMap(({ item_id: id, changes }) => changes.map((one) => ({ id, ...one })));
  return (
    <Table
      label={t.examples(items.length)}
      rows={rows}
      keyOf={({ id, field }) => `${id} ${field}`}
      columns={[
        { head: t.item, kind: "heading", cell: ({ id }) => <ItemLink id={id} /> },
        { head: t.field, cell: ({ field }) => fieldName(field) },
        { head: t.before, kind: "text", cell: ({ before }) => valueText(before) },
        { head: t.after, kind: "text", cell: ({ after }) => valueText(after) },
      ]}
    />
  );
}
