/** The first files are published in any case, and reported if their values are unlikely; own changes are not held. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changePublishGuard } from "../../src/pipeline/publication/guard/settings.ts";
import { closeAfterTests } from "../close-after.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const assertDescribed = await describedBy(api);

type Attention = { code: string; severity: string; message: string; since: string };
const attentionOf = async (shop: Shop): Promise<readonly Attention[]> => {
  const answer = await shop.call("/api/v1/catalog/status");
  assertDescribed("GET /api/v1/catalog/status", answer);
  return dataOf<{ attention: Attention[] }>(answer).attention;
};
const unlikely = async (shop: Shop) =>
  (await attentionOf(shop)).find(({ code }) => code === "unlikely_values");
const renderHeld = async (shop: Shop) =>
  (await shop.call("/api/v1/feeds", { method: "POST", body: { guard: "hold" } })).status;
const onePrice = (count: number) => mugs(count).map((row) => ({ ...row, price: "9.50 USD" }));

test("a first publication with one price for all is published and needs attention until the prices are right", async () => {
  const shop = await api.openShop(onePrice(30));
  const { status } = await shop.sync({}, { guard: "hold" });
  assert.equal(status, 200);
  assert.match((await shop.fetch("gmc.tsv")).text, /mug-030/);
  const entry = await unlikely(shop);
  assert.equal(
    entry?.message,
    "The published files have values that are probably wrong. 30 of 30 items have the same price. Check which column or field of the source the price is read from. If they are right, switch the limit off: same_price.",
  );

  shop.sells(onePrice(31));
  await shop.sync({}, { guard: "hold" });
  const later = await unlikely(shop);
  assert.match(later?.message ?? "", /31 of 31 items have the same price/);
  assert.equal(later?.since, entry?.since);

  shop.sells(mugs(40));
  await shop.sync({}, { guard: "hold" });
  assert.equal(await unlikely(shop), undefined);
});

test("a limit that is switched off ends the entry at once", async () => {
  const shop = await api.openShop(onePrice(30));
  await shop.sync();
  assert.notEqual(await unlikely(shop), undefined);
  await changePublishGuard(api.db, shop.id, { limits: { same_price: "off" } });
  assert.equal(await unlikely(shop), undefined);
});

test("titles, links and letters of a first publication are looked at, too", async () => {
  const found = async (change: (id: string) => object) => {
    const shop = await api.openShop(mugs(10).map((row) => ({ ...row, ...change(row.id) })));
    await shop.sync();
    return (await unlikely(shop))?.message.split(". ")[1];
  };
  assert.equal(await found(() => ({ title: "Mug" })), "10 of 10 items have the same title");
  assert.equal(await found((id) => ({ title: id })), "10 of 10 items have their id as their title");
  assert.equal(await found(() => ({ link: "https://shop.example/" })), "10 of 10 items have the same link");
  assert.match((await found((id) => ({ title: `GrÃ¼ner Becher ${id}` }))) ?? "", /garbled letters/);
  assert.equal(await found(() => ({})), undefined);
});

test("one title for all is held after a good publication, and a rule that does the same is not", async () => {
  const shop = await api.openShop(mugs(40));
  await shop.sync();
  shop.sells(mugs(40).map((row) => ({ ...row, title: "Mug" })));
  const held = await shop.sync({}, { guard: "hold" });
  assert.match(held.text, /render_error.*40 of 40 items have the same title/);
  shop.sells(mugs(40));
  await shop.sync();

  const rules = [{ name: "Title", action: { type: "set", field: "title", value: "Mug" } }];
  const saved = await shop.call("/api/v1/rules", { method: "PUT", body: { rules } });
  assert.equal(saved.status, 200, saved.text);
  assert.equal(await renderHeld(shop), 200);
  assert.match((await shop.fetch("gmc.tsv")).text, /mug-040\tMug\t/);

  shop.sells(mugs(40).map((row) => ({ ...row, price: "0.00 USD" })));
  const accident = await shop.sync({}, { guard: "hold" });
  assert.match(accident.text, /render_error.*40 of 40 items cost nothing/);
});

test("a move to a host that was announced is not held", async () => {
  const moved = mugs(40).map((row) => ({ ...row, link: `https://www.new.example/p/${row.id}` }));
  const shop = await api.openShop(mugs(40));
  await shop.sync();
  await changePublishGuard(api.db, shop.id, { expected_hosts: ["www.new.example"] });

  shop.sells(moved);
  const synced = await shop.sync({}, { guard: "hold" });

  assert.doesNotMatch(synced.text, /render_error/);
  assert.match((await shop.fetch("gmc.tsv")).text, /www\.new\.example/);
});

test("what follows from new settings of a source is published with its next sync, and only with that", async () => {
  const equal = mugs(40).map((row) => ({ ...row, title: "Mug" }));
  const shop = await api.openShop(equal);
  await shop.sync();
  const columns = (settings: object, more: object = {}) =>
    shop.call("/api/v1/sources", { method: "PATCH", body: { id: shop.sourceId, settings, ...more } });
  const held = async () => {
    const synced = await shop.sync({}, { guard: "hold" });
    assert.equal(synced.status, 200, synced.text);
    return synced.text.includes("render_error");
  };
  const titles = async () => (await shop.fetch("gmc.tsv")).text;

  const changed = await columns({ columns: "description=title" });
  assertDescribed("PATCH /api/v1/sources", changed);
  assert.equal(await held(), false);
  assert.match(await titles(), /mug-040\tA mug, number mug-040/);

  shop.sells(mugs(40).map((row) => ({ ...row, price: "0.00 USD" })));
  assert.equal(await held(), true);

  shop.sells(equal);
  await shop.sync();
  assert.equal((await columns({ columns: null }, { guard: "hold" })).status, 200);
  assert.equal(await held(), true);
  assert.doesNotMatch(await titles(), /mug-040\tMug\t/);
});
