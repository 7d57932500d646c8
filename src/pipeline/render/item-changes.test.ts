/** The log of changed groups says what a comparison of all items finds, whatever changes the items. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../errors.ts";
import fc from "fast-check";
import { until } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { cases } from "../../../test/long.ts";
import { decide, decidedIn, shirt } from "../../../test/api/review-shop.ts";
import { runningApi, type Answer, type Shop } from "../../../test/api/running-api.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { changesSince } from "../../store/item-changes.ts";
import { eachItemKey, type ItemKey } from "../../store/items.ts";
import { proposeValue } from "../enrich/propose-value.ts";
import { FINGERPRINT_BYTES } from "./render-index.ts";

const api = closeAfterTests(await runningApi({ hasRenders: false }));

/** What a render compares of every item, by the sort key of its group. */
type Groups = ReadonlyMap<string, string>;
type Moment = { readonly snapshot: number; readonly groups: Groups };

function describeKey({ data, groupStart, groupEnd, idStart, idEnd, ...starts }: ItemKey) {
  const id = data.toString("utf8", idStart, idEnd);
  const group = groupStart < 0 ? null : data.toString("utf8", groupStart, groupEnd);
  const fingerprints = [starts.fingerprintStart, starts.sourceStart].map((at) =>
    at < 0 ? null : data.toString("hex", at, at + FINGERPRINT_BYTES),
  );
  return { sortKey: group ?? id, text: JSON.stringify([id, group !== null, ...fingerprints]) };
}

async function momentOf({ id }: Shop): Promise<Moment> {
  return api.db.session(async (session) =>
    session.snapshot(async (tx) => {
      const { snapshot = 0 } = (await findCatalog(tx, id)) ?? {};
      const groups = new Map<string, string>();
      for await (const keys of eachItemKey(session, id))
        for (const { sortKey, text } of keys.map(describeKey))
          groups.set(sortKey, `${groups.get(sortKey) ?? ""}${text}`);
      return { snapshot, groups };
    }),
  );
}

const inFeedOrder = (keys: Iterable<string>): string[] =>
  [...keys].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

function differences(before: Groups, after: Groups): string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return inFeedOrder([...all].filter((key) => before.get(key) !== after.get(key)));
}

/** Until nothing but renders, which this installation does not do, is left to do. */
async function settled({ id }: Shop): Promise<void> {
  await until(async () => {
    const open = await api.db.query({
      text: "select 1 from runs where catalog_id = $1 and kind <> 'render' and state in ('queued', 'running')",
      values: [id],
    });
    return open.length === 0;
  }, "all runs of the catalog");
}

/** What one case has done so far. */
type World = { readonly shop: Shop; source: string | null; decision: string | null };
type Operation = (world: World) => Promise<Answer | null>;

const IDS = ["a", "b", "c", "é", "Z", "\u{1F600}", "\uFF5E"];
const anyProduct = (ids: readonly string[]) =>
  fc
    .record({
      id: fc.constantFrom(...ids),
      group_id: fc.constantFrom(undefined, "b", "g", "h"),
      title: fc.constantFrom("Acme shirt", "Acme coat"),
      price: fc.constantFrom("9.50 EUR", "2.50 EUR"),
      categories: fc.constantFrom(undefined, ["Clothing > Shirts"]),
    })
    .map(({ id, ...more }) => shirt(id, more));
const anyProducts = (ids: readonly string[]) => fc.array(anyProduct(ids), { minLength: 1, maxLength: 5 });

const push =
  (method: "PUT" | "PATCH", body: unknown): Operation =>
  async ({ shop }) =>
    shop.call("/api/v1/catalog", { method, body });

/** The source has ids of its own and some of the pushed ones. */
const sync =
  (rows: readonly { readonly id: string; readonly group: string }[]): Operation =>
  async (world) => {
    const { shop } = world;
    const csv = rows.map(
      ({ id, group }, at) =>
        `${id},${group},Mug ${at % 2},https://shop.example/${id},https://shop.example/i,${at % 3}.50 EUR`,
    );
    const body = `id,item_group_id,title,link,image_link,price\n${csv.join("\n")}\n`;
    shop.answers({ kind: "file", body });
    return world.source === null ? null : shop.sync({}, { max_removed_ratio: 1 });
  };

const removeSource =
  (items: "keep" | "remove"): Operation =>
  async (world) => {
    const { shop, source } = world;
    if (source === null) return null;
    world.source = null;
    return shop.call("/api/v1/sources", { method: "DELETE", body: { id: source, items } });
  };

const RULES = [
  [],
  [{ name: "Condition", action: { type: "default", field: "condition", value: "used" } }],
  [
    {
      name: "Cheap",
      when: { all: [{ field: "price", operator: "less_than", value: "5 EUR" }] },
      action: { type: "set", field: "title", value: "Cheap" },
    },
  ],
] as const;

const setRules =
  (rules: (typeof RULES)[number]): Operation =>
  async ({ shop }) =>
    shop.call("/api/v1/rules", { method: "PUT", body: { rules } });

const mapCategory =
  (category: string | null): Operation =>
  async ({ shop }) =>
    shop.call("/api/v1/categories", {
      method: "PUT",
      body: { mappings: [{ path: "Clothing > Shirts", category }] },
    });

const approve =
  (itemId: string): Operation =>
  async (world) => {
    const { shop } = world;
    const [item] = await api.db.query<{ title: string }>({
      text: "select body::json ->> 'title' as title from items where catalog_id = $1 and id = $2",
      values: [shop.id, itemId],
    });
    if (!item?.title.startsWith("Acme")) return null;
    const evidence = [{ field: "title" as const, text: "Acme" }];
    const value = { item_id: itemId, field: "brand" as const, value: "Acme", evidence, reason: "?" };
    // A value that the item has already is refused.
    const proposed = await proposeValue(api.db, shop.id, value).catch((error: unknown) => {
      if (error instanceof AppError) return null;
      throw error;
    });
    if (!proposed) return null;
    const decided = await decide(shop, "approve", { ids: [proposed.id] });
    world.decision = decided.status === 200 ? decidedIn(decided).decision_id : world.decision;
    return decided;
  };

const undo: Operation = async (world) => {
  const { shop, decision } = world;
  if (decision === null) return null;
  world.decision = null;
  return decide(shop, "withdraw", { decision_id: decision });
};

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  anyProducts(IDS).map((products) => push("PUT", products)),
  { weight: 3, arbitrary: anyProducts(IDS).map((products) => push("PATCH", products)) },
  fc.constantFrom(...IDS).map((id) => push("PATCH", [{ id, delete: true }])),
  {
    weight: 3,
    arbitrary: fc
      .uniqueArray(
        fc.record({ id: fc.constantFrom("a", "m1", "m2", "m3"), group: fc.constantFrom("", "g", "m") }),
        { minLength: 1, selector: ({ id }) => id },
      )
      .map(sync),
  },
  fc.constantFrom("keep" as const, "remove" as const).map(removeSource),
  fc.constantFrom(...RULES).map(setRules),
  fc.constantFrom("212", "1604", null).map(mapCategory),
  fc.constantFrom(...IDS).map(approve),
  fc.constant(undo),
);

test("the log has the groups that a comparison of all items finds, since each earlier snapshot", async () => {
  let logged = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { minLength: 4, maxLength: 8 }), async (operations) => {
      const shop = await api.openShop();
      const world: World = { shop, source: shop.sourceId, decision: null };
      await push(
        "PUT",
        IDS.slice(0, 4).map((id) => shirt(id)),
      )(world);
      await settled(shop);
      const moments = [await momentOf(shop)];
      for (const operation of operations) {
        const answer = await operation(world);
        assert.ok((answer?.status ?? 200) === 200, answer?.text ?? "");
        await settled(shop);
        const now = await momentOf(shop);
        for (const [at, before] of moments.entries()) {
          const keys = await changesSince(api.db, shop.id ?? "", before.snapshot);
          // The first items of an empty catalog are not listed.
          const mayBeUnknown = moments.slice(at).some(({ groups }) => groups.size === 0);
          if (keys === undefined && mayBeUnknown) continue;
          assert.ok(keys, "the log cannot tell");
          assert.deepEqual(keys, inFeedOrder(new Set(keys)));
          const expected = differences(before.groups, now.groups);
          // Since several changes ago, a group may be as it was then.
          if (at === moments.length - 1) assert.deepEqual(keys, expected);
          else
            assert.deepEqual(
              expected.filter((key) => !keys.includes(key)),
              [],
            );
          logged += keys.length;
        }
        moments.push(now);
      }
    }),
    { numRuns: cases(25) },
  );
  assert.ok(logged > 0);
});
