/** Proposals over the API: found, decided, applied, and kept through syncs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/contract/plans.ts";
import type { Proposal, ProposalGroup } from "../../src/contract/proposals.ts";
import { untilRun } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const shirt = (id: string, more: object = {}): object => ({
  id,
  title: `Acme shirt ${id}`,
  description:
    "A plain shirt of soft cotton for every day, washed before it is sewn so that it keeps its size.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  price: "19.50 EUR",
  availability: "in_stock",
  categories: ["Clothing > Shirts"],
  ...more,
});

/** Two of three have a brand, which is also in the title of the third. */
const SHIRTS = [
  shirt("a", { brand: "Acme" }),
  shirt("b", { brand: "Acme" }),
  shirt("c"),
  shirt("d", { details: [{ name: "Color", value: "Blue" }] }),
];

async function push(shop: Shop, products: readonly object[], method: "PUT" | "PATCH" = "PUT"): Promise<void> {
  const answer = await shop.call("/api/v1/catalog", { method, body: products });
  assert.equal(answer.status, 200, answer.text);
}

async function look(shop: Shop): Promise<void> {
  const answer = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  assert.equal(answer.status, 202, answer.text);
  await untilRun(api.db, (answer.json as { data: { run_id: string } }).data.run_id, "succeeded");
}

async function openShop(): Promise<Shop> {
  const shop = await api.openShop();
  await push(shop, SHIRTS);
  await look(shop);
  return shop;
}

type Groups = { groups: ProposalGroup[]; counts: Record<string, number> };

async function groupsOf(shop: Shop, state = "pending"): Promise<Groups> {
  const answer = await shop.call(`/api/v1/proposals/groups?state=${state}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: Groups }).data;
}

async function groupOf(shop: Shop, field: string, state = "pending"): Promise<ProposalGroup> {
  const group = (await groupsOf(shop, state)).groups.find((one) => one.field === field);
  assert.ok(group, `no ${state} group for ${field}`);
  return group;
}

const decide = (shop: Shop, verb: string, body: object) =>
  shop.call(`/api/v1/proposals/${verb}`, { method: "POST", body });

async function approve(shop: Shop, field: string): Promise<ProposalGroup> {
  const group = await groupOf(shop, field);
  const answer = await decide(shop, "approve", { group: group.group, expected: group.items });
  assert.equal(answer.status, 200, answer.text);
  return group;
}

/** The values of a column of gmc.tsv, by id. */
async function column(shop: Shop, name: string): Promise<Readonly<Record<string, string>>> {
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
  const [header = "", ...lines] = (await shop.fetch("gmc.tsv")).text.trimEnd().split("\n");
  const at = header.split("\t").indexOf(name);
  return Object.fromEntries(lines.map((line) => [line.split("\t")[0], line.split("\t")[at] ?? ""]));
}

const stateOf = async (id: string): Promise<string> => {
  const rows = await api.db.query<{ state: string }>({
    text: "select state from proposals where id = $1",
    values: [id],
  });
  return rows[0]?.state ?? "";
};

test("a value that the catalog itself gives is proposed with its evidence and the points it gains", async () => {
  const shop = await openShop();

  const { field, value, items, examples, rule, gain } = await groupOf(shop, "brand");

  assert.deepEqual([field, value, items], ["brand", "Acme", 2]);
  const [proposal] = examples;
  assert.equal(proposal?.item_id, "c");
  assert.equal(proposal?.title, "Acme shirt c");
  assert.deepEqual(proposal?.evidence[0], {
    field: "title",
    from: 0,
    to: 4,
    text: "Acme",
    before: "",
    after: " shirt c",
  });
  assert.ok(rule !== null && gain > 0);
});

test("approving gains exactly the points that the dry run has promised", async () => {
  const shop = await openShop();
  const group = await groupOf(shop, "brand");
  const decision = { group: group.group, expected: group.items };

  const tried = await decide(shop, "approve", { ...decision, dry_run: true });
  const still = await groupOf(shop, "brand");
  await decide(shop, "approve", decision);
  const brands = await column(shop, "brand");
  const audit = await shop.call("/api/v1/audit");

  const { plan } = (tried.json as { data: { plan: Plan } }).data;
  assert.equal(still.items, 2);
  assert.deepEqual(brands, { a: "Acme", b: "Acme", c: "Acme", d: "Acme" });
  const { exact } = (audit.json as { data: { audit: { exact: { raw: string; denominator: string } } } }).data
    .audit;
  assert.equal(plan.after.points, `${exact.raw}/${exact.denominator}`);
  assert.ok(Math.abs(plan.gain - group.gain) < 1e-6, `${plan.gain} ${group.gain}`);
});

test("a group with another number of proposals than was seen is not approved; the same approval twice is one", async () => {
  const shop = await openShop();
  const { group, items } = await groupOf(shop, "brand");

  const wrong = await decide(shop, "approve", { group, expected: items + 1 });
  const unknown = await decide(shop, "approve", { group: "0".repeat(32), expected: 1 });
  const first = await decide(shop, "approve", { group, expected: items, reason: "Checked on the labels." });
  const second = await decide(shop, "approve", { group, expected: items });

  assert.equal(wrong.status, 409);
  assert.equal(unknown.status, 404);
  assert.deepEqual((first.json as { data: { decided: number } }).data.decided, 2);
  assert.deepEqual((second.json as { data: { decided: number; unchanged: number } }).data.decided, 0);
  const [proposal] = (await groupOf(shop, "brand", "approved")).examples;
  assert.equal(proposal?.reason, "Checked on the labels.");
  assert.ok(proposal?.decided_by);
});

test("a rejected value is not proposed again, and a withdrawn approval leaves the source's value", async () => {
  const shop = await openShop();
  const brand = await approve(shop, "brand");
  const { group, items } = await groupOf(shop, "color");
  await decide(shop, "reject", { group, expected: items });
  await decide(shop, "withdraw", { group: brand.group, expected: brand.items });
  await look(shop);

  const { groups, counts } = await groupsOf(shop);
  const brands = await column(shop, "brand");

  assert.equal(
    groups.some(({ field }) => field === "color"),
    false,
  );
  assert.equal(counts["rejected"], items);
  assert.deepEqual(brands, { a: "Acme", b: "Acme", c: "", d: "" });
});

test("a decision about a group in one state leaves the decisions about its other proposals", async () => {
  const shop = await openShop();
  const { group, examples } = await groupOf(shop, "brand");
  const [first, second] = examples.map(({ id }) => id);
  await decide(shop, "reject", { ids: [first] });
  await decide(shop, "approve", { group, expected: 1 });

  const answer = await decide(shop, "withdraw", { group, expected: 1, state: "approved" });

  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([await stateOf(first ?? ""), await stateOf(second ?? "")], ["rejected", "pending"]);
});

test("after a push, an approved value holds while the source has what it had", async () => {
  const shop = await openShop();
  const [{ id } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];

  await push(shop, [{ id: "c", price: "18.00 EUR" }], "PATCH");

  assert.equal((await column(shop, "brand"))["c"], "Acme");
  assert.equal((await column(shop, "price"))["c"], "18.00 EUR");
  assert.equal(await stateOf(id), "approved");
});

test("after a push, an approved value retires if the source has it itself", async () => {
  const shop = await openShop();
  const [{ id } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];

  await push(shop, [{ id: "c", brand: "Acme" }], "PATCH");

  assert.equal((await column(shop, "brand"))["c"], "Acme");
  assert.equal(await stateOf(id), "retired");
});

test("after a push with another value, the approved one stays in force and goes back to review", async () => {
  const shop = await openShop();
  const [{ id } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];

  await push(shop, [{ id: "c", brand: "Acme Limited" }], "PATCH");
  assert.equal((await column(shop, "brand"))["c"], "Acme");
  assert.equal(await stateOf(id), "conflicted");
  const [conflicted] = (await groupOf(shop, "brand", "conflicted")).examples;
  assert.deepEqual([conflicted?.source_value, conflicted?.value], ["Acme Limited", "Acme"]);
  await decide(shop, "approve", { ids: [id] });
  await push(shop, [{ id: "c", price: "17.00 EUR" }], "PATCH");

  assert.equal(await stateOf(id), "approved");
  assert.equal((await column(shop, "brand"))["c"], "Acme");
});

test("an item that goes and comes back has its approved value again", async () => {
  const shop = await openShop();
  const [{ id } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];

  await push(shop, [{ id: "c", delete: true }], "PATCH");
  await push(shop, [shirt("c")], "PATCH");

  assert.equal((await column(shop, "brand"))["c"], "Acme");
  assert.equal(await stateOf(id), "approved");
});

test("GET /feeds says how many approved values are not published yet", async () => {
  const shop = await openShop();
  const unpublished = async (): Promise<unknown> =>
    ((await shop.call("/api/v1/feeds")).json as { data: { unpublished_changes?: number } }).data
      .unpublished_changes;
  assert.equal(await unpublished(), undefined);

  await approve(shop, "brand");

  assert.equal(await unpublished(), 2);
  await column(shop, "brand");
  assert.equal(await unpublished(), undefined);
});
