import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, warningsOf } from "../../events.contract.ts";
import type { SourceEvent, SourceSettings } from "../../source.ts";
import { feedFixture } from "../feed-fixture.contract.ts";
import { namedValues } from "../../../../test/named-values.ts";

const COLUMNS =
  "sku,store_view_code,attribute_set_code,product_type,categories,product_websites,name,description,weight,product_online,visibility,price,special_price,special_price_from_date,special_price_to_date,url_key,base_image,additional_images,hide_from_product_page,additional_attributes,qty,is_in_stock,manage_stock,use_config_manage_stock,allow_backorders,use_config_backorders,created_at,bundle_price_type,bundle_values,configurable_variations,configurable_variation_labels,associated_skus";

type Row = Readonly<Record<string, string>>;

/** An export of these rows; what a row does not say is empty. */
function magentoExport(...rows: readonly Row[]): string {
  const names = COLUMNS.split(",");
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map((row) => names.map((name) => quoted(row[name] ?? "")).join(","));
  return [COLUMNS, ...lines, ""].join("\n");
}

const simple = (sku: string, more: Row = {}): Row => ({
  sku,
  attribute_set_code: "Default",
  product_type: "simple",
  product_websites: "base",
  name: `Product ${sku}`,
  product_online: "1",
  visibility: "Catalog, Search",
  price: "19.000000",
  url_key: sku.toLowerCase(),
  qty: "10.0000",
  is_in_stock: "1",
  ...more,
});

const hoodie = (more: Row = {}): Row =>
  simple("HOODIE", {
    product_type: "configurable",
    name: "Fleece hoodie",
    description: "<p>Warm.</p>",
    categories: "Default Category/Men,Default Category/Men/Tops,Default Category/Sale, last chance",
    base_image: "/h/o/hoodie.jpg",
    additional_images: "/h/o/hoodie.jpg,/h/o/back.jpg,/h/o/a,b.jpg",
    qty: "0",
    configurable_variations: "sku=HOODIE-S-Red,color=Red,size=S|sku=HOODIE-M-Red,color=Red,size=M",
    configurable_variation_labels: "color=Colour,size=Size",
    ...more,
  });

const variant = (sku: string, more: Row = {}): Row =>
  simple(sku, { visibility: "Not Visible Individually", ...more });

async function read(file: string, settings: SourceSettings = { store_url: "https://shop.example" }) {
  await using world = await feedFixture();
  return await world.readPage(file, settings);
}

const rejections = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "rejected" ? [event.rejection] : []));

describe("a Magento export", () => {
  test("variants inherit missing values from their configurable product, wherever its row is; the product is no item", async () => {
    const drafts = draftsOf(
      await read(
        magentoExport(
          variant("HOODIE-S-Red", {
            name: "Fleece hoodie-S-Red",
            base_image: "/h/o/red.jpg",
            additional_attributes:
              "color=Red,size=S,material=Cotton|Wool,manufacturer=Fjell, Ltd,has_options=0",
          }),
          hoodie(),
          variant("HOODIE-M-Red", { is_in_stock: "0" }),
        ),
      ),
    );

    const shared = {
      description: "<p>Warm.</p>",
      groupId: "HOODIE",
      groupTitle: "Fleece hoodie",
      link: "https://shop.example/hoodie.html",
      price: "19.000000",
      quantity: "10.0000",
      categories: ["Men > Tops", "Sale, last chance"],
    };
    const [red, hood, back, both] = ["red", "hoodie", "back", "a,b"].map(
      (name) => `https://shop.example/media/catalog/product/h/o/${name}.jpg`,
    );
    assert.deepEqual(drafts, [
      {
        ...shared,
        id: "HOODIE-S-Red",
        sku: "HOODIE-S-Red",
        title: "Fleece hoodie-S-Red",
        brand: "Fjell, Ltd",
        material: "Cotton/Wool",
        availability: "in stock",
        options: namedValues({ Colour: "Red", Size: "S" }),
        image: red,
        additionalImages: [hood, back, both],
      },
      {
        ...shared,
        id: "HOODIE-M-Red",
        sku: "HOODIE-M-Red",
        title: "Product HOODIE-M-Red",
        availability: "out of stock",
        options: namedValues({ Colour: "Red", Size: "M" }),
        image: hood,
        additionalImages: [back, both],
      },
    ]);
  });

  test("an item that is not visible individually links to its product's page, and is left out without one", async () => {
    const drafts = draftsOf(
      await read(
        magentoExport(
          hoodie(),
          variant("HOODIE-S-Red"),
          simple("HOODIE-M-Red"),
          variant("LOOSE"),
          simple("OFF", { product_online: "2" }),
          simple("SET", { product_type: "grouped", associated_skus: "MEMBER=1.0000,SEEN=2.0000", price: "" }),
          variant("MEMBER"),
          simple("SEEN"),
        ),
      ),
    );

    assert.deepEqual(
      drafts.map(({ id, link, published, groupId }) => [id, link, published, groupId]),
      [
        ["HOODIE-S-Red", "https://shop.example/hoodie.html", undefined, "HOODIE"],
        ["HOODIE-M-Red", "https://shop.example/hoodie-m-red.html", undefined, "HOODIE"],
        ["LOOSE", "https://shop.example/loose.html", "not visible individually", undefined],
        ["OFF", "https://shop.example/off.html", "disabled", undefined],
        ["MEMBER", "https://shop.example/set.html", undefined, undefined],
        ["SEEN", "https://shop.example/seen.html", undefined, undefined],
      ],
    );
  });

  test("variants of a disabled product are left out, and those of a product out of stock are out of stock", async () => {
    const disabled = draftsOf(
      await read(magentoExport(hoodie({ product_online: "2" }), variant("HOODIE-S-Red"))),
    );
    const soldOut = draftsOf(
      await read(magentoExport(hoodie({ is_in_stock: "0" }), variant("HOODIE-S-Red"))),
    );

    assert.deepEqual([disabled[0]?.published, soldOut[0]?.availability], ["disabled", "out of stock"]);
  });

  test("rows of store views are translations: they are counted, and are no items", async () => {
    const events = await read(
      magentoExport(
        simple("MUG"),
        simple("MUG", { store_view_code: "de", name: "Becher" }),
        simple("MUG", { store_view_code: "fr", name: "Tasse" }),
      ),
    );

    assert.deepEqual(
      draftsOf(events).map(({ title }) => title),
      ["Product MUG"],
    );
    assert.match(warningsOf(events).join(), /^2 rows are translations for store views \(de, fr\)/);
  });

  test("an export of a single store view is read from its own rows", async () => {
    const events = await read(magentoExport(simple("MUG", { store_view_code: "de", name: "Becher" })));

    assert.deepEqual(
      draftsOf(events).map(({ title }) => title),
      ["Becher"],
    );
  });

  test("a bundle has its own price, and is rejected if its parts determine the price", async () => {
    const bundle = (sku: string, more: Row): Row => simple(sku, { product_type: "bundle", ...more });
    const parts = (price: string) =>
      `name=Strap,type=radio,required=1,sku=A,price=${price},default=1,price_type=fixed`;
    const events = await read(
      magentoExport(
        bundle("FIXED", { bundle_price_type: "fixed", bundle_values: parts("0.0000") }),
        bundle("PARTS", { bundle_price_type: "fixed", bundle_values: parts("5.0000") }),
        bundle("DYNAMIC", { bundle_price_type: "dynamic", price: "14" }),
      ),
    );

    assert.deepEqual(
      draftsOf(events).map(({ id, isBundle }) => [id, isBundle]),
      [["FIXED", "true"]],
    );
    assert.deepEqual(
      rejections(events).map(({ itemId, code }) => [itemId, code]),
      [
        ["PARTS", "missing_price"],
        ["DYNAMIC", "missing_price"],
      ],
    );
  });

  test("configurable products without variations, and variations without a row, are reported", async () => {
    const events = await read(
      magentoExport(
        hoodie(),
        variant("HOODIE-S-Red"),
        simple("ALONE", { product_type: "configurable", configurable_variations: "" }),
      ),
    );

    assert.deepEqual(warningsOf(events), [
      "1 configurable products have no variations in the export and are left out: ALONE. Export the column configurable_variations.",
      "1 variations are named by their configurable or grouped product, but have no row in the file. Export all products.",
      'These columns have values that are not used: "attribute_set_code", "product_websites".',
    ]);
  });

  test("sale dates in the admin's language are read if the file shows the order of day and month, and are not used otherwise", async () => {
    const sale = (more: Row): Row => simple("MUG", { special_price: "9.5000", ...more });
    const dates = async (row: Row) => {
      const [draft] = draftsOf(await read(magentoExport(row)));
      return [draft?.saleFrom, draft?.saleTo];
    };

    assert.deepEqual(
      [
        await dates(sale({ special_price_from_date: "5/1/26", special_price_to_date: "5/22/26" })),
        await dates(sale({ special_price_from_date: "1/5/26", created_at: "7/6/19, 8:21 AM" })),
        await dates(sale({ special_price_from_date: "22/05/2026" })),
        await dates(sale({ special_price_from_date: "1/5/26" })),
        await dates(sale({ special_price_from_date: "2026-05-01 00:00:00" })),
      ],
      [
        ["2026-05-01", "2026-05-22"],
        ["2026-01-05", undefined],
        ["2026-05-22", undefined],
        ["1/5/26", undefined],
        ["2026-05-01", undefined],
      ],
    );
  });

  test("availability is Magento's is_in_stock, unless the row manages its own stock and has none", async () => {
    const counted = { qty: "0", manage_stock: "1", use_config_manage_stock: "0", use_config_backorders: "0" };
    const drafts = draftsOf(
      await read(
        magentoExport(
          simple("A", { qty: "0", is_in_stock: "1" }),
          simple("B", { ...counted, allow_backorders: "0" }),
          simple("C", { ...counted, allow_backorders: "1" }),
          simple("D", { qty: "5", is_in_stock: "0" }),
          simple("E", {
            qty: "",
            is_in_stock: "",
            additional_attributes: "quantity_and_stock_status=Out of Stock",
          }),
        ),
      ),
    );

    assert.deepEqual(
      drafts.map(({ availability, quantity }) => [availability, quantity]),
      [
        ["in stock", undefined],
        ["out of stock", "0"],
        ["backorder", "0"],
        ["out of stock", "5"],
        ["out of stock", undefined],
      ],
    );
  });

  test("hidden and unset images are left out", async () => {
    const [draft] = draftsOf(
      await read(
        magentoExport(
          simple("MUG", {
            base_image: "no_selection",
            additional_images: "/m/u/a.jpg,/m/u/hidden.jpg,https://cdn.example/c.jpg",
            hide_from_product_page: "/m/u/hidden.jpg",
          }),
        ),
      ),
    );

    assert.deepEqual(
      [draft?.image, draft?.additionalImages],
      ["https://shop.example/media/catalog/product/m/u/a.jpg", ["https://cdn.example/c.jpg"]],
    );
  });

  test("a weight is left out unless its unit is set, and a link template replaces the default link", async () => {
    const file = magentoExport(hoodie(), variant("HOODIE-S-Red", { weight: "0.500000" }));
    const plain = await read(file);
    const set = await read(file, {
      columns: "weight = weight (kg)",
      link_template: "https://shop.example/shop/{url_key}",
    });

    assert.equal(draftsOf(plain)[0]?.weight, undefined);
    assert.match(warningsOf(plain).join(), /1 weights are left out .* "weight = weight \(kg\)"/);
    const [draft] = draftsOf(set);
    assert.deepEqual(
      [draft?.weight, draft?.weightUnit, draft?.link],
      ["0.500000", "kg", "https://shop.example/shop/hoodie"],
    );
  });

  test("quoted attributes keep their commas, and prices are rounded to two decimals", async () => {
    const [draft] = draftsOf(
      await read(
        magentoExport(
          simple("MUG", { price: "16.6667", additional_attributes: 'color="Red, dark",gender=Men|Women' }),
        ),
      ),
    );

    assert.deepEqual([draft?.color, draft?.gender, draft?.price], ["Red, dark", "Men and Women", "16.67"]);
  });
});
