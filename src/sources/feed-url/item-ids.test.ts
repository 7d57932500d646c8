import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Draft } from "../../catalog/draft.ts";
import { itemIds, madeId } from "./item-ids.ts";

type Row = { readonly draft: Draft; readonly key?: readonly string[] };

/** The ids of the rows, as a file that is read twice gives them. */
function idsOf(rows: readonly Row[]): (string | undefined)[] {
  const ids = itemIds();
  for (const { draft } of rows) ids.count(draft);
  return rows.map((row) => {
    const { draft } = ids.assign({ kind: "draft", ...row });
    return draft.id ?? draft.sku;
  });
}

type Product = {
  readonly handle: string;
  readonly variants: readonly { readonly sku: string | undefined; readonly values: readonly string[] }[];
};

/** As Shopify exports it: a group if it has options or several variants. */
function rowsOf({ handle, variants }: Product): Row[] {
  const isGroup = variants.length > 1 || variants.some(({ values }) => values.length > 0);
  return variants.map(({ sku, values }) => ({
    key: [handle],
    draft: {
      ...(sku === undefined ? {} : { sku }),
      ...(isGroup ? { groupId: handle } : {}),
      ...(values.length > 0 ? { options: values.map((value, at) => ({ name: `Option${at}`, value })) } : {}),
    },
  }));
}

const words = fc.constantFrom(
  "red",
  "Red",
  "rot",
  "Größe 1",
  "grosse-1",
  "红色",
  "蓝色",
  "🟥",
  "🟦",
  "x".repeat(60),
);
const handles = fc.oneof(
  fc.constantFrom(
    "polo",
    "polo-red",
    "mug",
    "a".repeat(80),
    `${"a".repeat(80)}b`,
    "红色",
    "蓝色",
    "grosse-1",
  ),
  fc.stringMatching(/^[a-z0-9-]{1,12}$/),
);
const skus = fc.option(fc.oneof(fc.constantFrom("polo", "mug", "A", "B", "s".repeat(51)), handles), {
  nil: undefined,
});
const products: fc.Arbitrary<Product> = fc.record({
  handle: handles,
  variants: fc.uniqueArray(fc.record({ sku: skus, values: fc.array(words, { maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ values }) => JSON.stringify(values),
  }),
});
const catalogs = fc.uniqueArray(products, { maxLength: 8, selector: ({ handle }) => handle });

describe("the id of an item without one", () => {
  test("law: ids are unique, at most 50 characters long, and differ from the group ids of other products", () => {
    fc.assert(
      fc.property(catalogs, (catalog) => {
        const rows = catalog.flatMap(rowsOf);
        const ids = idsOf(rows);
        assert.equal(new Set(ids).size, rows.length);
        for (const [at, id = ""] of ids.entries()) {
          assert.ok(id.length > 0 && id.length <= 50, id);
          for (const other of rows) {
            if (other.draft.groupId !== rows[at]?.draft.groupId) assert.notEqual(id, other.draft.groupId);
          }
        }
      }),
    );
  });

  test("law: the order of rows and products changes no id", () => {
    const shuffled = catalogs.chain((catalog) => {
      const rows = catalog.flatMap(rowsOf);
      return fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }));
    });
    fc.assert(
      fc.property(shuffled, ([rows, reordered]) => {
        const before = new Map(idsOf(rows).map((id, at) => [rows[at], id]));
        for (const [at, id] of idsOf(reordered).entries()) assert.equal(id, before.get(reordered[at]));
      }),
    );
  });

  test("law: removing a product changes no other id, except for SKUs that become unique", () => {
    fc.assert(
      fc.property(catalogs, products, (catalog, extra) => {
        const others = catalog.filter(({ handle }) => handle !== extra.handle).flatMap(rowsOf);
        const taken = new Set([extra.handle, ...extra.variants.map(({ sku }) => sku)]);
        const alone = idsOf(others);
        const together = idsOf([...rowsOf(extra), ...others]).slice(extra.variants.length);
        for (const [at, { draft }] of others.entries()) {
          if (draft.sku === undefined || !taken.has(draft.sku)) assert.equal(together[at], alone[at]);
        }
      }),
    );
  });

  test("is the SKU, unless it is repeated, equals a group id, or is too long for Google", () => {
    const shirt = (sku: string, value: string): Row => ({
      key: ["shirt"],
      draft: { sku, groupId: "shirt", options: [{ name: "Size", value }] },
    });
    const ids = idsOf([
      shirt("S-1", "S"),
      shirt("S-2", "M"),
      shirt("S-2", "L"),
      shirt("shirt", "XL"),
      shirt("S".repeat(51), "XXL"),
      { key: ["cap"], draft: { sku: "shirt" } },
    ]);
    assert.equal(ids[0], "S-1");
    assert.match(ids[1] ?? "", /^shirt-m_[0-9a-v]{10}$/);
    assert.match(ids[2] ?? "", /^shirt-l_[0-9a-v]{10}$/);
    // The second "shirt" repeats the SKU, so neither has it.
    assert.match(ids[3] ?? "", /^shirt-xl_/);
    assert.match(ids[4] ?? "", /^shirt-xxl_/);
    assert.match(ids[5] ?? "", /^cap_/);
  });

  test("stays the SKU if the only other item with it is a draft", () => {
    const rows: Row[] = [
      { key: ["shirt"], draft: { sku: "S-1", published: "TRUE" } },
      { key: ["copy-of-shirt"], draft: { sku: "S-1", published: "draft" } },
    ];
    assert.equal(idsOf(rows)[0], "S-1");
  });

  test("is generated from group, link and attributes if a file has neither handle nor SKU", () => {
    const link = "https://shop.example/shoes/runner?color=1";
    const [red, blue, moved, titled] = idsOf([
      { draft: { title: "Runner", link, color: "Red" } },
      { draft: { title: "Runner", link, color: "Blue" } },
      {
        draft: {
          title: "Runner, renamed",
          link: link.replace("shop.example", "www.shop.example"),
          color: "Red",
        },
      },
      { draft: { title: "Only a title" } },
    ]);
    assert.match(red ?? "", /^shoes-runner-color-1-red_/);
    assert.notEqual(blue, red);
    assert.equal(moved, red, "another host and another title are the same item");
    assert.match(titled ?? "", /^only-a-title_/);
  });

  test("is missing if there is nothing to generate it from", () => {
    assert.deepEqual(idsOf([{ draft: {} }]), [undefined]);
  });

  test("generated ids are pinned: a change would give every such item a new id", () => {
    assert.equal(madeId(["polo"], ["Blue", "M"]), "polo-blue-m_kvoohbb3c7");
    assert.equal(madeId(["mug"], []), "mug_440ldtf7sq");
    assert.equal(madeId(["红色"], []), "item_qj67m1pgdr");
  });

  test("similar texts give different ids", () => {
    const similar = ["Größe 1", "grosse-1", "GROSSE 1", "Größe  1", "🟥", "🟦", "红", "蓝"];
    const ids = similar.map((value) => madeId(["shirt"], [value]));
    assert.equal(new Set(ids).size, similar.length);
    assert.notEqual(
      madeId(["a", "b"], []),
      madeId(["a"], ["b"]),
      "a key of two parts is no key with an option",
    );
  });
});
