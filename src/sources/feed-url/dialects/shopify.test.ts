import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf, warningsOf } from "../../events.contract.ts";
import { feedFixture } from "../feed-fixture.contract.ts";
import { namedValues } from "../../../../test/named-values.ts";

const old = `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Google Shopping / Gender,Variant Image,Variant Weight Unit,Status
polo,Polo shirt,<p>Cotton</p>,Acme,Shirts,a,TRUE,Color,Red,Size,M,P-R-M,200,shopify,3,deny,19.90,25.00,4006381333931,https://c/2.jpg,2,unisex,https://c/red.jpg,kg,active
polo,,,,,,,,Blue,,M,,210,shopify,0,continue,19.90,,,https://c/1.jpg,1,,,kg,
polo,,,,,,,,,,,,,,,,,,,https://c/3.jpg,3,,,,
mug,Mug,,Acme,Cups,,TRUE,Title,Default Title,,,MUG,0,,,deny,5.00,,,https://c/mug.jpg,1,,,kg,draft
`;

const current = `Title,URL handle,Description,Vendor,Product category,Type,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Compare-at price,Inventory tracker,Inventory quantity,Continue selling when out of stock,Weight value (grams),Weight unit for display,Product image URL,Image position,Variant image URL
Polo shirt,polo,Cotton,Acme,Apparel > Shirts,Shirts,TRUE,active,P-R,,Color,Red,19.90,,shopify,0,FALSE,200,lb,https://c/1.jpg,1,
,,,,,,,,P-B,,,Blue,18.90,19.90,shopify,2,FALSE,,lb,https://c/2.jpg,2,https://c/blue.jpg
`;

describe("a Shopify export", () => {
  test("of the old template: variants inherit their product's values, and images are collected in order", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(await world.readPage(old, { store_url: "https://shop.example/" }));

    const product = {
      title: "Polo shirt",
      description: "<p>Cotton</p>",
      brand: "Acme",
      categories: ["Shirts"],
      tags: ["a"],
      published: "TRUE",
      gender: "unisex",
      groupId: "polo",
      link: "https://shop.example/products/polo",
    };
    assert.deepEqual(drafts[0], {
      ...product,
      id: "P-R-M",
      sku: "P-R-M",
      gtin: "4006381333931",
      price: "19.90",
      listPrice: "25.00",
      quantity: "3",
      availability: "in stock",
      weight: "200",
      weightUnit: "g",
      options: namedValues({ Color: "Red", Size: "M" }),
      image: "https://c/red.jpg",
      additionalImages: ["https://c/1.jpg", "https://c/2.jpg", "https://c/3.jpg"],
    });
    assert.deepEqual(drafts[1], {
      ...product,
      id: "polo-blue-m_kvoohbb3c7",
      price: "19.90",
      quantity: "0",
      availability: "backorder",
      weight: "210",
      weightUnit: "g",
      options: namedValues({ Color: "Blue", Size: "M" }),
      image: "https://c/1.jpg",
      additionalImages: ["https://c/2.jpg", "https://c/3.jpg"],
    });
    assert.deepEqual(drafts.slice(2), [
      {
        id: "MUG",
        sku: "MUG",
        title: "Mug",
        brand: "Acme",
        categories: ["Cups"],
        published: "draft",
        price: "5.00",
        availability: "in stock",
        image: "https://c/mug.jpg",
        link: "https://shop.example/products/mug",
      },
    ]);
  });

  test("of the current template: rows without a handle belong to the product above them", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(await world.readPage(current));

    assert.deepEqual(
      drafts.map(
        ({ id, title, price, listPrice, availability, weight, weightUnit, image, categories, link }) => ({
          id,
          title,
          price,
          listPrice,
          availability,
          weight,
          weightUnit,
          image,
          categories,
          link,
        }),
      ),
      [
        {
          id: "P-R",
          title: "Polo shirt",
          price: "19.90",
          listPrice: undefined,
          availability: "out of stock",
          weight: "200",
          weightUnit: "g",
          image: "https://c/1.jpg",
          categories: ["Shirts", "Apparel > Shirts"],
          link: "/products/polo",
        },
        {
          id: "P-B",
          title: "Polo shirt",
          price: "18.90",
          listPrice: "19.90",
          availability: "in stock",
          weight: undefined,
          weightUnit: undefined,
          image: "https://c/blue.jpg",
          categories: ["Shirts", "Apparel > Shirts"],
          link: "/products/polo",
        },
      ],
    );
  });

  test("a row that belongs to no product is unreadable", async () => {
    await using world = await feedFixture();

    const [first] = await world.readPage(
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU\n,x,Color,Red,1\n",
    );

    assert.ok(first?.kind === "rejected");
    assert.match(first.rejection.message, /line 2 has no handle/);
  });

  test("a product with too many rows is refused", async () => {
    await using world = await feedFixture({ maxRowChars: 500 });
    const rows = "polo,Polo,Color,Red,1\n".repeat(200);

    const error = await failureOf(
      world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant SKU\n${rows}`),
    );

    assert.equal(error.code, "source_too_large");
  });

  test("without a SKU column is read, and every variant gets its own id", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(
      await world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant Price
tee,Tee,Size,S,10
tee,,,M,10
mug,Mug,Title,Default Title,5
`),
    );

    assert.deepEqual(
      drafts.map(({ id }) => id?.replace(/_[0-9a-v]{10}$/, "_")),
      ["tee-s_", "tee-m_", "mug_"],
    );
  });

  test("without option columns is still read by products, not by rows", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(
      await world.readPage(`Handle,Title,Body (HTML),Variant Price,Image Src
mug,Mug,Stoneware,5,https://c/1.jpg
mug,,,,https://c/2.jpg
`),
    );

    assert.deepEqual(
      drafts.map(({ title, image, additionalImages }) => [title, image, additionalImages]),
      [["Mug", "https://c/1.jpg", ["https://c/2.jpg"]]],
    );
  });

  test("repeated SKUs, long handles and equal names: ids are unique, short, and the same in any order", async () => {
    await using world = await feedFixture();
    const header = "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Barcode,Status";
    const long = "a-handle-that-shopify-made-from-a-very-long-title-with-many-words";
    const products = [
      [`tee,Tee,Size,S,T-1,10,,active`, `tee,,,M,T-1,10,,`, `tee,,,L,T-2,10,,`],
      [`${long},Long,Size,10 inches / black,,10,,active`, `${long},,,12 inches / black,,10,,`],
      [
        `signs,Signs,Text,Größe 1,,10,,active`,
        `signs,,,grosse-1,,10,,`,
        `signs,,,红色,,10,,`,
        `signs,,,🟥,,10,,`,
      ],
      [`cap,Cap,Title,Default Title,tee,10,,active`],
      [`bag,Bag,Title,Default Title,'1013,10,'4006381333931,active`],
      [`tee-copy,Tee,Size,S,T-2,10,,draft`],
    ];
    const read = async (order: readonly (readonly string[])[]) =>
      draftsOf(await world.readPage([header, ...order.flat(), ""].join("\n")));

    const drafts = await read(products);
    const ids = drafts.map(({ id = "" }) => id);
    const reordered = await read(products.toReversed());

    assert.deepEqual(
      ids.slice(0, 3).map((id) => id.replace(/_.*/, "_")),
      ["tee-s_", "tee-m_", "T-2"],
      "a draft with the same SKU changes nothing",
    );
    assert.equal(new Set(ids.slice(0, -1)).size, drafts.length - 1);
    assert.ok(ids.every((id) => id.length > 0 && id.length <= 50));
    assert.match(ids[9] ?? "", /^cap_/, "the SKU tee is the name of a group");
    assert.deepEqual([drafts[10]?.id, drafts[10]?.sku, drafts[10]?.gtin], ["1013", "1013", "4006381333931"]);
    assert.deepEqual(new Set(reordered.map(({ id }) => id)), new Set(ids));
  });

  test("items without their own id and SKU are counted, with an example", async () => {
    await using world = await feedFixture();

    const events =
      await world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty
tee,Tee,Size,S,T-1,10,1
tee,,,M,T-1,10,1
tee,,,L,,10,1
`);

    assert.deepEqual(warningsOf(events), [
      'Items whose id is made of product and options, because they have no id and no SKU of their own: 3. Of these, 2 have an SKU that is repeated in the file, is the name of another group, or has more than 50 characters, e.g. "T-1".',
    ]);
  });

  test("generated ids of unpublished items and of repeated rows are not counted", async () => {
    await using world = await feedFixture();

    const events =
      await world.readPage(`Handle,Title,Published,Status,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty
tee,Tee,true,active,Size,S,,10,1
tee,,,,,M,,10,1
tee,,,,,M,,11,1
cap,Cap,true,draft,Size,S,,10,1
`);

    assert.equal(draftsOf(events).length, 4);
    assert.deepEqual(warningsOf(events), [
      "Items whose id is made of product and options, because they have no id and no SKU of their own: 2.",
    ]);
  });

  test("with variant ids: these are the item ids, and links lead to the variant", async () => {
    await using world = await feedFixture();

    const [draft] = draftsOf(
      await world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant ID,Variant SKU,Variant Price
tee,Tee,Size,S,4411,T-1,10
`),
    );

    assert.deepEqual([draft?.id, draft?.link], ["4411", "/products/tee?variant=4411"]);
  });

  test("availability is read from the stock columns, and has a default for a missing value", async () => {
    await using world = await feedFixture();
    const availabilities = async (columns: string, ...cells: readonly string[]) => {
      const rows = cells.map((cell, at) => `p${at},P,Title,Default Title,P${at},10,${cell}`);
      const header = `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,${columns}`;
      const events = await world.readPage([header, ...rows, ""].join("\n"));
      return {
        values: draftsOf(events).map(({ availability, quantity }) => [availability, quantity]),
        assumed: /how many of (\d+) items?/.exec(warningsOf(events).join())?.[1],
      };
    };

    assert.deepEqual(
      await availabilities(
        "Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy",
        "shopify,2,deny",
        "shopify,0,deny",
        "shopify,-1,continue",
        ",0,deny",
        "shopify,,deny",
        "shopify,,continue",
      ),
      {
        values: [
          ["in stock", "2"],
          ["out of stock", "0"],
          ["backorder", "-1"],
          ["in stock", undefined],
          ["in stock", undefined],
          ["in stock", undefined],
        ],
        assumed: "1",
      },
    );
    assert.deepEqual(
      await availabilities("Variant Inventory Tracker,Variant Inventory Policy", "shopify,deny", ",deny"),
      {
        values: [
          ["in stock", undefined],
          ["in stock", undefined],
        ],
        assumed: "1",
      },
    );
    assert.deepEqual(
      await availabilities(
        "Inventory quantity,Continue selling when out of stock",
        "0,TRUE",
        "0,FALSE",
        "0,CONTINUE",
      ),
      {
        values: [
          ["backorder", "0"],
          ["out of stock", "0"],
          ["backorder", "0"],
        ],
        assumed: undefined,
      },
    );
    assert.deepEqual(await availabilities("Tags", "a"), {
      values: [["in stock", undefined]],
      assumed: "1",
    });
  });

  test("Shopify's own columns are read: unit prices, shipping, MPN, target groups", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(
      await world.readPage(`Title,URL handle,SKU,Option1 name,Option1 value,Price,Requires shipping,Unit price total measure,Unit price total measure unit,Unit price base measure,Unit price base measure unit,Google Shopping / Manufacturer part number (MPN),Google Shopping / Custom product,Zielgeschlecht (product.metafields.shopify.target-gender),Age group (product.metafields.shopify.age-group),Google Shopping / Age group
Oil,oil,OIL,Title,Default Title,9,TRUE,750,ml,100,ml,M-1,TRUE,weiblich,adults; kids,
Song,song,SONG,Title,Default Title,1,FALSE,,,,,,TRUE,,,Adult (13+ years old)
`),
    );

    assert.deepEqual(
      drafts.map((d) => [
        [d.unitPricingMeasure, d.unitPricingBaseMeasure, d.isDigital],
        [d.mpn, d.identifierExists, d.gender, d.ageGroup],
      ]),
      [
        [
          ["750 ml", "100 ml", undefined],
          ["M-1", undefined, "weiblich", undefined],
        ],
        [
          [undefined, undefined, "true"],
          [undefined, "no", undefined, "Adult"],
        ],
      ],
    );
  });

  test("gift cards and products without a variant are counted as rejected", async () => {
    await using world = await feedFixture();

    const events =
      await world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Gift Card
card,Gift card,Title,Default Title,,10,true
empty,Empty,,,,,false
`);

    assert.deepEqual(warningsOf(events), ["Gift cards left out: 1. Google and OpenAI do not accept them."]);
    const rejected = events.flatMap((event) => (event.kind === "rejected" ? [event.rejection.message] : []));
    assert.deepEqual(rejected, [
      'The product "empty" on line 3 has no variant: no row of it has a price, an option or an SKU. Add a price in Shopify and export again.',
    ]);
  });

  test("several images in one cell are several images", async () => {
    await using world = await feedFixture();

    const [draft] = draftsOf(
      await world.readPage(`Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src
mug,Mug,Title,Default Title,MUG,5,"https://c/1.jpg, https://c/2.jpg"
`),
    );

    assert.deepEqual([draft?.image, draft?.additionalImages], ["https://c/1.jpg", ["https://c/2.jpg"]]);
  });
});
