/** Approved values are bound to the texts that they were found in, and proposals to the items that were read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Proposal } from "../../src/contract/proposals.ts";
import { CatalogFactsCollector } from "../../src/enrich/extractors/catalog-facts.ts";
import { auditContext } from "../../src/pipeline/audit/pass.ts";
import { ProposalPass } from "../../src/pipeline/enrich/proposal-pass.ts";
import { ReadGroups } from "../../src/pipeline/enrich/read-groups.ts";
import { proposeValue } from "../../src/pipeline/enrich/propose-value.ts";
import { storedGroups } from "../../src/pipeline/render/item-groups.ts";
import { findCatalog } from "../../src/store/catalogs.ts";
import { sql } from "../../src/store/sql.ts";
import { closeAfterTests } from "../close-after.ts";
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
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const { look, openShop, stateOf } = reviewing(api);

const approvedOf = async (shop: Shop, field: string, itemId: string): Promise<Proposal> =>
  (await approve(shop, field)).examples.find(({ item_id: id }) => id === itemId) ?? assert.fail();

const phone = (title: string, more: object = {}): object => shirt("phone", { title, ...more });

test("a condition from a title goes back to review when the title changes, and stays in force until then", async () => {
  const shop = await openShop([phone("Acme phone, refurbished")]);
  const { id } = await approvedOf(shop, "condition", "phone");

  await push(shop, [phone("Acme phone, refurbished", { description: "Other words." })]);
  assert.equal(await stateOf(id), "approved");
  await push(shop, [phone("Acme phone, not refurbished")]);

  const { conflict, value } = (await groupOf(shop, "condition", "conflicted")).examples[0] ?? {};
  assert.deepEqual([conflict, value], ["evidence", "refurbished"]);
  assert.equal((await column(shop, "condition"))["phone"], "refurbished");
  assert.equal((await decide(shop, "approve", { ids: [id] })).status, 200);
  await push(shop, [phone("Acme phone, not refurbished", { price: "3.00 EUR" })]);
  assert.equal(await stateOf(id), "approved");
  await push(shop, [phone("Acme phone")]);
  assert.equal(await stateOf(id), "conflicted");
  await decide(shop, "reject", { ids: [id] });
  assert.equal((await column(shop, "condition"))["phone"], "");
});

test("a text that goes back to what it was ends the conflict", async () => {
  const shop = await openShop([phone("Acme phone, refurbished")]);
  const { id } = await approvedOf(shop, "condition", "phone");

  await push(shop, [phone("Acme phone, pre-owned")]);
  assert.equal(await stateOf(id), "conflicted");
  await push(shop, [phone("Acme phone, refurbished")]);

  assert.equal(await stateOf(id), "approved");
});

test("an attribute that stands at another place is the same evidence; another value is not", async () => {
  const details = (...values: readonly string[]) =>
    values.map((value, at) => ({ name: `Color${at}`, value }));
  const color = (list: readonly object[]) => [shirt("x", { details: list })];
  const shop = await openShop(color([{ name: "Color", value: "Blue" }, ...details("12")]));
  const { id } = await approvedOf(shop, "color", "x");

  await push(shop, color([...details("12"), { name: "Color", value: "Blue" }]));
  assert.equal(await stateOf(id), "approved");
  await push(shop, color([...details("12"), { name: "Color", value: "Green" }]));

  assert.equal(await stateOf(id), "conflicted");
  assert.equal((await column(shop, "color"))["x"], "Blue");
});

const variant = (id: string, brand?: string): object =>
  shirt(id, { title: "A shirt", group_id: "shirts", ...(brand !== undefined && { brand }) });

test("a brand from a variant goes back to review when that variant changes, and not when it is gone", async () => {
  const shop = await openShop([variant("a", "Acme"), variant("b", "Acme"), variant("c")]);
  const { id, evidence } = await approvedOf(shop, "brand", "c");
  assert.equal(evidence[0]?.item_id, "a");

  await push(shop, [{ id: "a", delete: true }], "PATCH");
  await push(shop, [{ id: "c", price: "3.00 EUR" }], "PATCH");
  assert.equal(await stateOf(id), "approved");
  await push(shop, [variant("a", "Acme Limited")], "PATCH");

  assert.equal(await stateOf(id), "conflicted");
  assert.equal((await column(shop, "brand"))["c"], "Acme");
});

test("what was found in an item that has changed since it was read is not stored", async () => {
  const shop = await api.openShop();
  await push(shop, [shirt("a", { brand: "Acme" }), phone("Acme phone, refurbished")]);
  const catalog = (await findCatalog(api.db, shop.id)) ?? assert.fail();
  const audit = await auditContext(api.db, catalog, new Date());
  const run = { db: api.db, catalogId: shop.id, runId: crypto.randomUUID() };
  const readGroups = await ReadGroups.open({ ...run, context: Buffer.from("any") }, { isComplete: true });
  const pass = new ProposalPass({ ...run, catalog, audit, readGroups });
  const context = { settings: catalog.settings, facts: new CatalogFactsCollector().facts() };
  await api.db.session(async (session) => {
    for await (const groups of storedGroups(session, shop.id)) await pass.add(groups, context);
  });

  await push(shop, [{ id: "phone", title: "Acme phone, pre-owned" }], "PATCH");
  await pass.flush();

  assert.equal(pass.changed, 1);
  const { groups } = await groupsOf(shop);
  assert.deepEqual(
    groups.filter(({ examples }) => examples.some(({ item_id: id }) => id === "phone")),
    [],
  );
});

test("proposals for an item that is gone are stale, and pending again when it comes back", async () => {
  const shop = await openShop([shirt("a"), phone("Acme phone, refurbished")]);
  const { examples } = await groupOf(shop, "condition");
  const { id } = examples[0] ?? assert.fail();

  await push(shop, [{ id: "phone", delete: true }], "PATCH");
  await look(shop);
  const gone = await stateOf(id);
  await push(shop, [phone("Acme phone, refurbished")], "PATCH");
  await look(shop);

  assert.deepEqual([gone, await stateOf(id)], ["stale", "pending"]);
});

test("a text that a model wrote is no evidence for other values", async () => {
  const shop = await openShop([shirt("shop", { title: "Acme shirt, blue" }), shirt("written")]);
  const { id } = await proposeValue(api.db, shop.id, {
    item_id: "written",
    field: "title",
    value: "Acme shirt, blue, written anew",
    evidence: [{ field: "title", text: "Acme shirt" }],
    reason: "Better.",
  });
  assert.equal((await decide(shop, "approve", { ids: [id] })).status, 200);
  await look(shop);

  const colors = (await groupsOf(shop)).groups.filter(({ field }) => field === "color");
  assert.deepEqual(
    colors.flatMap(({ examples }) => examples.map(({ item_id: item }) => item)),
    ["shop"],
  );
  await assert.rejects(
    proposeValue(api.db, shop.id, {
      item_id: "written",
      field: "color",
      value: "blue",
      evidence: [{ field: "title", text: "blue" }],
      reason: "It is in the title.",
    }),
    /does not have the text "blue"/,
  );
});

test("values that are not grounded are approved one at a time, also when their ids are listed", async () => {
  const shop = await openShop([
    shirt("one", { details: [{ name: "ISBN", value: "3-16-148410-X" }] }),
    shirt("two", { details: [{ name: "ISBN", value: "0-306-40615-2" }] }),
  ]);
  const { groups } = await groupsOf(shop);
  const found = groups.filter(({ field }) => field === "gtin");
  const ids = found.flatMap(({ examples }) => examples.map((one) => one.id));
  assert.deepEqual([found.map((one) => one.is_grounded), ids.length], [[false, false], 2]);

  const together = await decide(shop, "approve", { ids });
  const [one] = found;
  const asGroup = await decide(shop, "approve", { group: one?.group, expected: 1 });
  const tried = await decide(shop, "approve", { ids, dry_run: true });
  const single = await decide(shop, "approve", { ids: [ids[0]] });

  assert.deepEqual([together.status, asGroup.status, single.status], [409, 409, 200]);
  assert.match(together.text, /2 values of these have words that are not in the evidence/);
  assert.equal(decidedIn(tried).plan?.changed_items, 2);
});

test("pending proposals of an extractor that no longer exists become stale, and approved ones stay in force", async () => {
  const shop = await openShop([
    phone("Acme phone, refurbished"),
    shirt("blue", { title: "Acme shirt, blue" }),
  ]);
  const { id: approved } = await approvedOf(shop, "condition", "phone");
  const { id: pending } = (await groupOf(shop, "color")).examples[0] ?? assert.fail();
  await api.db.query(sql`update proposals set extractor = 'unit_pricing' where id = ${approved}`);
  // What no extractor proposes now.
  await api.db.query(
    sql`update proposals set extractor = 'unit_pricing', value = 'teal', group_key = 'teal' where id = ${pending}`,
  );

  await look(shop);

  assert.deepEqual([await stateOf(approved), await stateOf(pending)], ["approved", "stale"]);
  assert.equal((await column(shop, "condition"))["phone"], "refurbished");
});

test("values with a confidence below 0.8 are approved one at a time", async () => {
  const shop = await openShop([
    shirt("a", { title: "Acme shirt, blue" }),
    shirt("b", { title: "Acme shirt, blue" }),
  ]);
  const { group, items, examples } = await groupOf(shop, "color");
  const ids = examples.map(({ id }) => id);
  await api.db.query(sql`update proposals set confidence = 0.79 where id = any (${ids}::uuid[])`);
  await api.db.query(
    sql`update proposal_groups set confidence = 0.79 where group_key = decode(${group}, 'hex')`,
  );

  const asGroup = await decide(shop, "approve", { group, expected: items });
  const together = await decide(shop, "approve", { ids });
  const single = await decide(shop, "approve", { ids: [ids[0]] });

  assert.deepEqual([items, asGroup.status, together.status, single.status], [2, 409, 409, 200]);
  assert.match(together.text, /2 values of these have a confidence below 0\.8/);
});
