/** A cause is named only if nothing else can have changed that column of the item. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cause } from "../../../contract/comparisons.ts";
import type { Rule } from "../../../contract/rules.ts";
import type { ChangingRun } from "../../../store/render-facts.ts";
import type { GroupEntry } from "../../render/render-index.ts";
import { type BetweenFacts, CauseFinder, type ItemKnowledge } from "./causes.ts";
import type { FileChange, ItemDifference } from "./compare-files.ts";
import type { CausingDecision } from "./decisions.ts";
import { fieldsChanged } from "./rule-changes.ts";

const NOTHING: BetweenFacts = {
  until: "2026-11-02T00:00:00.000Z",
  isReversed: false,
  runs: [],
  areRunsComplete: true,
  ruleChanges: [],
  mappedFields: null,
  dayFields: new Set(),
  variantFields: new Set(),
  isRepeated: false,
  hasUndone: false,
  changedSettings: [],
  isOtherRenderer: false,
};

const entry = (fingerprint: number, source: number): GroupEntry => ({
  bytes: 0,
  sortKey: Buffer.from("a"),
  isGrouped: false,
  ids: [Buffer.from("a")],
  fingerprints: Buffer.alloc(8, fingerprint),
  sources: Buffer.alloc(8, source),
  facts: Buffer.alloc(0),
  staleAt: null,
  sameUntil: null,
  staleMs: 0,
  sameUntilMs: 0,
  files: [],
  searchBytes: 0,
  refusalBytes: 0,
  lookups: Buffer.alloc(0),
  outcomes: Buffer.alloc(0),
});
const place = (of: GroupEntry) => ({
  id: Buffer.from("a"),
  entry: of,
  at: 0,
  offsets: { files: [], search: 0, refusals: 0 },
});

const change = (more: Partial<FileChange>): FileChange => ({
  file: "gmc.tsv",
  change: "changed",
  field: "brand",
  before: "Kiln",
  after: "Acme",
  ...more,
});

/** The cause of one change of an item; its source has not changed unless stated. */
function cause(
  facts: Partial<BetweenFacts>,
  of: FileChange,
  {
    decisions = [],
    hasSourceChanged = false,
  }: { decisions?: CausingDecision[]; hasSourceChanged?: boolean } = {},
): Cause | undefined {
  const [before, after] = [entry(1, 7), entry(2, hasSourceChanged ? 8 : 7)];
  const compared = { before: place(before), after: place(after) } as unknown as ItemDifference["compared"];
  const difference: ItemDifference = { id: "a", change: "changed", compared, changes: [of] };
  const known = new Map<string, ItemKnowledge>([["a", { decisions }]]);
  return new CauseFinder({ ...NOTHING, ...facts }).causesOf(difference, known)[0];
}

const decided = (more: Partial<CausingDecision> = {}): CausingDecision => ({
  id: "p",
  itemId: "a",
  field: "brand",
  value: "Acme",
  isCertain: true,
  ...more,
});

const rules = (...fields: string[]) => [{ version: 3, fields: new Set(fields) }];
const mappedFields = new Set(["google_category"]);
const PUSH = {
  id: "run",
  kind: "push",
  sourceId: null,
  upserted: 1,
  removed: 0,
  itemIds: null,
} as unknown as ChangingRun;

test("a rule is the cause only of columns that show what it sets", () => {
  assert.deepEqual(cause({ ruleChanges: rules("brand") }, change({})), { kind: "rule", version: 3 });
  const both = { ruleChanges: rules("condition"), mappedFields };
  assert.deepEqual(cause(both, change({ field: "condition" })), { kind: "rule", version: 3 });
  assert.deepEqual(cause(both, change({ field: "google_product_category" })), { kind: "category_mapping" });
  assert.deepEqual(cause(both, change({})), { kind: "unknown" }, "neither sets the brand");
});

test("an approved value is named if it is in the column, or if nothing else can have changed it", () => {
  const overlay = { kind: "overlay", proposal_id: "p" };
  const decisions = [decided()];
  assert.deepEqual(cause({ ruleChanges: rules("brand") }, change({}), { decisions }), overlay);
  assert.deepEqual(cause({ ruleChanges: rules("condition") }, change({}), { decisions }), overlay);
  const other = [decided({ value: "Bergen" })];
  assert.deepEqual(cause({ ruleChanges: rules("condition") }, change({}), { decisions: other }), overlay);
  assert.deepEqual(cause({ ruleChanges: rules("brand") }, change({}), { decisions: other }), {
    kind: "unknown",
  });
});

test("a decision that may have been made at another time is named only if nothing else is possible", () => {
  const decisions = [decided({ isCertain: false })];
  assert.deepEqual(cause({}, change({}), { decisions }), { kind: "overlay", proposal_id: "p" });
  assert.deepEqual(cause({ ruleChanges: rules("brand") }, change({}), { decisions }), { kind: "unknown" });
});

test("of an item whose source has changed, a column that rules can have changed has no known cause", () => {
  const facts = { runs: [PUSH], ruleChanges: rules("condition") };
  const source = { kind: "source", run_id: "run" };
  assert.deepEqual(cause(facts, change({}), { hasSourceChanged: true }), source);
  const condition = change({ field: "condition", before: null, after: "used" });
  assert.deepEqual(cause(facts, condition, { hasSourceChanged: true }), { kind: "unknown" });
});

test("an item that is in a file from now on has the cause of what was missing", () => {
  const added = { change: "added", field: null, before: null, after: null } as const;
  const missing = change({ ...added, leftOut: { included: false, code: "brand_missing", field: "brand" } });
  const facts = { ruleChanges: rules("condition"), mappedFields };
  assert.deepEqual(cause(facts, missing, { decisions: [decided()] }), { kind: "overlay", proposal_id: "p" });
  const excluded = change({ ...added, leftOut: { included: false, code: "excluded_by_rule", field: null } });
  assert.deepEqual(
    cause({ ruleChanges: rules("excluded"), mappedFields }, excluded, { decisions: [decided()] }),
    {
      kind: "rule",
      version: 3,
    },
  );
});

test("rules that are applied again because of other settings are no change of the rules or of mappings", () => {
  const facts = { isRepeated: true, changedSettings: ["currency"] };
  assert.deepEqual(cause(facts, change({})), { kind: "settings" });
  assert.deepEqual(cause({ isRepeated: true }, change({})), { kind: "unknown" });
});

test("other settings and another version of the program can have changed any column of an item whose source has changed", () => {
  const seller = change({ file: "acp.csv", field: "seller_name", before: "Kiln", after: "Kiln & Co." });
  const changed = { hasSourceChanged: true };
  assert.deepEqual(cause({ runs: [PUSH] }, seller, changed), { kind: "source", run_id: "run" });
  assert.deepEqual(cause({ runs: [PUSH], changedSettings: ["seller_name"] }, seller, changed), {
    kind: "unknown",
  });
  assert.deepEqual(cause({ runs: [PUSH], isOtherRenderer: true }, seller, changed), { kind: "unknown" });
});

test("a variant that is gone was removed by a run that has removed items", () => {
  const whole = {
    ...entry(1, 7),
    ids: [Buffer.from("a"), Buffer.from("b")],
    fingerprints: Buffer.alloc(16, 1),
  };
  const compared = {
    before: place(whole),
    after: place(entry(1, 7)),
  } as unknown as ItemDifference["compared"];
  const difference: ItemDifference = { id: "a", change: "changed", compared, changes: [change({})] };
  const removal = { ...PUSH, id: "removal", upserted: 0, removed: 1 };
  const finder = new CauseFinder({ ...NOTHING, runs: [PUSH, removal] });

  assert.deepEqual(finder.causesOf(difference, new Map()), [
    { kind: "source", run_id: "removal", item_id: "b" },
  ]);
});

test("another day is the cause of what rules set by counting days", () => {
  const facts = { dayFields: new Set(["custom_label0"]), isRepeated: true };
  const label = change({ field: "custom_label_0", before: "3 days left", after: "2 days left" });
  assert.deepEqual(cause(facts, label), { kind: "clock" });
  assert.deepEqual(cause(facts, change({})), { kind: "unknown" }, "no such rule sets the brand");
  const both = { ...facts, ruleChanges: rules("custom_label0") };
  assert.deepEqual(cause(both, label), { kind: "unknown" });
});

test("another variant is the cause of what rules set by comparing variants", () => {
  const group = (own: number, sibling: number): GroupEntry => ({
    ...entry(own, 7),
    ids: [Buffer.from("a"), Buffer.from("b")],
    fingerprints: Buffer.concat([Buffer.alloc(8, own), Buffer.alloc(8, sibling)]),
    sources: Buffer.concat([Buffer.alloc(8, 7), Buffer.alloc(8, sibling)]),
  });
  const label = change({ field: "custom_label_0", before: "cheapest", after: null });
  const causeIn = (facts: Partial<BetweenFacts>, sibling: number): Cause | undefined => {
    const [before, after] = [group(1, 5), group(2, sibling)];
    const compared = { before: place(before), after: place(after) } as unknown as ItemDifference["compared"];
    const difference: ItemDifference = { id: "a", change: "changed", compared, changes: [label] };
    return new CauseFinder({ ...NOTHING, ...facts }).causesOf(difference, new Map())[0];
  };
  const facts = { variantFields: new Set(["custom_label0"]), runs: [PUSH] };
  assert.deepEqual(causeIn(facts, 6), { kind: "source", run_id: "run", item_id: "b" });
  assert.deepEqual(causeIn(facts, 5), { kind: "unknown" }, "no variant has changed");
  assert.deepEqual(causeIn({ runs: [PUSH] }, 6), { kind: "unknown" }, "no rule compares variants");
  assert.deepEqual(causeIn({ ...facts, ruleChanges: rules("custom_label0") }, 6), { kind: "unknown" });
  const two = { ...facts, runs: [PUSH, { ...PUSH, id: "other" }] };
  assert.deepEqual(cause(two, label, { hasSourceChanged: true }), { kind: "source" }, "of either run");
});

const set = (name: string, field: string): Rule => ({ name, action: { type: "set", field, value: "x" } });

test("a change of the rules concerns the fields of changed rules, and of rules that read them", () => {
  const title = {
    name: "T",
    action: { type: "template", field: "title", text: "{brand | upper} mug" },
  } as Rule;
  const material = set("M", "material");
  const exclude = {
    name: "E",
    when: { all: [{ field: "title", operator: "contains", value: "x" }] },
    action: { type: "exclude" },
  } as Rule;
  const before = { rules: [material, title, exclude] };
  assert.deepEqual(
    fieldsChanged(before, { rules: [material, set("B", "brand"), title, exclude] }),
    new Set(["brand", "title", "excluded"]),
  );
  assert.deepEqual(fieldsChanged(before, before), new Set());
  assert.deepEqual(
    fieldsChanged(before, { rules: [title, material, exclude] }),
    new Set(["material", "title", "excluded"]),
    "in another order",
  );
  assert.deepEqual(
    fieldsChanged(before, { rules: [{ ...material, enabled: false }, title, exclude] }),
    new Set(["material"]),
  );
});

test("a change of rules also concerns what formulas and counted days make of the fields that they set", () => {
  const calculate = (field: string, formula: string): Rule => ({
    name: field,
    action: { type: "calculate", field, formula },
  });
  const cost: Rule = { name: "Cost", action: { type: "set", field: "cost", value: 5 } };
  const dependent = [calculate("shipping.DE", "max(cost, 3)"), calculate("custom_label0", "margin_percent")];
  const changed = fieldsChanged({ rules: dependent }, { rules: [cost, ...dependent] });
  assert.deepEqual(changed, new Set(["cost", "shipping", "custom_label0"]));

  const end: Rule = { name: "End", action: { type: "set", field: "availability_date", value: "2027-01-01" } };
  const label = calculate("custom_label1", "days_until.availability_date");
  assert.deepEqual(
    fieldsChanged({ rules: [label] }, { rules: [end, label] }),
    new Set(["availability_date", "custom_label1"]),
  );
});
