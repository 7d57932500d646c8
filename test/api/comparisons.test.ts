/** Comparisons of renders: what differs in their files, the cause of each difference, and totals that add up. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ComparedItem, ComparisonHead, ComparisonTotals } from "../../src/contract/comparisons.ts";
import type { ProposalGroup } from "../../src/contract/proposals.ts";
import { newId } from "../../src/lib/id.ts";
import { saveEffects } from "../../src/pipeline/enrich/rules.ts";
import { changeCatalogSettings, findCatalog } from "../../src/store/catalogs.ts";
import { listFeedFiles } from "../../src/store/feed-files.ts";
import { untilRun } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi, type Shop } from "./running-api.ts";

// While a table is locked, three comparisons wait for it; one more call must be answered.
const api = closeAfterTests(await runningApi({ connections: 16 }));
const assertDescribed = await describedBy(api);

const product = (id: string, more: object = {}): object => ({
  id,
  title: `Mug ${id}`,
  description: "A glazed mug for coffee and tea, made by hand in a small pottery.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  brand: "Kiln",
  price: "9.50 USD",
  availability: "in_stock",
  ...more,
});

async function push(
  shop: Shop,
  products: readonly object[],
  method: "PUT" | "PATCH" = "PUT",
): Promise<string> {
  const answer = await shop.call("/api/v1/catalog", { method, body: products });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { run_id: string } }).data.run_id;
}

/** The render that is published. */
async function published(shop: Shop): Promise<string> {
  return (await shop.feeds()).last_render?.run_id ?? "";
}

async function render(shop: Shop): Promise<string> {
  const answer = await shop.call("/api/v1/feeds", { method: "POST" });
  assert.equal(answer.status, 200, answer.text);
  return published(shop);
}

type Compared = ComparisonHead & {
  readonly items: readonly ComparedItem[];
  readonly totals: ComparisonTotals;
};

async function compare(shop: Shop, before: string, after: string, query = ""): Promise<Compared> {
  const answer = await shop.call(`/api/v1/renders/${before}/compare/${after}${query}`);
  assert.equal(answer.status, 200, answer.text);
  assertDescribed("GET /api/v1/renders/{id}/compare/{other}", answer);
  const { data } = answer.json as { data: Compared };
  assertAddsUp(data);
  return data;
}

const sum = (counts: object): number =>
  Object.values(counts as Record<string, number>).reduce((total, count) => total + count, 0);

function assertAddsUp({ before, after, totals }: Compared): void {
  const { added, removed, changed, unchanged } = totals.items;
  assert.equal(added + changed + unchanged, after.items);
  assert.equal(removed + changed + unchanged, before.items);
  assert.equal(sum(totals.by_cause), totals.differences);
  assert.equal(sum(totals.by_file), totals.differences);
}

/** `file field: before → after (cause)` of an item. */
const lines = ({ items }: Compared, id: string): readonly string[] =>
  items
    .filter((item) => item.item_id === id)
    .flatMap(({ differences }) =>
      differences.map(
        ({ file, field, change, before, after, cause }) =>
          `${file} ${field ?? "item"} ${change}: ${before ?? "-"} → ${after ?? "-"} (${cause.kind})`,
      ),
    );

const kinds = ({ totals }: Compared): readonly string[] =>
  Object.entries(totals.by_cause)
    .filter(([, count]) => count > 0)
    .map(([kind]) => kind);

test("a push that adds, removes and changes items is the cause of what differs in every file", async () => {
  const shop = await api.openShop();
  await push(shop, [product("a"), product("b"), product("c")]);
  const first = await published(shop);
  const run = await push(shop, [product("b", { price: "12.00 USD" }), product("c"), product("d")]);
  const second = await published(shop);

  const compared = await compare(shop, first, second);

  assert.deepEqual(
    compared.items.map(({ item_id: id, change }) => `${id} ${change}`),
    ["a removed", "b changed", "d added"],
  );
  assert.deepEqual(lines(compared, "b"), [
    "acp.csv price changed: 9.50 USD → 12.00 USD (source)",
    "acp.json price changed: 9.50 USD → 12.00 USD (source)",
    "gmc.tsv price changed: 9.50 USD → 12.00 USD (source)",
    "jsonld.json offers.price changed: 9.50 → 12.00 (source)",
  ]);
  assert.deepEqual(lines(compared, "a"), [
    "acp.csv item removed: - → - (source)",
    "acp.json item removed: - → - (source)",
    "gmc.tsv item removed: - → - (source)",
    "jsonld.json item removed: - → - (source)",
  ]);
  assert.deepEqual(compared.totals.items, { added: 1, removed: 1, changed: 1, unchanged: 1 });
  for (const { differences } of compared.items)
    for (const { cause } of differences) assert.deepEqual(cause, { kind: "source", run_id: run });
  assert.deepEqual(
    compared.between.runs.map(({ run_id: id, kind }) => [id, kind]),
    [[run, "push"]],
  );
});

test("of two sources that were synced, each item names the run of its own; fields come and go", async () => {
  const shop = await api.openShop(mugs(3));
  assert.equal((await shop.sync()).status, 200);
  await push(shop, [product("z", { color: "Blue" })]);
  const first = await published(shop);

  shop.sells(mugs(3).map((row) => ({ ...row, price: "11.00 USD" })));
  const synced = ((await shop.sync()).json as { data: { run_id: string } }).data.run_id;
  const pushed = await push(shop, [product("z", { material: "Clay" })]);
  const compared = await compare(shop, first, await published(shop), "?file=gmc.tsv");

  const runs = new Map(
    compared.items.map(({ item_id: id, differences }) => [id, differences.map(({ cause }) => cause.run_id)]),
  );
  assert.deepEqual(runs.get("mug-001"), [synced]);
  assert.deepEqual(new Set(runs.get("z")), new Set([pushed]));
  assert.deepEqual(lines(compared, "z"), [
    "gmc.tsv color removed: Blue → - (source)",
    "gmc.tsv material added: - → Clay (source)",
  ]);
  assert.equal(compared.totals.listed, 4);
  assert.equal(compared.totals.by_file["acp.csv"], compared.totals.by_file["acp.json"]);
  assert.ok(Number(compared.totals.by_file["acp.csv"]) > 0, "the totals are those of all files");
});

test("rules, category mappings and approved values are told apart, also if all of them change", async () => {
  const shop = await api.openShop();
  await push(shop, [
    product("a", { title: "Acme mug a", brand: "Acme", categories: ["Home > Mugs"] }),
    product("b", { title: "Acme mug b", brand: "Acme" }),
    product("c", { title: "Acme mug c", brand: null }),
  ]);
  const start = await published(shop);

  const rules = [{ name: "Condition", action: { type: "default", field: "condition", value: "used" } }];
  const saved = await shop.call("/api/v1/rules", { method: "PUT", body: { rules } });
  const { version } = (saved.json as { data: { version: number } }).data;
  const ruled = await render(shop);
  const byRule = await compare(shop, start, ruled);
  assert.deepEqual(kinds(byRule), ["rule"]);
  assert.deepEqual(byRule.items[0]?.differences[0]?.cause, { kind: "rule", version });
  assert.deepEqual(byRule.between.rule_versions, [version]);

  const mappings = { decisions: [{ path: "Home > Mugs", category: "2169" }] };
  const { runId } = await saveEffects(api.db, shop.id, { mappings, keyId: null });
  await untilRun(api.db, runId, "succeeded");
  const mapped = await render(shop);
  const byMapping = await compare(shop, ruled, mapped);
  assert.deepEqual(kinds(byMapping), ["category_mapping"]);
  assert.deepEqual(
    byMapping.items.map(({ item_id: id }) => id),
    ["a"],
  );

  const proposal = await approveBrand(shop);
  const approved = await render(shop);
  const byValue = await compare(shop, mapped, approved);
  assert.deepEqual(kinds(byValue), ["overlay"]);
  for (const { differences } of byValue.items)
    for (const { cause } of differences) assert.deepEqual(cause, { kind: "overlay", proposal_id: proposal });

  const all = await compare(shop, start, approved);
  assert.deepEqual(kinds(all), ["overlay", "rule", "category_mapping"]);
  assert.ok(lines(all, "a").includes("gmc.tsv google_product_category added: - → 2169 (category_mapping)"));
  assert.ok(lines(all, "a").includes("gmc.tsv condition added: - → used (rule)"), String(lines(all, "a")));
  assert.ok(lines(all, "c").includes("gmc.tsv brand added: - → Acme (overlay)"), String(lines(all, "c")));
  assert.deepEqual(
    [all.between.decisions, all.between.category_mappings, all.between.settings],
    [1, true, []],
  );
});

async function approveBrand(shop: Shop): Promise<string> {
  const looked = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(api.db, (looked.json as { data: { run_id: string } }).data.run_id, "succeeded");
  const listed = await shop.call("/api/v1/proposals?state=pending");
  const { groups } = (listed.json as { data: { groups: ProposalGroup[] } }).data;
  const group = groups.find(({ field }) => field === "brand");
  assert.ok(group);
  const answer = await shop.call("/api/v1/proposals/approve", {
    method: "POST",
    body: { group: group.group, expected: group.items },
  });
  assert.equal(answer.status, 200, answer.text);
  return group.examples[0]?.id ?? "";
}

test("an approved value of an item whose source has changed too is told from what the source changed", async () => {
  const shop = await api.openShop();
  const items = [
    product("a", { title: "Acme mug a", brand: "Acme" }),
    product("b", { title: "Acme mug b", brand: "Acme" }),
    product("c", { title: "Acme mug c", brand: null }),
  ];
  await push(shop, items);
  const first = await published(shop);
  await approveBrand(shop);
  await push(shop, [product("c", { title: "Acme mug c", brand: null, price: "5.00 USD" })], "PATCH");
  const compared = await compare(shop, first, await render(shop));

  assert.ok(lines(compared, "c").includes("gmc.tsv price changed: 9.50 USD → 5.00 USD (source)"));
  assert.ok(lines(compared, "c").includes("gmc.tsv brand added: - → Acme (overlay)"));
});

test("the causes of two renders stay the same, whatever happens to the items and to the decisions later", async () => {
  const shop = await api.openShop();
  const items = [
    product("a", { title: "Acme mug a", brand: "Acme", categories: ["Home > Mugs"] }),
    product("b", { title: "Acme mug b", brand: "Acme" }),
    product("c", { title: "Acme mug c", brand: null, categories: ["Home > Cups"] }),
  ];
  await push(shop, items);
  const first = await published(shop);
  const rules = [{ name: "Condition", action: { type: "default", field: "condition", value: "used" } }];
  await shop.call("/api/v1/rules", { method: "PUT", body: { rules } });
  const mappings = { decisions: [{ path: "Home > Mugs", category: "2169" }] };
  const { runId } = await saveEffects(api.db, shop.id, { mappings, keyId: null });
  await untilRun(api.db, runId, "succeeded");
  const proposal = await approveBrand(shop);
  const second = await render(shop);
  const then = await compare(shop, first, second);
  assert.deepEqual(kinds(then), ["overlay", "rule", "category_mapping"]);

  const assertSame = async (when: string): Promise<void> => {
    const { between, items: now, totals } = await compare(shop, first, second);
    assert.deepEqual(
      { between, now, totals },
      { between: then.between, now: then.items, totals: then.totals },
      when,
    );
  };
  await shop.call("/api/v1/publish-guard", { method: "PATCH", body: { enabled: false } });
  await push(shop, items.slice(0, 2));
  await assertSame("the item is gone");
  await push(shop, items);
  await assertSame("it is back");
  const body = { ids: [proposal] };
  const withdrawn = await shop.call("/api/v1/proposals/withdraw", { method: "POST", body });
  assert.equal(withdrawn.status, 200, withdrawn.text);
  await render(shop);
  await assertSame("the value was withdrawn");
});

test("settings, the beginning of a sale and a change of another variant are causes of their own", async (t) => {
  const shop = await api.openShop();
  const from = new Date(Date.now() + 60_000).toISOString();
  const sale = { sale_price: "7.00 USD", sale_price_effective_date: `${from}/2099-01-01T00:00Z` };
  await push(shop, [
    product("a", sale),
    product("b"),
    product("v1", { group_id: "v", color: "Red" }),
    product("v2", { group_id: "v", color: "Blue" }),
  ]);
  const first = await published(shop);
  const { settings } = (await findCatalog(api.db, shop.id)) ?? { settings: {} };
  await changeCatalogSettings(api.db, shop.id, { ...settings, sellerName: "Another name" });
  const second = await render(shop);
  const bySettings = await compare(shop, first, second);
  assert.deepEqual(kinds(bySettings), ["settings"]);
  assert.deepEqual(bySettings.between.settings, ["seller_name"]);

  t.mock.timers.enable({ apis: ["Date"], now: Date.parse(from) + 10 });
  const third = await render(shop);
  const byClock = await compare(shop, second, third);
  assert.deepEqual(kinds(byClock), ["clock"]);
  assert.deepEqual(
    byClock.items.map(({ item_id: id }) => id),
    ["a"],
  );
  const both = await compare(shop, first, third);
  assert.deepEqual(kinds(both), ["settings", "clock"]);
  assert.ok(lines(both, "a").includes("acp.json seller_name changed: Test Shop → Another name (settings)"));

  await push(shop, [product("v1", { group_id: "v", color: "Red", title: "Cup v1" })], "PATCH");
  const byVariant = await compare(shop, third, await published(shop));
  assert.deepEqual(kinds(byVariant), ["source"]);
  const other = byVariant.items.find(({ item_id: id }) => id === "v2");
  assert.ok(other, "the group's own name comes from its first variant");
  for (const { cause } of other.differences) assert.equal(cause.item_id, "v1");
});

const folderOf = async (shop: Shop, run: string): Promise<string> =>
  join(api.dataDir, "feeds", shop.id, (await listFeedFiles(api.db, run))[0]?.folder ?? "");

test("files that another version of Shelfwire wrote from the same items differ by its channel table", async () => {
  const shop = await api.openShop();
  await push(shop, [product("a"), product("b")]);
  const first = await published(shop);
  const folder = await folderOf(shop, first);
  const text = await readFile(join(folder, "gmc.tsv"), "utf8");
  await writeFile(join(folder, "gmc.tsv"), text.replace("Mug a", "MUG A"));
  const info = await readFile(join(folder, "index.json"), "utf8");
  await writeFile(join(folder, "index.json"), info.replace(/("base":"\d+\.\d+\.)[^"]+"/, '$1an older one"'));
  await api.db.execute({
    text: "update catalogs set settings_version = settings_version + 1 where id = $1",
    values: [shop.id],
  });
  const compared = await compare(shop, first, await render(shop));
  assert.deepEqual(lines(compared, "a"), ["gmc.tsv title changed: MUG A → Mug a (channel_table)"]);
  assert.equal(compared.between.renderer, true);
});

test("backward, the same differences have the same causes", async () => {
  const shop = await api.openShop();
  await push(shop, [product("a"), product("b")]);
  const first = await published(shop);
  const run = await push(shop, [product("b", { price: "12.00 USD" }), product("c")]);
  const compared = await compare(shop, await published(shop), first);
  assert.deepEqual(
    compared.items.map(({ item_id: id, change }) => `${id} ${change}`),
    ["a added", "b changed", "c removed"],
  );
  for (const { differences } of compared.items)
    for (const { cause } of differences) assert.deepEqual(cause, { kind: "source", run_id: run });
});

test("a render is equal to itself and to one that used its files", async () => {
  const shop = await api.openShop();
  await push(shop, [product("a"), product("b")]);
  const first = await published(shop);
  const second = await render(shop);
  assert.notEqual(first, second);
  for (const other of [first, second]) {
    const { items, totals } = await compare(shop, first, other);
    assert.deepEqual([items, totals.differences, totals.items.unchanged], [[], 0, 2]);
  }
});

test("an item that a file leaves out from now on is removed from that file alone", async () => {
  const shop = await api.openShop();
  await changeCatalogSettings(api.db, shop.id, { currency: "USD", incompleteItems: { google: "leave_out" } });
  await push(shop, [product("a"), product("b")]);
  const first = await published(shop);
  await push(shop, [product("a", { image: null }), product("b")]);
  const compared = await compare(shop, first, await published(shop));
  assert.ok(lines(compared, "a").includes("gmc.tsv item removed: - → - (source)"));
  assert.ok(lines(compared, "a").some((line) => line.startsWith("jsonld.json image removed")));
});

test("an item that will be refused from now on differs in its empty cells and is not removed", async () => {
  const shop = await api.openShop();
  await push(shop, [product("a"), product("b")]);
  const first = await published(shop);
  await push(shop, [product("a", { image: null }), product("b")]);
  const compared = await compare(shop, first, await published(shop));
  const inGoogle = lines(compared, "a").filter((line) => line.startsWith("gmc.tsv"));
  assert.match(inGoogle.join(), /^gmc\.tsv image_link removed: \S+ → - \(source\)$/);
});

test("as JSON Lines the comparison is a line for its head, one for each item, and one for the totals", async () => {
  const shop = await api.openShop();
  await push(shop, [product("a"), product("b"), product("c")]);
  const first = await published(shop);
  await push(shop, [product("a", { title: "x" }), product("b", { title: "y" }), product("c")]);
  const second = await published(shop);
  const path = `/api/v1/renders/${first}/compare/${second}?limit=1`;
  const answer = await shop.call(path, { headers: { accept: "application/x-ndjson" } });
  assert.equal(answer.headers["content-type"], "application/x-ndjson");
  const [head, item, totals, ...more] = answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  assert.deepEqual(
    [head, item, totals].map((line) => Object.keys(line ?? {})),
    [["comparison"], ["item"], ["totals"]],
  );
  assert.deepEqual(more, []);
  const { totals: counted } = totals as { totals: ComparisonTotals };
  assert.deepEqual([counted.listed, counted.items.changed], [1, 2]);
  const caused = await compare(shop, first, second, "?cause=clock");
  assert.deepEqual([caused.items, caused.totals.items.changed], [[], 2]);
});

test("unknown renders, renders of others, failed ones and those whose files are gone are refused with a sentence", async () => {
  const shop = await api.openShop();
  const other = await api.openShop();
  await push(shop, [product("a")]);
  await push(other, [product("a")]);
  const first = await published(shop);
  const call = async (before: string, after: string) =>
    shop.call(`/api/v1/renders/${before}/compare/${after}`);

  assert.match(assertProblem(await call(newId(), first), 404, "not_found").detail, /has no render/);
  assert.match(
    assertProblem(await call(first, await published(other)), 404, "not_found").detail,
    /has no render/,
  );
  assertProblem(await call("1", first), 400, "invalid_request");
  assertProblem(await call(first, "%00"), 400, "invalid_request");
  const wrong = await shop.call(`/api/v1/renders/${first}/compare/${first}?limit=-1&file=x.csv`);
  assertProblem(wrong, 400, "invalid_request");

  await rm(join(await folderOf(shop, first), "index.json"));
  assert.match(assertProblem(await call(first, first), 410, "render_gone").detail, /lost its index/);
  await rm(await folderOf(shop, first), { recursive: true });
  assert.match(assertProblem(await call(first, first), 410, "render_gone").detail, /no longer kept/);
});
