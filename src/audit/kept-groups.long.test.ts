/** An audit that keeps the groups of the previous one that did not change has exactly the same result as a complete one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item, ItemGroup } from "../catalog/item.ts";
import { anyRuledCatalog } from "./any-catalog.fixture.ts";
import type { Audit } from "./audit.ts";
import { openAudit } from "./audit.ts";
import type { AuditContext } from "./audit-context.ts";
import { MarketChanged } from "./catalog-tables.ts";
import type { Examples } from "./counters.ts";
import { groupsOf, PERFECT } from "./perfect.fixture.ts";

type Recorded = {
  readonly group: ItemGroup;
  readonly lookups: Buffer;
  readonly outcomes: Buffer;
  readonly sameUntil: string | null;
};

function recordOf(audit: Audit, group: ItemGroup): Recorded {
  const { lookups, outcomes, sameUntil } = audit.record();
  return { group, lookups: Buffer.from(lookups), outcomes: Buffer.from(outcomes), sameUntil };
}

type Audited = { readonly records: readonly Recorded[]; readonly examples: Examples };

const keyOf = ({ groupId, items }: ItemGroup): string => `${groupId ?? items[0]?.id}\t${groupId === null}`;

/** As a render does it: kept groups are those with equal items, in the order of the new catalog. */
function auditAgain(context: AuditContext, before: Audited, items: readonly Item[]) {
  const audit = openAudit(context, before.examples);
  const earlier = new Map(before.records.map((record) => [keyOf(record.group), record]));
  const now = new Map(groupsOf(items).map((group) => [keyOf(group), group]));
  const keys = [...new Set([...earlier.keys(), ...now.keys()])].sort();
  const records: Recorded[] = [];
  let kept = 0;
  for (const key of keys) {
    const [record, group] = [earlier.get(key), now.get(key)];
    const isSame = record && group && JSON.stringify(record.group) === JSON.stringify(group);
    if (isSame && (record.sameUntil === null || record.sameUntil > context.asOf.toISOString())) {
      if (audit.keep({ ...record, idAt: (at) => group.items[at]?.id ?? "" })) {
        kept += 1;
        records.push(record);
        continue;
      }
      audit.keptGroup(group);
      records.push(recordOf(audit, group));
      continue;
    }
    if (group) {
      audit.group(group);
      records.push(recordOf(audit, group));
    }
    if (record) audit.replaced(record.lookups);
  }
  return { report: audit.finish(), records, examples: audit.examples(), sameUntil: audit.sameUntil(), kept };
}

const groupKey = ({ id, groupId }: Item): string => `${groupId ?? id}\t${groupId === undefined}\t${id}`;
const sorted = (items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (groupKey(a) < groupKey(b) ? -1 : 1));

const anyRuledItems = anyRuledCatalog.map(({ items }) => items);

/** Most items of a catalog are those of the one before. */
const anyEdits = fc
  .array(fc.tuple(anyRuledItems, fc.infiniteStream(fc.nat(9))), { minLength: 2, maxLength: 4 })
  .map((edits) => {
    let items: readonly Item[] = [];
    return edits.map(([others, random]) => {
      const kept = items.filter(() => Number(random.next().value) > 0);
      const ids = new Set(kept.map(({ id }) => id));
      items = sorted([...kept, ...others.filter(({ id }) => !ids.has(id)).slice(0, ids.size === 0 ? 12 : 2)]);
      return items;
    });
  });

const RUNS = 150;

for (const hasCurrency of [true, false]) {
  test(`${hasCurrency ? "with" : "without"} a configured currency, kept groups give the report of a complete audit`, () => {
    let [kept, marketChanges] = [0, 0];
    const { currency: _currency, ...withoutCurrency } = PERFECT.context.settings;
    const settings = hasCurrency ? PERFECT.context.settings : withoutCurrency;
    fc.assert(
      fc.property(anyEdits, fc.nat(200 * 86_400), (edits, seconds) => {
        let before: Audited = { records: [], examples: {} };
        for (const [at, items] of edits.entries()) {
          const asOf = new Date(PERFECT.context.asOf.getTime() + at * seconds * 1_000);
          const context = { settings, asOf, freshness: { lastSyncAt: asOf, intervalS: 21_600 } };
          const complete = auditAgain(context, { records: [], examples: {} }, items);
          try {
            const again = auditAgain(context, before, items);
            assert.deepEqual(again.report, complete.report);
            assert.deepEqual(again.examples, complete.examples);
            assert.equal(again.sameUntil, complete.sameUntil);
            assert.deepEqual(
              again.records.map(({ outcomes }) => outcomes),
              complete.records.map(({ outcomes }) => outcomes),
            );
            kept += again.kept;
            before = again;
          } catch (error) {
            if (!(error instanceof MarketChanged) || hasCurrency) throw error;
            marketChanges += 1;
            before = complete;
          }
        }
      }),
      { numRuns: RUNS },
    );
    assert.ok(kept > RUNS, `only ${kept} groups were kept`);
    assert.ok(marketChanges < RUNS / 2, `${marketChanges} audits had to be complete`);
  });
}
