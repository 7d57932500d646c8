/** Rules over the API: saved, applied, tried and switched off. Source values always stay. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FEED_FILES } from "../../src/channels/registry.ts";
import type { Plan } from "../../src/contract/plans.ts";
import type { Rule } from "../../src/contract/rules.ts";
import { enqueueDueRuns } from "../../src/pipeline/maintenance.ts";
import { createKey } from "../../src/setup/keys.ts";
import { changeCatalogSettings } from "../../src/store/catalogs.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const product = (id: string, more: object = {}): object => ({
  id,
  title: `Mug ${id}`,
  description: "A glazed mug for coffee and tea, made by hand in a small pottery.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  brand: "Kiln",
  price: "9.50 EUR",
  availability: "in_stock",
  ...more,
});

async function openShop(products: readonly object[]): Promise<Shop> {
  const shop = await api.openShop();
  const pushed = await shop.call("/api/v1/catalog", { method: "PUT", body: products });
  assert.equal(pushed.status, 200, pushed.text);
  return shop;
}

type Saved = { version: number | null; applied: { changed_items: number } | null; plan: Plan | null };

async function save(shop: Shop, rules: readonly Rule[], more: object = {}): Promise<Saved> {
  const answer = await shop.call("/api/v1/rules", { method: "PUT", body: { rules, ...more } });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: Saved }).data;
}

async function publish(shop: Shop): Promise<void> {
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
}

/** The rows of gmc.tsv by id. */
async function googleRows(shop: Shop): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const [header = "", ...lines] = (await shop.fetch("gmc.tsv")).text.trimEnd().split("\n");
  const names = header.split("\t");
  return new Map(
    lines.map((line) => {
      const cells = line.split("\t");
      return [cells[0] ?? "", Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]))];
    }),
  );
}

const CONDITION: Rule = { name: "Condition", action: { type: "default", field: "condition", value: "used" } };
const NO_CHEAP: Rule = {
  name: "Nothing under 5",
  channel: "google",
  when: { all: [{ field: "price", operator: "less_than", value: "5 EUR" }] },
  action: { type: "exclude" },
};

test("a rule changes the feeds with the next render, and switching it off restores the source's values", async () => {
  const shop = await openShop([product("a"), product("b", { condition: "refurbished" })]);

  const { applied } = await save(shop, [CONDITION]);
  assert.equal(applied?.changed_items, 1);
  assert.equal((await googleRows(shop)).get("a")?.["condition"], "");
  await publish(shop);
  const changed = await googleRows(shop);
  await save(shop, []);
  await publish(shop);
  const without = await googleRows(shop);

  assert.deepEqual(
    [changed.get("a")?.["condition"], changed.get("b")?.["condition"]],
    ["used", "refurbished"],
  );
  assert.deepEqual([without.get("a")?.["condition"], without.get("b")?.["condition"]], ["", "refurbished"]);
});

test("items that are pushed or changed later get the rules too, and a patch changes the source's values", async () => {
  const shop = await openShop([product("a")]);
  await save(shop, [
    { name: "Title", action: { type: "template", field: "title", text: "{brand} {title}" } },
  ]);

  await shop.call("/api/v1/catalog", {
    method: "PATCH",
    body: [product("b"), { id: "a", title: "Cup a", price: "7.00 EUR" }],
  });

  const rows = await googleRows(shop);
  assert.deepEqual([rows.get("a")?.["title"], rows.get("a")?.["price"]], ["Kiln Cup a", "7.00 EUR"]);
  assert.equal(rows.get("b")?.["title"], "Kiln Mug b");
});

test("a rule for one channel leaves the others as they are; a refusal names the rule", async () => {
  const shop = await openShop([product("a"), product("b", { price: "3.00 EUR" })]);
  await save(shop, [
    NO_CHEAP,
    { name: "Id", action: { type: "template", field: "id", text: "shop_{id}" } },
    { name: "Short", channel: "google", action: { type: "set", field: "title", value: "Google mug" } },
  ]);
  await publish(shop);

  const rows = await googleRows(shop);
  const acp = (await shop.fetch("acp.csv")).text;
  const renders = await shop.call("/api/v1/renders");
  const [{ run_id: runId } = { run_id: "" }] = (renders.json as { data: { renders: { run_id: string }[] } })
    .data.renders;
  const excluded = await shop.call(`/api/v1/renders/${runId}/refusals`);

  assert.deepEqual([...rows.keys()], ["shop_a"]);
  assert.equal(rows.get("shop_a")?.["title"], "Google mug");
  assert.match(acp, /shop_a,.*Mug a/);
  assert.match(acp, /shop_b/);
  assert.match(excluded.text, /"item_id":"b".*excluded_by_rule.*Nothing under 5/);
  const status = await shop.call("/api/v1/catalog/status");
  assert.doesNotMatch(status.text, /items_refused/);
});

test("a dry run says what would change, by the code that changes it, and stores nothing", async () => {
  const shop = await openShop([
    product("a", { brand: null }),
    product("b"),
    product("c", { price: "3 EUR" }),
  ]);
  const rules: Rule[] = [
    NO_CHEAP,
    { name: "Brand", action: { type: "default", field: "brand", value: "Kiln & Co." } },
  ];

  const { plan, version } = await save(shop, rules, { dry_run: true });
  const untouched = await shop.call("/api/v1/rules");
  await save(shop, rules);
  await publish(shop);
  const audit = await shop.call("/api/v1/audit");

  assert.ok(plan);
  assert.equal(version, null);
  assert.equal((untouched.json as { data: { version: number } }).data.version, 0);
  assert.equal(plan.changed_items, 2);
  assert.deepEqual(
    plan.examples.find(({ item_id: id }) => id === "a"),
    { item_id: "a", changes: [{ field: "brand", before: null, after: "Kiln & Co." }] },
  );
  assert.deepEqual(plan.after.files["gmc.tsv"], { written: 2, excluded: 1, refused: 0 });
  const { exact } = (audit.json as { data: { audit: { exact: { raw: string; denominator: string } } } }).data
    .audit;
  assert.equal(plan.after.points, `${exact.raw}/${exact.denominator}`);
  assert.ok(plan.gain > 0);
});

test("a rule that cannot be used is refused with a sentence and a pointer, and nothing is stored", async () => {
  const shop = await openShop([product("a")]);

  const answer = await shop.call("/api/v1/rules", {
    method: "PUT",
    body: { rules: [{ name: "Brand", action: { type: "set", field: "brnad", value: "X" } }] },
  });

  assert.equal(answer.status, 400);
  const problem = answer.json as { detail: string; errors: { pointer: string }[] };
  assert.match(problem.detail, /no field "brnad"/);
  assert.equal(problem.errors[0]?.pointer, "/rules/0/action/field");

  const invented = await shop.call("/api/v1/rules", {
    method: "PUT",
    body: {
      rules: [{ name: "Category", action: { type: "set", field: "google_category", value: "Foo > Bar" } }],
    },
  });
  assert.equal(invented.status, 400);
  assert.match((invented.json as { detail: string }).detail, /"Foo > Bar" is not in Google's taxonomy\./);
});

test("two people who change the same version do not overwrite each other", async () => {
  const shop = await openShop([product("a")]);
  const { version } = await save(shop, [CONDITION], { version: 0 });

  const late = await shop.call("/api/v1/rules", { method: "PUT", body: { rules: [], version: 0 } });

  assert.equal(late.status, 409);
  const { data } = (await shop.call("/api/v1/rules")).json as { data: { version: number; rules: Rule[] } };
  assert.deepEqual([data.version, data.rules], [version, [CONDITION]]);
});

test("an earlier version of the rules can be read, so that it can be saved again", async () => {
  const shop = await openShop([product("a")]);
  await save(shop, [CONDITION]);
  await save(shop, []);

  const first = await shop.call("/api/v1/rules/versions/1");
  const missing = await shop.call("/api/v1/rules/versions/9");

  assert.equal(first.status, 200, first.text);
  assert.deepEqual((first.json as { data: { rules: Rule[] } }).data.rules, [CONDITION]);
  assert.equal(missing.status, 404);
});

test("new settings and a new name of a source apply the rules again, and the feeds follow", async () => {
  const shop = await openShop([product("a", { price: "4.00 EUR" })]);
  const rules: Rule[] = [
    {
      name: "Nothing under 5",
      channel: "google",
      when: { all: [{ field: "price", operator: "less_than", value: 5 }] },
      action: { type: "exclude" },
    },
  ];
  const settings = async (currency: string): Promise<void> => {
    const { key } = await createKey(api.db, {
      catalogId: shop.id,
      name: "admin",
      scopes: ["admin"],
      expiresAt: null,
    });
    const headers = { authorization: `Bearer ${key}` };
    const body = { settings: { currency } };
    const answer = await shop.call("/api/v1/catalog/settings", { method: "PATCH", headers, body });
    assert.equal(answer.status, 200, answer.text);
  };
  await settings("USD");
  await save(shop, rules);
  await publish(shop);
  assert.deepEqual([...(await googleRows(shop)).keys()], ["a"]);

  await settings("EUR");

  await until(async () => (await googleRows(shop)).size === 0, "the rule to apply to euros");
});

type StoredRules = { rules: Rule[]; problems: { code: string; message: string }[] };

test("a rule for a source that the catalog does not have is refused; when its source is removed later, it stays and says so", async () => {
  const shop = await api.openShop([{ id: "a" }, { id: "b" }]);
  assert.equal((await shop.sync()).status, 200);
  const label = (source: string): Rule => ({
    name: "Label",
    when: { all: [{ field: "source", operator: "is", value: source }] },
    action: { type: "set", field: "custom_label0", value: "own" },
  });
  const listed = await shop.call("/api/v1/sources");
  const [source] = (listed.json as { data: { sources: { id: string; name: string }[] } }).data.sources;
  assert.ok(source);
  const labels = async () => [...(await googleRows(shop)).values()].map((row) => row["custom_label_0"]);

  const refused = await shop.call("/api/v1/rules", { method: "PUT", body: { rules: [label("Old shop")] } });
  await save(shop, [label(source.name)]);
  await publish(shop);
  const before = await labels();
  const removal = { method: "DELETE", body: { id: source.id, items: "keep" } } as const;
  assert.equal((await shop.call("/api/v1/sources", removal)).status, 200);
  await until(async () => (await labels()).every((each) => each === ""), "the rule to leave the items");
  const stored = ((await shop.call("/api/v1/rules")).json as { data: StoredRules }).data;

  assert.equal(refused.status, 400);
  assert.match(refused.text, /The catalog has no source \\"old shop\\"\. Its sources: /);
  assert.deepEqual(before, ["own", "own"]);
  assert.deepEqual(stored.rules, [label(source.name)]);
  assert.match(stored.problems[0]?.message ?? "", /The catalog has no source/);
});

test("calculated prices show in the dry run, with the limits of the guard that they exceed, and in the explanation", async () => {
  const ids = Array.from({ length: 30 }, (_, at) => `p${at}`);
  const shop = await openShop(ids.map((id) => product(id, { cost: "4.37 EUR" })));
  await publish(shop);
  const rules: readonly Rule[] = [
    {
      name: "Six times",
      when: { all: [{ field: "margin_percent", operator: "greater_than", value: 50 }] },
      action: { type: "calculate", field: "price", formula: "ending_up(price * 6, 0.99)" },
    },
    { name: "Free", action: { type: "calculate", field: "sale_price", formula: "cost - 100%" } },
  ];

  const { plan } = await save(shop, rules, { dry_run: true });
  await save(shop, rules);
  await publish(shop);
  const explained = await shop.call("/api/v1/items/p1/explain?field=price");
  const files = await Promise.all(FEED_FILES.map(async (file) => (await shop.fetch(file)).text));

  assert.deepEqual(plan?.examples[0]?.changes, [{ field: "price", before: "9.50 EUR", after: "57.99 EUR" }]);
  assert.equal(plan.guard?.held, false);
  assert.match(plan.guard.exceeded.map(({ message }) => message).join(" "), /price/i);
  assert.deepEqual(
    [plan.refused_values, plan.refusals[0]?.message],
    [30, "The formula makes sale_price zero."],
  );
  assert.match(
    explained.text,
    /"before":"9.50 EUR","after":"57.99 EUR","rule":"Six times"|"rule":"Six times"[^}]*"after":"57.99 EUR"/,
  );
  for (const text of files) {
    assert.match(text, /57\.99/);
    assert.doesNotMatch(text, /4\.37/);
  }
});

test("rules that count days are applied and published again when the day changes", async () => {
  const [today, yesterday] = [0, 1].map((days) => new Date(Date.now() - days * 86_400_000).toISOString());
  const shop = await openShop([product("a", { details: [{ name: "Added", value: today }] })]);
  const isNew: Rule = {
    name: "New",
    when: { all: [{ field: "days_since.details.Added", operator: "less_than", value: 1 }] },
    action: { type: "set", field: "custom_label0", value: "new" },
  };
  await save(shop, [isNew]);
  await publish(shop);
  const label = async () => (await googleRows(shop)).get("a")?.["custom_label_0"] ?? "";
  assert.equal(await label(), "new");
  const dueAt = async () =>
    (
      await api.db.first<{ at: Date | null }>({
        text: "select rules_due_at as at from catalogs where id = $1",
        values: [shop.id],
      })
    )?.at ?? null;
  const midnight = new Date(today ?? "").setUTCHours(24, 0, 0, 0);
  assert.equal((await dueAt())?.getTime(), midnight);
  await enqueueDueRuns(api.jobs);
  assert.equal(await label(), "new");

  // A day passes: the item was added yesterday, and midnight is over.
  for (const text of [
    "update items set body = replace(body, $2, $3) where catalog_id = $1",
    "update catalogs set rules_due_at = now() where id = $1 and $2 <> $3",
  ])
    await api.db.execute({ text, values: [shop.id, today, yesterday] });
  await Promise.all([enqueueDueRuns(api.jobs), enqueueDueRuns(api.jobs)]);

  await until(async () => (await label()) === "", "the label to be gone");
  assert.equal((await dueAt())?.getTime(), midnight);
  const runs = await api.db.query<{ kind: string }>({
    text: "select kind from runs where catalog_id = $1 and cause = 'stale' order by kind",
    values: [shop.id],
  });
  assert.deepEqual(
    runs.map(({ kind }) => kind),
    ["render", "rules"],
  );
  await save(shop, []);
  assert.equal(await dueAt(), null);
});

test("one variant of each product stays in a feed, and another takes its place when the shop changes", async () => {
  const shop = await api.openShop();
  const sells = (prices: Readonly<Record<string, number>>, soldOut = ""): void => {
    const lines = Object.entries(prices).map(([id, price]) => {
      const links = `https://shop.example/p/${id},https://shop.example/i/${id}.jpg`;
      const availability = id === soldOut ? "out_of_stock" : "in_stock";
      return `${id},Mug ${id},A glazed mug.,${links},${price}.00 EUR,${availability},${id === "z" ? "" : "mug"}`;
    });
    const header = "id,title,description,link,image_link,price,availability,item_group_id";
    shop.answers({ kind: "file", body: [header, ...lines, ""].join("\n") });
  };
  sells({ a: 9, b: 7, c: 8, z: 5 });
  const sync = async (): Promise<void> => {
    const answer = await shop.sync({}, { max_removed_ratio: 1 });
    assert.equal(answer.status, 200, answer.text);
  };
  await sync();
  const cheapest: Rule = {
    name: "Cheapest only",
    channel: "google",
    when: { all: [{ field: "is_cheapest_variant", operator: "is", value: "no" }] },
    action: { type: "exclude" },
  };
  const from: Rule = {
    name: "From",
    action: { type: "calculate", field: "custom_label0", formula: "group_max.price - group_min.price" },
  };
  const plan = await save(shop, [cheapest, from], { dry_run: true });
  assert.equal(plan.plan?.changed_items, 4);
  await save(shop, [cheapest, from]);
  await publish(shop);
  const kept = async () =>
    [...(await googleRows(shop))].map(([id, row]) => `${id} ${row["custom_label_0"] ?? ""}`);
  assert.deepEqual(await kept(), ["b 2", "z 0"]);

  sells({ a: 6, b: 7, c: 8, z: 5 });
  await sync();
  assert.deepEqual(await kept(), ["a 2", "z 0"], "another is cheaper");
  sells({ a: 6, b: 7, c: 8, z: 5 }, "a");
  await sync();
  assert.deepEqual(await kept(), ["b 2", "z 0"], "the cheapest is sold out");
  sells({ a: 6, c: 8, z: 5 }, "a");
  await sync();
  assert.deepEqual(await kept(), ["c 2", "z 0"], "the one in the feed is removed");
});

test("a variant that is left alone by the removal of a source takes the place of the removed ones", async () => {
  const shop = await api.openShop();
  const header = "id,title,description,link,image_link,price,availability,item_group_id";
  const row = "a,Mug a,A mug.,https://shop.example/p/a,https://shop.example/i/a.jpg,7.00 EUR,in_stock,mug";
  shop.answers({ kind: "file", body: `${header}\n${row}\n` });
  assert.equal((await shop.sync()).status, 200);
  const pushed = [product("p", { group_id: "mug" })];
  assert.equal((await shop.call("/api/v1/catalog", { method: "PATCH", body: pushed })).status, 200);
  const when = { all: [{ field: "is_cheapest_variant", operator: "is", value: false }] } as const;
  await save(shop, [{ name: "Cheapest only", when, action: { type: "exclude" } }]);
  await publish(shop);
  assert.deepEqual([...(await googleRows(shop)).keys()], ["a"]);

  const body = { id: shop.sourceId, items: "remove" };
  assert.equal((await shop.call("/api/v1/sources", { method: "DELETE", body })).status, 200);

  await until(async () => [...(await googleRows(shop)).keys()].join() === "p", "the other variant");
});

test("the form lists shipping to the catalog's countries, days to dates and the extremes of variants", async () => {
  const shop = await api.openShop();
  const named = async (): Promise<ReadonlyMap<string, { kind: string; can_be_set: boolean }>> => {
    const { json } = await shop.call("/api/v1/rules/form");
    const { fields } = (json as { data: { fields: { name: string; kind: string; can_be_set: boolean }[] } })
      .data;
    assert.equal(new Set(fields.map(({ name }) => name)).size, fields.length);
    return new Map(fields.map(({ name, kind, can_be_set }) => [name, { kind, can_be_set }]));
  };
  assert.ok((await named()).has("shipping.US"), "an example");
  await changeCatalogSettings(api.db, shop.id, { country: "DE", targetCountries: ["DE", "AT"] });

  const fields = await named();

  for (const country of ["DE", "AT"])
    assert.deepEqual(fields.get(`shipping.${country}`), { kind: "money", can_be_set: true });
  for (const name of ["days_until.sale_to", "days_since.availability_date"])
    assert.deepEqual(fields.get(name), { kind: "number", can_be_set: false });
  assert.deepEqual(fields.get("group_min.price"), { kind: "money", can_be_set: false });
  assert.deepEqual(fields.get("group_max.quantity"), { kind: "number", can_be_set: false });
  assert.ok(!fields.has("days_until.title") && !fields.has("group_min.title"));
});
