/** The audit and the renderers agree: an item that a destination will refuse is not ready for its format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CHANNELS } from "../channels/registry.ts";
import { anyCatalog } from "./any-catalog.fixture.ts";
import { auditItem } from "./audit-item.ts";
import { KNOWN_FAULTS } from "./known-faults/all.fixture.ts";
import { type Catalog, groupsOf, item, PERFECT } from "./perfect.fixture.ts";
import { type Format, FORMATS } from "./rule.ts";

function refusedIds({ context, items }: Catalog, format: Format): string[] {
  const { settings, asOf } = context;
  const writer = CHANNELS[FORMATS[format].files[0]].open({
    catalog: { slug: "shop", name: settings.sellerName ?? "" },
    settings,
    asOf,
    snapshotAt: asOf,
  });
  return groupsOf(items).flatMap((group) => writer.group(group).refusals.map(({ itemId }) => itemId));
}

/** Neither the settings nor the catalog name a seller. */
function withoutSeller({ context, items }: Catalog): Catalog {
  const { sellerName: _, ...settings } = context.settings;
  return { context: { ...context, settings }, items };
}

function expectBlocked(catalog: Catalog): void {
  for (const format of Object.keys(FORMATS) as Format[]) {
    for (const id of refusedIds(catalog, format)) {
      const [item] = catalog.items.filter((one) => one.id === id);
      assert.ok(item && auditItem(item, catalog.context).blocks.includes(format), `${id} in ${format}`);
    }
  }
}

test("an item of the test cases that will be refused is not ready for its format", () => {
  const left = KNOWN_FAULTS.flatMap(({ mutate }) => refusedIds(mutate(PERFECT), "gmc"));
  assert.ok(left.length >= 5);

  for (const { mutate } of KNOWN_FAULTS) expectBlocked(mutate(PERFECT));
});

test("a random item that will be refused is not ready for its format", () => {
  fc.assert(fc.property(anyCatalog, expectBlocked), { numRuns: 40 });
  fc.assert(
    fc.property(anyCatalog, (catalog) => expectBlocked(withoutSeller(catalog))),
    { numRuns: 10 },
  );
});

test("an item whose link or main image has a private host is refused in every file and in the audit", () => {
  const images = ["https://cdn.shop.example/1.jpg", "http://nas.local/2.jpg"];
  for (const host of ["localhost:3000", "127.0.0.1", "[::1]", "192.168.1.7:8080", "shop.local", "staging"]) {
    for (const patch of [{ link: `http://${host}/stool` }, { images: [`http://${host}/1.jpg`] }]) {
      const catalog = item("stool", patch)(PERFECT);
      for (const format of Object.keys(FORMATS) as Format[])
        assert.deepEqual(refusedIds(catalog, format), ["stool"], `${host} in ${format}`);
      expectBlocked(catalog);
    }
  }
  assert.deepEqual(
    refusedIds(item("stool", { images })(PERFECT), "jsonld"),
    [],
    "a further image is not needed",
  );
});

test("an address that is too long for Google is refused in the audit as in the file", () => {
  const long = `https://shop.example/${"a".repeat(2_000)}`;
  for (const patch of [{ link: long }, { images: [long] }]) {
    const catalog = item("stool", patch)(PERFECT);
    assert.deepEqual(refusedIds(catalog, "gmc"), ["stool"]);
    expectBlocked(catalog);
  }
});
