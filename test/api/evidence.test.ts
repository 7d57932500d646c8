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

const coffee = (title: string, more: object = {}): object => shirt("coffee", { title, ...more });

test("a quantity from a title goes back to review when the title changes, and stays in force until then", async () => {
  const shop = await openShop([coffee("Acme coffee beans 500 g")]);
  const { id } = await approvedOf(shop, "unit_pricing_measure", "coffee");

  await push(shop, [coffee("Acme coffee beans 500 g", { description: "Other words." })]);
  assert.equal(await stateOf(id), "approved");
  await push(shop, [coffee("Acme coffee beans 2 x 500 g")]);

  const { conflict, value } = (await groupOf(shop, "unit_pricing_measure", "conflicted")).examples[0] ?? {};
  assert.deepEqual([conflict, value], ["evidence", "500 g"]);
  assert.equal((await column(shop, "unit_pricing_measure"))["coffee"], "500 g");
  assert.equal((await decide(shop, "approve", { ids: [id] })).status, 200);
  await push(shop, [coffee("Acme coffee beans 2 x 500 g", { price: "3.00 EUR" })]);
  assert.equal(await stateOf(id), "approved");
  await push(shop, [coffee("Acme coffee beans")]);
  assert.equal(await stateOf(id), "conflicted");
  await decide(shop, "reject", { ids: [id] });
  assert.equal((await column(shop, "unit_pricing_measure"))["coffee"], "");
});

test("a text that goes back to what it was ends the conflict", async () => {
  const shop = await openShop([coffee("Acme coffee beans 500 g")]);
  const { id } = await approvedOf(shop, "unit_pricing_measure", "coffee");

  await push(shop, [coffee("Acme coffee beans 1 kg")]);
  assert.equal(await stateOf(id), "conflicted");
  await push(shop, [coffee("Acme coffee beans 500 g")]);

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
  await push(shop, [shirt("a", { brand: "Acme" }), coffee("Acme coffee beans 500 g")]);
  const catalog = (await findCatalog(api.db, shop.id)) ?? assert.fail();
  const audit = await auditContext(api.db, catalog, new Date());
  const run = { db: api.db, catalogId: shop.id, runId: crypto.randomUUID() };
  const readGroups = await ReadGroups.open({ ...run, context: Buffer.from("any") }, { isComplete: true });
  const pass = new ProposalPass({ ...run, catalog, audit, readGroups });
  const context = { settings: catalog.settings, facts: new CatalogFactsCollector().facts() };
  await api.db.session(async (session) => {
    for await (const groups of storedGroups(session, shop.id)) await pass.add(groups, context);
  });

  await push(shop, [{ id: "coffee", title: "Acme coffee beans 1 kg" }], "PATCH");
  await pass.flush();

  assert.equal(pass.changed, 1);
  const { groups } = await groupsOf(shop);
  assert.deepEqual(
    groups.filter(({ examples }) => examples.some(({ item_id: id }) => id === "coffee")),
    [],
  );
});

test("proposals for an item that is gone are stale, and pending again when it comes back", async () => {
  const shop = await openShop([shirt("a"), coffee("Acme coffee beans 500 g")]);
  const { examples } = await groupOf(shop, "unit_pricing_measure");
  const { id } = examples[0] ?? assert.fail();

  await push(shop, [{ id: "coffee", delete: true }], "PATCH");
  await look(shop);
  const gone = await stateOf(id);
  await push(shop, [coffee("Acme coffee beans 500 g")], "PATCH");
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
    coffee("Acme coffee beans 2 x 250 g"),
    shirt("tea", { title: "Acme loose tea 2 x 100 g" }),
  ]);
  const { groups } = await groupsOf(shop);
  const found = groups.filter(({ field }) => field === "unit_pricing_measure");
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
