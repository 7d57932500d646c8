/** What a sync would do: rows, items, feeds, findings, and whether the files would be published. */
import type { JSX } from "preact";
import type { NamedItem } from "../../../src/contract/plans.ts";
import type { RunAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatNumber } from "../format.ts";
import { syncPlanText as t } from "../messages/plan.ts";
import { Link, navigate } from "../router.tsx";
import { useRuleTitles } from "../use-rule-titles.ts";
import { ActionButton } from "./buttons.tsx";
import { ItemLink } from "./item-link.tsx";
import { PlanExamples, PlanFiguresList, PlanFindings, PlanOutcome } from "./plan-result.tsx";
import { startSync, trySync } from "./source-actions.tsx";
import { Table } from "./table.tsx";
import { Section, Stats } from "./ui.tsx";

type Report = NonNullable<Wire<typeof RunAnswer>["data"]["dry_run"]>;

export function SyncPlanResult({
  report: { stats, plan },
  sourceId,
}: {
  readonly report: Report;
  readonly sourceId: string;
}): JSX.Element {
  const titles = useRuleTitles();
  return (
    <>
      <p>{t.intro}</p>
      <PlanOutcome guard={plan.guard} />
      <Actions sourceId={sourceId} />
      <Stats
        entries={[
          { name: t.rows, value: formatNumber(stats.seen) },
          { name: t.newItems, value: formatNumber(plan.new_items) },
          { name: t.changedItems, value: formatNumber(plan.changed_items) },
          { name: t.removedItems, value: formatNumber(stats.removed) },
          { name: t.rejected, value: formatNumber(stats.rejected) },
        ]}
      />
      <Section title={t.feeds}>
        <PlanFiguresList plan={plan} />
      </Section>
      <Section title={t.findings}>
        <PlanFindings plan={plan} titles={titles} />
      </Section>
      {plan.examples.length > 0 && (
        <Section title={t.examples}>
          <PlanExamples of={plan.examples} />
        </Section>
      )}
      <Named title={t.newItems} items={plan.new_examples} count={plan.new_items} />
      <Named title={t.removedItems} items={plan.removed_examples} count={stats.removed} isLinked />
    </>
  );
}

function Actions({ sourceId }: { readonly sourceId: string }): JSX.Element {
  const catalog = useThisCatalog();
  const open = (run: string) => navigate(catalog.href(`/runs/${run}`));
  return (
    <div class="buttons">
      <ActionButton scope="write" kind="primary" act={async () => open(await startSync(catalog, sourceId))}>
        {t.sync}
      </ActionButton>
      <ActionButton scope="write" act={async () => open(await trySync(catalog, sourceId))}>
        {t.again}
      </ActionButton>
      <Link href={catalog.href(`/sources/${sourceId}`)}>{t.source}</Link>
    </div>
  );
}

function Named({
  title,
  items,
  count,
  isLinked = false,
}: {
  readonly title: string;
  readonly items: readonly NamedItem[];
  readonly count: number;
  /** New items have no page yet. */
  readonly isLinked?: boolean;
}): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      <Table
        label={t.tableOf(title)}
        rows={items}
        keyOf={({ item_id: id }) => id}
        columns={[
          {
            head: t.item,
            kind: "heading",
            cell: ({ item_id: id }) => (isLinked ? <ItemLink id={id} /> : <span class="id">{id}</span>),
          },
          { head: t.title, kind: "text", cell: ({ title: name }) => name },
        ]}
      />
      {count > items.length && <p class="small muted">{t.listed(items.length, formatNumber(count))}</p>}
    </Section>
  );
}
