/**
 * Who waits for whom: dry runs for nothing and nobody for them; a run of rules only delays other changes of the same
 * items.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/contract/plans.ts";
import { createKey } from "../../src/setup/keys.ts";
import { lockCatalog, lockItems } from "../../src/store/catalogs.ts";
import { sql } from "../../src/store/sql.ts";
import { runsOf, until, untilRun, waitLimit } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { runningApi } from "./running-api.ts";
import type { Asked, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const mug = (id: string, more: object = {}): object => ({
  id,
  title: `Kiln mug ${id}`,
  description: "A glazed mug for coffee and tea, made by hand in a small pottery.",
  link: `https://shop.example/p/${id}`,
  image: `https://shop.example/i/${id}.jpg`,
  price: "9.50 EUR",
  availability: "in_stock",
  ...more,
});

type Group = { readonly group: string; readonly items: number };

/** Two of three have a brand, which is proposed for the third. */
async function openShop(): Promise<Shop & { readonly group: Group }> {
  const shop = await api.openShop();
  const body = [mug("a", { brand: "Kiln" }), mug("b", { brand: "Kiln" }), mug("c")];
  assert.equal((await shop.call("/api/v1/catalog", { method: "PUT", body })).status, 200);
  const search = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(api.db, (search.json as { data: { run_id: string } }).data.run_id, "succeeded");
  const [group] = await api.db.query<Group>(sql`
    select encode(group_key, 'hex') as "group", count(*) as items from proposals
     where catalog_id = ${shop.id} and field = 'brand' and state = 'pending' group by group_key`);
  assert.ok(group);
  return { ...shop, group };
}

const rule = (value: string) => ({ name: "Label", action: { type: "set", field: "custom_label0", value } });

const openRuns = async (catalogId: string, kind: string): Promise<number> =>
  (await runsOf(api.db, catalogId)).filter((run) => run.kind === kind && run.state !== "succeeded").length;

/** Until a worker waits for the row that the test has locked. */
async function untilBlocked(): Promise<void> {
  await until(async () => {
    const waiting = await api.db.query(sql`
      select 1 from pg_stat_activity a
       where a.wait_event_type = 'Lock' and a.datname = current_database() and a.query like '%update items%'`);
    return waiting.length > 0;
  }, "the run to wait for the locked item");
}

async function untilQuiet({ id }: Shop): Promise<void> {
  await until(
    async () => (await runsOf(api.db, id)).every(({ state }) => state === "succeeded"),
    "all runs to end",
  );
}

test("a dry run reads what is locked, and locks nothing that a change needs", async () => {
  const shop = await openShop();
  const { group } = shop;
  const dryRuns: readonly (readonly [string, Asked])[] = [
    ["/api/v1/rules", { method: "PUT", body: { rules: [rule("x")], dry_run: true } }],
    [
      "/api/v1/proposals/approve",
      { method: "POST", body: { group: group.group, expected: group.items, dry_run: true } },
    ],
  ];

  const plans = await api.db.tx(async (tx) => {
    // What a merge, a decision and a change of settings lock, all at once.
    await lockItems(tx, shop.id);
    await lockCatalog(tx, shop.id);
    await tx.execute(sql`select 1 from items where catalog_id = ${shop.id} for update`);
    await tx.execute(sql`select 1 from proposals where catalog_id = ${shop.id} for update`);
    const answers = [];
    for (const [path, asked] of dryRuns)
      answers.push(await shop.call(path, { ...asked, signal: waitLimit() }));
    return answers.map(({ json }) => (json as { data: { plan: Plan } }).data.plan);
  });

  assert.deepEqual(
    plans.map(({ changed_items: items }) => items),
    [3, group.items],
  );
  const [withLabel, withBrand] = plans;
  assert.deepEqual(withLabel?.examples[0]?.changes, [{ field: "custom_label0", before: null, after: "x" }]);
  assert.ok((withBrand?.gain ?? 0) > 0);
  const changed = await api.db.query(sql`
    select 1 from items where catalog_id = ${shop.id} and effective_body is not null`);
  assert.equal(changed.length, 0);
});

test("while a run of rules computes, everything but changes of the same items is answered", async () => {
  const shop = await openShop();
  const { group } = shop;
  const later = { prefer: "respond-async" };
  const put = async (path: string, body: object) =>
    shop.call(path, { method: "PUT", headers: later, body, signal: waitLimit() });
  const post = async (path: string, body?: object) =>
    shop.call(path, { method: "POST", ...(body && { body }), signal: waitLimit() });
  const get = async (path: string) => shop.call(path, { signal: waitLimit() });

  const { answers, runId, open } = await api.db.tx(async (tx) => {
    // The run stops in the middle of its work, at an item that cannot be written.
    await tx.execute(sql`select 1 from items where catalog_id = ${shop.id} and id = 'c' for update`);
    const saved = await put("/api/v1/rules", { rules: [rule("first")] });
    const run = (saved.json as { data: { run_id: string } }).data.run_id;
    await untilBlocked();
    const { key } = await createKey(api.db, {
      catalogId: shop.id,
      name: "admin",
      scopes: ["admin"],
      expiresAt: null,
    });
    const settings = {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}` },
      body: { settings: { seller_name: "Kiln" } },
      signal: waitLimit(),
    } as const;
    const all = [
      await put("/api/v1/rules", { rules: [rule("second")] }),
      await put("/api/v1/categories", { mappings: [{ path: "Home > Mugs", category: "2169" }] }),
      await shop.call("/api/v1/catalog/settings", settings),
      await post("/api/v1/proposals/reject", { group: group.group, expected: group.items }),
      await post("/api/v1/feeds/rotate", {}),
      await get("/api/v1/feeds"),
      await get("/api/v1/rules"),
      await get("/api/v1/items/c"),
    ];
    // The render that the settings have caused is published.
    await until(async () => (await openRuns(shop.id, "render")) === 0, "the render");
    return { runId: run, answers: all, open: await openRuns(shop.id, "rules") };
  });
  await untilRun(api.db, runId, "succeeded");
  await untilQuiet(shop);

  for (const { status, text } of answers) assert.ok(status < 300, text);
  assert.equal(open, 2, "the run of the first rules, and one that waits for it");
  const labels = await api.db.query<{ label: string }>(sql`
    select effective_body::json ->> 'customLabels' as label from items where catalog_id = ${shop.id}`);
  for (const { label } of labels) assert.match(label, /second/);
});

test("a decision about a value that a run of rules also changes does not wait for the run, and stays", async () => {
  const shop = await openShop();
  const { group } = shop;
  const decision = { group: group.group, expected: group.items };
  await shop.call("/api/v1/proposals/approve", { method: "POST", body: decision });
  // The source gives another value: the run makes the approved one conflicted.
  const patch = [{ id: "c", brand: "Other" }];
  assert.equal((await shop.call("/api/v1/catalog", { method: "PATCH", body: patch })).status, 200);
  await api.db.execute(
    sql`update proposals set state = 'approved' where catalog_id = ${shop.id} and item_id = 'c' and field = 'brand'`,
  );

  const withdrawn = await api.db.tx(async (tx) => {
    await tx.execute(sql`select 1 from items where catalog_id = ${shop.id} and id = 'c' for update`);
    const body = { rules: [rule("x")] };
    await shop.call("/api/v1/rules", { method: "PUT", headers: { prefer: "respond-async" }, body });
    await untilBlocked();
    return shop.call("/api/v1/proposals/withdraw", {
      method: "POST",
      headers: { prefer: "respond-async" },
      body: decision,
      signal: waitLimit(),
    });
  });
  await untilQuiet(shop);

  assert.equal(withdrawn.status, 200, withdrawn.text);
  const states = await api.db.query<{ state: string }>(sql`
    select state from proposals where catalog_id = ${shop.id} and item_id = 'c' and field = 'brand'`);
  assert.deepEqual(states, [{ state: "pending" }]);
});
