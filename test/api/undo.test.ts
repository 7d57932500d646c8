/** Undoing a decision brings back exactly what was before: states, values and the bytes of the feeds. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { FEED_FILES } from "../../src/channels/registry.ts";
import { proposeValue } from "../../src/pipeline/enrich/propose-value.ts";
import { closeAfterTests } from "../close-after.ts";
import { isLong } from "../long.ts";
import {
  approve,
  column,
  decide,
  decidedIn,
  groupOf,
  groupsOf,
  push,
  reviewing,
  shirt,
} from "./review-shop.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const { look, openShop, stateOf } = reviewing(api);

/** Two of the files say when the items have changed last. */
const TIME_OF_SNAPSHOT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Every decision and every byte. */
async function everything(shop: Shop): Promise<object> {
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
  const files: string[] = [];
  for (const file of FEED_FILES)
    files.push(hash("sha256", (await shop.fetch(file)).text.replaceAll(TIME_OF_SNAPSHOT, "")));
  const proposals = await api.db.query({
    text: `select id, state, value, encode(source_hash, 'hex') as basis, encode(conflict_hash, 'hex') as conflict, decided_at,
                  key_id, reason, decision_id from proposals where catalog_id = $1 order by id`,
    values: [shop.id],
  });
  const { counts } = await groupsOf(shop);
  return { files, proposals, counts };
}

const undo = async (shop: Shop, decided: Answer): Promise<Answer> =>
  decide(shop, "withdraw", { decision_id: decidedIn(decided).decision_id });

async function assertUndone(shop: Shop, act: () => Promise<Answer>): Promise<void> {
  const before = await everything(shop);
  const decided = await act();
  assert.equal(decided.status, 200, decided.text);
  assert.notDeepEqual(await everything(shop), before);

  const undone = await undo(shop, decided);

  assert.equal(undone.status, 200, undone.text);
  assert.equal(decidedIn(undone).decided, decidedIn(decided).decided);
  assert.deepEqual(await everything(shop), before);
}

async function propose(shop: Shop, itemId: string, brand: string): Promise<string> {
  const quote = { field: "title" as const, text: brand };
  const proposed = { item_id: itemId, field: "brand" as const, value: brand, evidence: [quote], reason: "?" };
  return (await proposeValue(api.db, shop.id, proposed)).id;
}

test("undoing the approval of the rest of a group leaves those that were approved before", async () => {
  const shop = await openShop();
  const { group, examples } = await groupOf(shop, "brand");
  const [first, second] = examples.map(({ id }) => id);
  await decide(shop, "approve", { ids: [first], reason: "Seen on the label." });

  await assertUndone(shop, async () => decide(shop, "approve", { group, expected: 1 }));

  assert.deepEqual([await stateOf(first ?? ""), await stateOf(second ?? "")], ["approved", "pending"]);
});

for (const verb of isLong ? ["approve", "reject", "withdraw"] : ["reject"])
  test(`undoing what was decided about a conflicted value (${verb}) keeps the value in force, and in review`, async () => {
    const shop = await openShop();
    const { examples } = await approve(shop, "brand");
    const { id } = examples.find(({ item_id: item }) => item === "c") ?? assert.fail();
    await push(shop, [{ id: "c", brand: "Acme Limited" }], "PATCH");
    assert.equal(await stateOf(id), "conflicted");

    await assertUndone(shop, async () => decide(shop, verb, { ids: [id] }));

    assert.equal((await column(shop, "brand"))["c"], "Acme");
  });

test("undoing an approval brings back the value that it replaced", async () => {
  const shop = await openShop([shirt("a", { brand: "Acme" }), shirt("b", { brand: "Acme" }), shirt("c")]);
  await approve(shop, "brand");
  const other = await propose(shop, "c", "shirt");

  await assertUndone(shop, async () => decide(shop, "approve", { ids: [other] }));

  assert.equal((await column(shop, "brand"))["c"], "Acme");
});

test("an undone change is not waiting to be published; one that was published is, once it is undone", async () => {
  const shop = await openShop();
  const unpublished = async (): Promise<unknown> =>
    ((await shop.call("/api/v1/feeds")).json as { data: { unpublished_changes?: number } }).data
      .unpublished_changes;
  const { group, items } = await groupOf(shop, "brand");

  const first = await decide(shop, "approve", { group, expected: items });
  await undo(shop, first);
  assert.equal(await unpublished(), undefined);
  const second = await decide(shop, "approve", { group, expected: items });
  await column(shop, "brand");
  await undo(shop, second);

  assert.equal(await unpublished(), items);
});

test("a decision is undone once; one that was decided on again, or is unknown, is not undone", async () => {
  const shop = await openShop();
  const { group, items } = await groupOf(shop, "brand");
  const first = await decide(shop, "approve", { group, expected: items });
  const undone = [decidedIn(await undo(shop, first)), decidedIn(await undo(shop, first))];
  const second = await decide(shop, "approve", { group, expected: items });
  await decide(shop, "withdraw", { group, expected: items });

  const late = await undo(shop, second);
  const unknown = await decide(shop, "withdraw", { decision_id: crypto.randomUUID() });
  const approved = await decide(shop, "approve", { decision_id: crypto.randomUUID() });
  const other = await (await openShop()).call("/api/v1/proposals/withdraw", {
    method: "POST",
    body: { decision_id: decidedIn(second).decision_id },
  });

  assert.deepEqual(
    undone.map(({ decided, unchanged }) => [decided, unchanged]),
    [
      [items, 0],
      [0, items],
    ],
  );
  assert.deepEqual([late.status, unknown.status, approved.status, other.status], [409, 404, 400, 404]);
  assert.equal((await groupOf(shop, "brand")).items, items);
});

test("decisions about the same proposals are undone one after the other, the last one first", async () => {
  const shop = await openShop();
  const { group, items } = await groupOf(shop, "brand");
  const before = await everything(shop);
  const made = [
    await decide(shop, "approve", { group, expected: items }),
    await decide(shop, "withdraw", { group, expected: items }),
    await decide(shop, "reject", { group, expected: items }),
  ];
  await look(shop);

  for (const decided of made.toReversed()) assert.equal((await undo(shop, decided)).status, 200);

  assert.deepEqual(await everything(shop), before);
});

test("a large group is approved and undone in steps, completely, and other decisions come in between", async () => {
  const size = 4_500;
  const shop = await api.openShop();
  await push(shop, [shirt("a", { brand: "Acme" })]);
  const text = `
    insert into proposals (id, catalog_id, item_id, field, value, source_hash, extractor, version, confidence, is_grounded, group_key)
    select gen_random_uuid(), $1, 'item-' || n, 'mpn', 'M-1', '\\x00', 'mpn', 1, 0.9, true, decode($2, 'hex')
      from generate_series(1, $3::int) n`;
  const [group, other] = ["11".repeat(16), "22".repeat(16)];
  await api.db.query({ text, values: [shop.id, group, size] });
  await api.db.query({ text: text.replace("'M-1'", "'M-2'"), values: [shop.id, other, 1] });
  const before = await groupsOf(shop);

  const [large, small] = await Promise.all([
    decide(shop, "approve", { group, expected: size }),
    decide(shop, "reject", { group: other, expected: 1 }),
  ]);
  const approved = (await groupsOf(shop)).counts;
  const undone = [await undo(shop, large), await undo(shop, small)];

  assert.deepEqual([decidedIn(large).decided, decidedIn(small).decided], [size, 1]);
  assert.deepEqual([approved["approved"], approved["rejected"]], [size, 1]);
  assert.deepEqual(
    undone.map((answer) => decidedIn(answer).decided),
    [size, 1],
  );
  assert.deepEqual((await groupsOf(shop)).counts, before.counts);
  const logged = await api.db.query({
    text: "select id from changes where catalog_id = $1 and call like '%proposals/%'",
    values: [shop.id],
  });
  assert.equal(logged.length, 4);
});
