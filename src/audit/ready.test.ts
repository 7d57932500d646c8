/** The audit and the renderers must not contradict each other: what a file leaves out is never called ready for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CHANNELS } from "../channels/registry.ts";
import { anyCatalog } from "./any-catalog.fixture.ts";
import { auditItem } from "./audit-item.ts";
import { KNOWN_FAULTS } from "./known-faults/all.fixture.ts";
import { type Catalog, groupsOf, PERFECT } from "./perfect.fixture.ts";
import { type Format, FORMATS } from "./rule.ts";

/** The items that a format's file leaves out. */
function leftOut({ context, items }: Catalog, format: Format): string[] {
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
    for (const id of leftOut(catalog, format)) {
      const [item] = catalog.items.filter((one) => one.id === id);
      assert.ok(item && auditItem(item, catalog.context).blocks.includes(format), `${id} in ${format}`);
    }
  }
}

test("an item with a known fault that a file leaves out is not called ready for it", () => {
  const left = KNOWN_FAULTS.flatMap(({ spoil }) => leftOut(spoil(PERFECT), "gmc"));
  assert.ok(left.length >= 5);

  for (const { spoil } of KNOWN_FAULTS) expectBlocked(spoil(PERFECT));
});

test("an item with faults at random that a file leaves out is not called ready for it", () => {
  fc.assert(fc.property(anyCatalog, expectBlocked), { numRuns: 40 });
});
