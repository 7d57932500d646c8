/** Proposals over the API: found, decided, applied, and kept through syncs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/contract/plans.ts";
import type { Proposal } from "../../src/contract/proposals.ts";
import { newId } from "../../src/lib/id.ts";
import { proposeValue } from "../../src/pipeline/enrich/propose-value.ts";
import { closeAfterTests } from "../close-after.ts";
import { approve, column, decide, groupOf, groupsOf, push, reviewing, shirt } from "./review-shop.ts";
import { runningApi } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const { look, openShop, stateOf } = reviewing(api);

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
  const missing = await decide(shop, "approve", { ids: [newId()] });
  const first = await decide(shop, "approve", { group, expected: items, reason: "Checked on the labels." });
  const second = await decide(shop, "approve", { group, expected: items });

  assert.equal(wrong.status, 409);
  assert.equal(unknown.status, 404);
  assert.match(missing.text, /1 of these proposals does not exist\. Nothing was decided\./);
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

test("a value that was rejected for an item is not proposed again by anybody", async () => {
  const shop = await openShop();
  const { group, items, examples } = await groupOf(shop, "brand");
  await decide(shop, "reject", { group, expected: items, reason: "It is only the printer." });

  const again = await proposeValue(api.db, shop.id, {
    item_id: "c",
    field: "brand",
    value: "Acme",
    evidence: [{ field: "title", text: "Acme" }],
    reason: "It is in the title.",
  });

  assert.deepEqual([again.id, again.state], [examples[0]?.id, "rejected"]);
  assert.equal(again.reason, "It is only the printer.");
  assert.equal((await groupsOf(shop)).counts["rejected"], items);
  assert.equal(
    (await groupsOf(shop)).groups.some(({ field }) => field === "brand"),
    false,
  );
});

test("a filter by a field that is none, or has no proposals, is refused with a sentence", async () => {
  const shop = await openShop();
  const answers = async (field: string) =>
    Promise.all(
      ["proposals", "proposals/items"].map(async (path) => shop.call(`/api/v1/${path}?field=${field}`)),
    );
  for (const [field, sentence] of [
    ["colour", /There is no field \\"colour\\". Did you mean color\?/],
    ["price", /Values of price are never proposed/],
  ] as const)
    for (const { status, text } of await answers(field)) {
      assert.equal(status, 400, text);
      assert.match(text, sentence);
    }
  const [ours, googles] = [await answers("google_category"), await answers("google_product_category")];
  assert.equal(ours[0]?.status, 200);
  assert.deepEqual(
    googles.map(({ json }) => json),
    ours.map(({ json }) => json),
  );
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

test("a retired value is in force again when the source drops it, also after the extractors have looked", async () => {
  const shop = await openShop();
  const [{ id } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];
  for (const round of [1, 2]) {
    await push(shop, [{ id: "c", brand: "Acme" }], "PATCH");
    await look(shop);
    assert.equal(await stateOf(id), "retired", `round ${round}`);

    await push(shop, [{ id: "c", brand: null }], "PATCH");

    assert.equal(await stateOf(id), "approved", `round ${round}`);
    assert.equal((await column(shop, "brand"))["c"], "Acme");
  }
  await push(shop, [{ id: "c", brand: "Acme" }], "PATCH");
  await push(shop, [{ id: "c", brand: "Other" }], "PATCH");
  assert.deepEqual([await stateOf(id), (await column(shop, "brand"))["c"]], ["retired", "Other"]);
});

test("a value that replaced a retired one stays when the source drops what it had", async () => {
  const shop = await openShop();
  const [{ id } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];
  await push(shop, [{ id: "c", brand: "Acme" }], "PATCH");
  const evidence = [{ field: "title", text: "Acme shirt c" }];
  const { id: other } = await proposeValue(api.db, shop.id, {
    item_id: "c",
    field: "brand",
    value: "Acme shirt",
    evidence,
    reason: "As in the title.",
  });
  const answer = await decide(shop, "approve", { ids: [other] });
  assert.equal(answer.status, 200, answer.text);

  await push(shop, [{ id: "c", brand: null }], "PATCH");

  assert.deepEqual([await stateOf(id), await stateOf(other)], ["retired", "conflicted"]);
  assert.equal((await column(shop, "brand"))["c"], "Acme shirt");
});

test("a value that is in force again by an undo stays when the source drops a retired one", async () => {
  const shop = await openShop();
  const [{ id: earlier } = { id: "" }] = (await approve(shop, "brand")).examples as Proposal[];
  const withdrawn = await decide(shop, "withdraw", { ids: [earlier] });
  const { decision_id: decision } = (withdrawn.json as { data: { decision_id: string } }).data;
  for (const value of ["Acme shirt", "Shirt c"]) {
    const { id } = await proposeValue(api.db, shop.id, {
      item_id: "c",
      field: "brand",
      value,
      evidence: [{ field: "title", text: "Acme shirt c" }],
      reason: "As in the title.",
    });
    await decide(shop, "approve", { ids: [id] });
  }
  await push(shop, [{ id: "c", brand: "Shirt c" }], "PATCH");
  const undone = await decide(shop, "withdraw", { decision_id: decision });
  assert.equal(undone.status, 200, undone.text);

  await push(shop, [{ id: "c", brand: null }], "PATCH");

  assert.equal(await stateOf(earlier), "approved");
  assert.equal((await column(shop, "brand"))["c"], "Acme");
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

test("GET /feeds says how many changes of rules, category mappings and values are not published yet", async () => {
  const shop = await openShop();
  const unpublished = async (): Promise<unknown> =>
    ((await shop.call("/api/v1/feeds")).json as { data: { unpublished_changes?: number } }).data
      .unpublished_changes;
  const put = async (path: string, body: object) => shop.call(`/api/v1/${path}`, { method: "PUT", body });
  assert.equal(await unpublished(), undefined);

  await approve(shop, "brand");
  assert.equal(await unpublished(), 2);
  await put("rules", {
    rules: [{ name: "Condition", action: { type: "default", field: "condition", value: "new" } }],
  });
  assert.equal(await unpublished(), 3);
  await put("categories", {
    mappings: [
      { path: "Clothing > Shirts", category: "212" },
      { path: "Clothing > Hats", category: "173" },
    ],
  });
  assert.equal(await unpublished(), 5);
  const color = await groupOf(shop, "color");
  await decide(shop, "reject", { group: color.group, expected: color.items });
  assert.equal(await unpublished(), 5);
  await column(shop, "brand");
  assert.equal(await unpublished(), undefined);
});

test("groups come in pages, the largest gain first, and decisions between pages hide none", async () => {
  const shop = await openShop();
  const all = (await groupsOf(shop)).groups.map(({ group }) => group);
  assert.ok(all.length >= 3, String(all.length));

  const first = await groupsOf(shop, "pending", "&limit=2");
  for (const { group, items } of first.groups)
    assert.equal((await decide(shop, "reject", { group, expected: items })).status, 200);
  const second = await groupsOf(shop, "pending", `&limit=100&cursor=${first.next_cursor}`);

  const found = [...first.groups, ...second.groups];
  assert.deepEqual(
    found.map(({ group }) => group),
    all,
  );
  const gains = found.map(({ gain }) => gain);
  assert.deepEqual(
    gains,
    gains.toSorted((a, b) => b - a),
  );
  assert.equal((await shop.call("/api/v1/proposals?cursor=WzEsMiwzXQ")).status, 400);
});
