import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "../catalog/item.ts";
import { auditAll } from "./any-catalog.fixture.ts";
import { openAudit } from "./audit.ts";
import { groupsOf, patched, PERFECT } from "./perfect.fixture.ts";

const DAY_MS = 86_400_000;
const START = PERFECT.context.asOf.getTime();
/** Days before and after the audit, some of them at the limits of rules. */
const anyMoment = fc
  .oneof(fc.integer({ min: -400, max: 800 }), fc.constantFrom(0, 1, 29, 30, 31, 364, 365, 366))
  .map((days) => new Date(START + days * DAY_MS).toISOString());
const maybe = fc.option(anyMoment, { nil: undefined });

const anyDates = fc.record({ saleTo: maybe, expiresAt: maybe, availabilityDate: maybe });
const anyDatedItems = fc.array(anyDates, { minLength: 1, maxLength: 3 }).map((dates) =>
  dates.map((patch, at): Item => {
    const base = PERFECT.items[at % PERFECT.items.length] ?? assert.fail();
    const price = { amount: "1.00", currency: base.price.currency };
    const sale = patch.saleTo === undefined ? {} : { salePrice: price };
    const waits = patch.availabilityDate === undefined ? {} : { availability: "preorder" as const };
    return patched(base, { ...patch, ...sale, ...waits, id: `item-${at}`, groupId: undefined });
  }),
);

const at = (items: readonly Item[], asOf: Date, lastSyncAt: Date | null) => ({
  ...PERFECT,
  items,
  context: { ...PERFECT.context, asOf, freshness: { lastSyncAt, intervalS: 21_600 } },
});

test("until sameUntil, a later audit of the same catalog has the same result", () => {
  fc.assert(
    fc.property(anyDatedItems, fc.double({ min: 0, max: 0.999, noNaN: true }), (items, share) => {
      const catalog = at(items, PERFECT.context.asOf, PERFECT.context.asOf);
      const audit = openAudit(catalog.context);
      for (const group of groupsOf(items)) audit.group(group);
      const until = Date.parse(audit.sameUntil() ?? assert.fail("syncs go stale, so there is a moment"));
      const later = at(items, new Date(START + Math.floor((until - START) * share)), PERFECT.context.asOf);

      const [now, then] = [auditAll(catalog), auditAll(later)];

      assert.deepEqual(then.verdicts, now.verdicts);
      assert.deepEqual({ ...then.report, as_of: "" }, { ...now.report, as_of: "" });
    }),
    { numRuns: 120 },
  );
});

test("without dates and schedule, sameUntil is null", () => {
  const audit = openAudit({ ...PERFECT.context, freshness: { lastSyncAt: null, intervalS: null } });
  for (const group of groupsOf(
    PERFECT.items.map((one) =>
      patched(one, { expiresAt: undefined, saleTo: undefined, availabilityDate: undefined }),
    ),
  )) {
    audit.group(group);
  }

  assert.equal(audit.sameUntil(), null);
});
