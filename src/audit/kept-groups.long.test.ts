/** An audit that keeps the groups of the previous one that did not change has exactly the same result as a complete one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item, ItemGroup } from "../catalog/item.ts";
import { anyRuledCatalog } from "./any-catalog.fixture.ts";
import {
  type Auditor,
  type AuditState,
  canRestrict,
  type EarlierGroup,
  openAudit,
  placeOf,
  type PreviousAudit,
} from "./audit.ts";
import type { AuditContext } from "./audit-context.ts";
import { areSameLookups, lookupKeys, MarketChanged, setsCurrency } from "./catalog-tables.ts";
import { groupsOf, PERFECT } from "./perfect.fixture.ts";

type Recorded = EarlierGroup & { readonly group: ItemGroup; readonly sameUntil: string | null };

function recordOf(audit: Auditor, group: ItemGroup): Recorded {
  const { lookups, outcomes, sameUntil } = audit.record();
  return {
    group,
    place: placeOf(group),
    lookups: Buffer.from(lookups),
    outcomes: Buffer.from(outcomes),
    sameUntil,
  };
}

type Audited = { readonly records: readonly Recorded[]; readonly state: AuditState | null };

const keyOf = ({ groupId, items }: ItemGroup): string => `${groupId ?? items[0]?.id}\t${groupId === null}`;

/** The groups of both catalogs, in feed order. */
function pairsOf({ records }: Audited, items: readonly Item[]) {
  const earlier = new Map(records.map((record) => [keyOf(record.group), record]));
  const now = new Map(groupsOf(items).map((group) => [keyOf(group), group]));
  const keys = [...new Set([...earlier.keys(), ...now.keys()])].sort();
  return keys.map((key) => ({ record: earlier.get(key), group: now.get(key) }));
}

type Pair = ReturnType<typeof pairsOf>[number];

const isSame = ({ record, group }: Pair, asOf: Date): boolean =>
  record !== undefined &&
  group !== undefined &&
  JSON.stringify(record.group) === JSON.stringify(group) &&
  (record.sameUntil === null || record.sameUntil > asOf.toISOString());

/** The lookups of changed groups, as a render finds them out, and the changed groups that look up what they did before. */
function affectedBy(context: AuditContext, pairs: readonly Pair[]) {
  const affected = new Set<string>();
  const alike = new Set<ItemGroup>();
  for (const pair of pairs.filter((one) => !isSame(one, context.asOf))) {
    const { record, group } = pair;
    const trial = openAudit(context);
    if (group) trial.group(group);
    const lookups = group ? Buffer.from(trial.record().lookups) : Buffer.alloc(0);
    if (group && record && areSameLookups(record.lookups, lookups)) alike.add(group);
    else
      for (const log of [lookups, record?.lookups ?? Buffer.alloc(0)])
        for (const key of lookupKeys(log)) affected.add(key);
  }
  return { affected, alike };
}

/** As a render does it. `isRestricted`: only groups are visited that changed or that look up what a changed group looks up. */
function auditAgain(context: AuditContext, before: Audited, items: readonly Item[], isRestricted: boolean) {
  const pairs = pairsOf(before, items);
  const { affected, alike } = affectedBy(context, pairs);
  const { outcomes = null, ...state } = before.state ?? { examples: {}, tableKeys: [] };
  const visitsFew = isRestricted && canRestrict(state, affected.size);
  const previous: PreviousAudit | undefined = outcomes
    ? { ...state, outcomes, affected: visitsFew ? affected : null }
    : undefined;
  const audit = openAudit(context, previous);
  const records: Recorded[] = [];
  const kept: Recorded[] = [];
  for (const pair of pairs) {
    const { record, group } = pair;
    if (record && group && previous && isSame(pair, context.asOf)) {
      const mustVisit =
        !visitsFew ||
        setsCurrency(record.lookups) ||
        [...lookupKeys(record.lookups)].some((key) => affected.has(key));
      if (!mustVisit || audit.keep(record.lookups)) {
        kept.push(record);
        records.push(record);
        continue;
      }
      audit.keptGroup(group, record);
      records.push(recordOf(audit, group));
      continue;
    }
    if (group) {
      if (visitsFew && record && alike.has(group)) audit.groupLike(group, record.lookups);
      else audit.group(group);
      records.push(recordOf(audit, group));
    }
    if (record) audit.replaced(record);
  }
  if (audit.examplesFrom() !== undefined)
    for (const record of kept) if (audit.needsExample(record)) audit.exampleGroup(record.group, record);
  return { report: audit.finish(), records, state: audit.state(), kept: kept.length };
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

for (const hasCurrency of [true, false])
  for (const isRestricted of [true, false]) {
    const currency = `${hasCurrency ? "with" : "without"} a configured currency`;
    const visited = isRestricted ? "that visits only affected groups" : "that visits all groups";
    test(`${currency}, an audit ${visited} gives the report of a complete one`, () => {
      let [kept, marketChanges] = [0, 0];
      const { currency: _currency, ...withoutCurrency } = PERFECT.context.settings;
      const settings = hasCurrency ? PERFECT.context.settings : withoutCurrency;
      fc.assert(
        fc.property(anyEdits, fc.nat(200 * 86_400), (edits, seconds) => {
          let before: Audited = { records: [], state: null };
          for (const [at, items] of edits.entries()) {
            const asOf = new Date(PERFECT.context.asOf.getTime() + at * seconds * 1_000);
            const context = { settings, asOf, freshness: { lastSyncAt: asOf, intervalS: 21_600 } };
            const complete = auditAgain(context, { records: [], state: null }, items, false);
            try {
              const again = auditAgain(context, before, items, isRestricted);
              assert.deepEqual(again.report, complete.report);
              assert.deepEqual(again.state.examples, complete.state.examples);
              assert.deepEqual(again.state.outcomes, complete.state.outcomes);
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
