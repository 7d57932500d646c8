/**
 * The audit and the renderers agree: the items that a file reports as refused are those that the audit counts as
 * refused.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Item } from "../catalog/item.ts";
import { CHANNELS } from "../channels/registry.ts";
import { anyCatalog, anyRuledCatalog, auditAll } from "./any-catalog.fixture.ts";
import { auditItem } from "./audit-item.ts";
import { KNOWN_FAULTS } from "./known-faults/all.fixture.ts";
import { type PerfectCatalog, groupsOf, item, patched, PERFECT } from "./perfect.fixture.ts";
import { ALL_FORMATS, type AuditFormat, FORMATS } from "./rule.ts";
import { expectSameRefusals } from "../../test/expect-agreement.ts";
import { cases } from "../../test/long.ts";

function refusedIds({ context, items }: PerfectCatalog, format: AuditFormat): string[] {
  const { settings, asOf } = context;
  const writer = CHANNELS[FORMATS[format].files[0]].open({
    catalog: { slug: "shop", name: settings.sellerName ?? "" },
    settings,
    asOf,
    snapshotAt: asOf,
  });
  return groupsOf(items).flatMap((group) =>
    writer
      .group(group)
      .refusals.filter(({ isWritten }) => isWritten)
      .map(({ itemId }) => itemId),
  );
}

/** Neither the settings nor the catalog name a seller. */
function withoutSeller({ context, items }: PerfectCatalog): PerfectCatalog {
  const { sellerName: _, ...settings } = context.settings;
  return { context: { ...context, settings }, items };
}

function expectSame(catalog: PerfectCatalog): void {
  const { context, items } = catalog;
  const { verdicts, report } = auditAll(catalog);
  const reports = items.map((one) => {
    const verdict = verdicts.find(({ itemId }) => itemId === one.id)?.encoded ?? null;
    const siblings = items.filter(({ groupId }) => groupId !== undefined && groupId === one.groupId);
    return auditItem(one, context, { siblings, verdict });
  });
  for (const format of ALL_FORMATS) {
    const refused = refusedIds(catalog, format);
    const blocked = reports.filter(({ blocks }) => blocks.includes(format)).map(({ item_id }) => item_id);
    assert.deepEqual(blocked, refused, format);
    const { channel } = FORMATS[format];
    const total = items.filter(({ feed }) => feed?.excluded?.[channel] === undefined).length;
    const found = report.formats.find(({ id }) => id === format);
    assert.deepEqual([found?.ready, found?.total], [total - refused.length, total], `ready for ${format}`);
  }
}

test("of the test cases, the audit counts exactly the items as refused that a file reports", () => {
  const left = KNOWN_FAULTS.flatMap(({ mutate }) => refusedIds(mutate(PERFECT), "gmc"));
  assert.ok(left.length >= 5);

  for (const { mutate } of KNOWN_FAULTS) expectSame(mutate(PERFECT));
});

test("of any catalog, the audit counts exactly the items as refused that a file reports", () => {
  fc.assert(fc.property(anyCatalog, expectSame), { numRuns: cases(300) });
  fc.assert(
    fc.property(anyCatalog, (catalog) => expectSame(withoutSeller(catalog))),
    { numRuns: cases(50) },
  );
});

test("each channel counts the items that it publishes, with the values that rules give it", () => {
  fc.assert(fc.property(anyRuledCatalog, expectSame), { numRuns: cases(300) });
});

test("an item whose link or main image has a private host is refused in every file and in the audit", () => {
  const images = ["https://cdn.shop.example/1.jpg", "http://nas.local/2.jpg"];
  for (const host of ["localhost:3000", "127.0.0.1", "[::1]", "192.168.1.7:8080", "shop.local", "staging"]) {
    for (const patch of [{ link: `http://${host}/stool` }, { images: [`http://${host}/1.jpg`] }]) {
      const catalog = item("stool", patch)(PERFECT);
      for (const format of ALL_FORMATS)
        assert.deepEqual(refusedIds(catalog, format), ["stool"], `${host} in ${format}`);
      expectSame(catalog);
    }
  }
  assert.deepEqual(
    refusedIds(item("stool", { images })(PERFECT), "jsonld"),
    [],
    "a further image is not needed",
  );
});

test("an item without an image or with a price of zero is refused in every file, by its validator and in the audit", async () => {
  const price = { amount: "0.00", currency: "EUR" };
  for (const patch of [{ images: undefined }, { price }, { images: undefined, price }]) {
    const catalog = item("stool", patch)(PERFECT);
    for (const format of ALL_FORMATS) assert.deepEqual(refusedIds(catalog, format), ["stool"], format);
    expectSame(catalog);
    await expectSameRefusals(groupsOf(catalog.items), catalog.context.settings);
  }
  const contract = {
    price,
    google: { subscription_cost: [{ period: "month", period_length: "12", amount: "35.00 EUR" }] },
  };
  const catalog = item("stool", contract)(PERFECT);
  assert.deepEqual([refusedIds(catalog, "gmc"), refusedIds(catalog, "jsonld")], [[], ["stool"]]);
  expectSame(catalog);
});

test("an address that is too long for Google is refused in the audit as in the file", () => {
  const long = `https://shop.example/${"a".repeat(2_000)}`;
  for (const patch of [{ link: long }, { images: [long] }]) {
    const catalog = item("stool", patch)(PERFECT);
    assert.deepEqual(refusedIds(catalog, "gmc"), ["stool"]);
    expectSame(catalog);
  }
});

test("an item that shares its link or image with unrelated products is found and not refused", () => {
  const logo = "https://cdn.shop.example/logo.png";
  const names = ["Kettle", "Bowl", "Lamp", "Chair", "Spoon", "Basket", "Mirror", "Clock"];
  const items = names.map((name) => ({
    ...patched(PERFECT.items.find(({ id }) => id === "stool") as Item, {
      groupId: undefined,
      gtin: undefined,
    }),
    id: name,
    title: `${name} of solid oak`,
    link: "https://shop.example/sale",
    images: [logo],
  }));
  const catalog = { ...PERFECT, items };

  const { report } = auditAll(catalog);

  expectSame(catalog);
  for (const id of ["eligibility.link", "eligibility.image_placeholder"]) {
    const rule = report.rules.find((one) => one.id === id);
    assert.ok(rule && rule.items > 0, id);
    assert.equal(rule.refused, 0, id);
  }
});
