/** The audit and the renderers agree: an item that a file excludes is not ready for its format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CHANNELS } from "../channels/registry.ts";
import { anyCatalog } from "./any-catalog.fixture.ts";
import { auditItem } from "./audit-item.ts";
import { KNOWN_FAULTS } from "./known-faults/all.fixture.ts";
import { type Catalog, groupsOf, PERFECT } from "./perfect.fixture.ts";
import { type Format, FORMATS } from "./rule.ts";

function excludedIds({ context, items }: Catalog, format: Format): string[] {
  const { settings, asOf } = context;
  const writer = CHANNELS[FORMATS[format].files[0]].open({
    catalog: { slug: "shop", name: "Shop" },
    settings,
    asOf,
    snapshotAt: asOf,
  });
  return groupsOf(items).flatMap((group) => writer.group(group).excluded.map(({ itemId }) => itemId));
}

function expectBlocked(catalog: Catalog): void {
  for (const format of Object.keys(FORMATS) as Format[]) {
    for (const id of excludedIds(catalog, format)) {
      const [item] = catalog.items.filter((one) => one.id === id);
      assert.ok(item && auditItem(item, catalog.context).blocks.includes(format), `${id} in ${format}`);
    }
  }
}

test("an item of the test cases that a file excludes is not ready for its format", () => {
  const left = KNOWN_FAULTS.flatMap(({ mutate }) => excludedIds(mutate(PERFECT), "gmc"));
  assert.ok(left.length >= 5);

  for (const { mutate } of KNOWN_FAULTS) expectBlocked(mutate(PERFECT));
});

test("a random item that a file excludes is not ready for its format", () => {
  fc.assert(fc.property(anyCatalog, expectBlocked), { numRuns: 40 });
});
