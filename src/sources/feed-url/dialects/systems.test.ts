import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Draft } from "../../../catalog/draft.ts";
import { normalize } from "../../../catalog/normalize.ts";
import { namedValues } from "../../../../test/named-values.ts";
import { draftsOf, warningsOf } from "../../events.contract.ts";
import type { SourceSettings } from "../../source.ts";
import { feedFixture } from "../feed-fixture.contract.ts";

async function read(file: string, settings: SourceSettings = {}) {
  await using world = await feedFixture();
  return await world.readPage(file, settings);
}

/** These fields of every item. */
async function fieldsOf(file: string, fields: readonly (keyof Draft)[], settings: SourceSettings = {}) {
  return draftsOf(await read(file, settings)).map((draft) => fields.map((field) => draft[field]));
}

describe("a Wix export", () => {
  const header =
    "handleId,fieldType,name,description,productImageUrl,collection,sku,price,surcharge,visible,discountMode,discountValue,inventory,weight,cost,productOptionName1,productOptionType1,productOptionDescription1";
  const file = `${header}
product_1,Product,Canvas tote,<p>Sturdy.</p>,a1~mv2.jpg;https://cdn.example/b.jpg,Bags;New,,20.0,,true,PERCENT,10.0,InStock,0.0,4.0,Color,COLOR,#000000:Black;#ff0000:Red
product_1,Variant,,,,,TOTE-B,,0.0,true,,,3,,,,,#000000:Black
product_1,Variant,,,,,,,5.5,true,,,OutOfStock,,,,,rgb(255%2C 0%2C 0):Red
product_2,Product,Mug,,m.jpg,,MUG,9.0,,false,AMOUNT,0,7,0.4,,Size,DROP_DOWN,S;M
`.replaceAll("%2C", ";");

  test("a variant costs its product's price and its surcharge, less the discount", async () => {
    const items = await fieldsOf(file.replace("rgb(255; 0; 0):Red", '"rgb(255, 0, 0):Red"'), [
      "sku",
      "price",
      "salePrice",
      "quantity",
      "options",
      "groupId",
      "image",
      "categories",
      "published",
    ]);

    const images = "https://static.wixstatic.com/media/";
    assert.deepEqual(items, [
      [
        "TOTE-B",
        "20.000000",
        "18.00",
        "3",
        namedValues({ Color: "Black" }),
        "product_1",
        `${images}a1~mv2.jpg`,
        ["Bags", "New"],
        undefined,
      ],
      [
        undefined,
        "25.500000",
        "22.95",
        "OutOfStock",
        namedValues({ Color: "Red" }),
        "product_1",
        `${images}a1~mv2.jpg`,
        ["Bags", "New"],
        undefined,
      ],
      ["MUG", "9.0", undefined, "7", undefined, undefined, `${images}m.jpg`, undefined, "hidden"],
    ]);
  });

  test("a surcharge may be negative, and one that cannot be read rejects its variant", async () => {
    const priced = async (surcharge: string) => {
      const [, draft] = draftsOf(await read(file.replace(",,,5.5,true", `,,,"${surcharge}",true`)));
      const normalized = normalize({ id: "1", ...draft }, { position: 1, settings: { currency: "USD" } });
      if (normalized.kind === "item") return normalized.item.price.amount;
      return normalized.rejection.message;
    };
    assert.equal(await priced("-0.25"), "19.75");
    assert.equal(await priced("1,50"), "21.50");
    assert.equal(await priced("+1.50"), "21.50");
    for (const [surcharge, shown] of [
      ["$2.00", "$2.00"],
      ["-20.00", "minus 20.00"],
      ["-21", "minus 21"],
      ["1,500", "1,500"],
      ["EUR", "EUR"],
    ] as const)
      assert.equal(
        await priced(surcharge),
        `The price "20.0 and a surcharge of ${shown}" is not a single number.`,
      );
  });

  test("a discount that cannot be read is left out with a warning", async () => {
    const salePrice = async (discount: string) =>
      draftsOf(await read(file.replace("PERCENT,10.0", `PERCENT,${discount}`)))[0]?.salePrice;
    assert.equal(await salePrice("10 %"), "18.00");
    assert.equal(await salePrice("0"), undefined);
    // The check of prices refuses these and quotes them.
    assert.equal(await salePrice("ten"), "20.000000 less a discount of ten");
    assert.equal(await salePrice("100"), "20.000000 less a discount of 100");
  });

  test("the new format: variants have prices of their own, and rows of media are further images", async () => {
    const newer = `handle,fieldType,name,visible,plainDescription,media,brand,price,strikethroughPrice,inventory,sku,barcode,productOptionName1,productOptionType1,productOptionChoices1
tote,PRODUCT,Canvas tote,TRUE,Sturdy.,wix:image://v1/a1~mv2.jpg/tote.jpg#originWidth=800&originHeight=600,Kiln,20.00,25.00,IN_STOCK,,,Color,TEXT_CHOICES,Black;Red
tote,VARIANT,,TRUE,,,,20.00,,3,TOTE-B,4006381333931,Color,TEXT_CHOICES,Black
tote,VARIANT,,TRUE,,,,22.00,,OUT_OF_STOCK,TOTE-R,,Color,TEXT_CHOICES,Red
tote,MEDIA,,,,https://cdn.example/b.jpg,,,,,,,,,
tote,MEDIA,,,,wix:video://v1/a1/b.mp4,,,,,,,,,
other,VARIANT,,TRUE,,,,9.00,,1,LOST,,Color,TEXT_CHOICES,Red
`;
    const events = await read(newer);

    const image = "https://static.wixstatic.com/media/a1~mv2.jpg";
    assert.deepEqual(
      draftsOf(events).map((draft) => [
        draft.sku,
        draft.price,
        draft.quantity,
        draft.image,
        draft.additionalImages,
      ]),
      [
        ["TOTE-B", "20.00", "3", image, ["https://cdn.example/b.jpg"]],
        ["TOTE-R", "22.00", "OUT_OF_STOCK", image, ["https://cdn.example/b.jpg"]],
      ],
    );
    assert.equal(
      events.filter(({ kind }) => kind === "rejected").length,
      1,
      "a variant of an unknown product",
    );
  });

  test("a row that lacks a cell is rejected, and the variants below it are not added to the product above", async () => {
    const damaged = file.replace(",PERCENT,10.0,InStock,", ",PERCENT,InStock,");
    const events = await read(
      `${header}\nproduct_0,Product,Cap,,c.jpg,,CAP,8.0,,true,,,7,0.1,,Size,DROP_DOWN,S;M\n${damaged.slice(header.length + 1)}`,
    );

    assert.deepEqual(
      draftsOf(events).map(({ sku, price, quantity }) => [sku, price, quantity]),
      [
        ["CAP", "8.0", "7"],
        ["MUG", "9.0", "7"],
      ],
    );
    assert.equal(events.filter(({ kind }) => kind === "rejected").length, 3);
  });

  test("says which setting makes links, and which columns are not used", async () => {
    assert.deepEqual(warningsOf(await read(file)).slice(0, 3), [
      '1 weights are left out because the export does not say their unit. Set columns, e.g. "weight = weight (kg)".',
      "The export has no product links, which OpenAI and Google require. Set link_template, e.g. https://shop.example/product-page/{handleId}.",
      'These columns have values that are not used: "productOptionType1".',
    ]);
  });
});

test("a Squarespace export: rows without a product id are variants, and a sale price counts only on sale", async () => {
  const file = `Product ID [Non Editable],Variant ID [Non Editable],Product Type [Non Editable],Product Page,Product URL,Title,Description,SKU,Option Name 1,Option Value 1,Price,Sale Price,On Sale,Stock,Categories,Visible,Hosted Image URLs
p1,v1,PHYSICAL,shop,vase,Vase,<p>Clay.</p>,V-S,Size,S,30.00,25.00,Yes,2,"/home/vases",Yes,https://cdn.example/a.jpg https://cdn.example/b.jpg
,v2,,,,,,V-L,,L,40.00,35.00,No,Unlimited,,,
`;
  const fields = ["id", "title", "price", "salePrice", "quantity", "options", "groupId", "link"] as const;

  assert.deepEqual(
    await fieldsOf(file, fields, { link_template: "https://shop.example/{Product Page}/p/{Product URL}" }),
    [
      [
        "v1",
        "Vase",
        "30.00",
        "25.00",
        "2",
        namedValues({ Size: "S" }),
        "p1",
        "https://shop.example/shop/p/vase",
      ],
      [
        "v2",
        "Vase",
        "40.00",
        undefined,
        "Unlimited",
        namedValues({ Size: "L" }),
        "p1",
        "https://shop.example/shop/p/vase",
      ],
    ],
  );
});

test("an Ecwid export: variations follow their product, and cost what it costs unless an option has a markup", async () => {
  const header =
    "type,product_internal_id,product_sku,product_name,product_price,product_compare_to_price,product_is_inventory_tracked,product_quantity,product_is_available,product_media_main_image_url,product_category_1,product_brand,product_option_markup,product_variation_sku,product_variation_option_Size";
  const file = `${header}
product,11,TEE,Tee,20,25,true,9,true,https://cdn.example/t.jpg,Shirts / Tees,Brio,,,
product_variation,11,TEE,,,,true,0,,,,,,TEE-S,S
product,12,CAP,Cap,15,,false,,true,https://cdn.example/c.jpg,,,,,
product_option,12,CAP,,,,,,,,,,2.00,,
product_variation,12,CAP,,,,true,4,,,,,,CAP-L,L
product,13,PIN,Pin,3,,false,,false,,,,,,
`;

  assert.deepEqual(await fieldsOf(file, ["sku", "price", "availability", "options", "brand", "published"]), [
    ["TEE-S", "20", "out of stock", namedValues({ Size: "S" }), "Brio", undefined],
    ["CAP-L", undefined, "in stock", namedValues({ Size: "L" }), undefined, undefined],
    ["PIN", "3", "in stock", undefined, undefined, "hidden"],
  ]);
});

test("a Square library: locations are added up, and a variation without options is named", async () => {
  const file = `Token,Item Name,Variation Name,SKU,Description,Category,Price,Option Name 1,Option Value 1,Current Quantity Main,Current Quantity Pier,Default Unit Cost,Archived
T1,Candle,Small,C-S,Soy wax,Home,12.00,,,3,4,2.00,N
T1,Candle,Large,C-L,Soy wax,Home,18.00,,,0,0,3.00,N
T2,Mug,Regular,M-1,,Home,9.00,,,,,1.00,Y
`;

  assert.deepEqual(
    await fieldsOf(file, ["sku", "title", "price", "quantity", "options", "groupId", "published"]),
    [
      ["C-S", "Candle", "12.00", "7", namedValues({ Variation: "Small" }), "Candle", undefined],
      ["C-L", "Candle", "18.00", "0", namedValues({ Variation: "Large" }), "Candle", undefined],
      ["M-1", "Mug", "9.00", "", undefined, undefined, "hidden"],
    ],
  );
});

test("a Vend export: the retail price is the price, and the supply price is not", async () => {
  const file = `id,handle,sku,name,description,type,variant_option_one_name,variant_option_one_value,supply_price,retail_price,brand_name,active,track_inventory,inventory_Main,inventory_Pier
a1,tee,1001,Tee,Cotton,Shirts,Size,S,4.00,19.95,Brio,1,1,2,1
b1,mug,1002,Mug,,Kitchen,,,3.00,9.95,,1,0,,
a2,tee,1003,Tee,Cotton,Shirts,Size,M,4.00,19.95,Brio,0,1,0,0
`;

  assert.deepEqual(
    await fieldsOf(file, ["id", "price", "quantity", "availability", "groupId", "published"]),
    [
      ["a1", "19.95", "3", "in stock", "tee", undefined],
      ["b1", "9.95", "", "in stock", undefined, undefined],
      ["a2", "19.95", "0", "out of stock", "tee", "hidden"],
    ],
  );
});

test("a row without a product and a price gets neither from the rows above it", async () => {
  const file = `id,handle,sku,name,variant_option_one_name,variant_option_one_value,supply_price,retail_price
a1,tee,1001,Tee,,,4.00,19.95
able 3"/>,,,,,,,
able 4"/>,,,,,,,
`;

  assert.deepEqual(await fieldsOf(file, ["id", "title", "price"]), [
    ["a1", "Tee", "19.95"],
    ['able 3"/>', undefined, undefined],
    ['able 4"/>', undefined, undefined],
  ]);
});

test("an Amazon flat file: two rows above the names are skipped, and a parent is no item", async () => {
  const rows = [
    ["TemplateType=fptcustom", "Version=2024.01", "The top rows are for Amazon.com use only."],
    [
      "Seller SKU",
      "Product ID",
      "Product ID Type",
      "Product Name",
      "Your Price",
      "Quantity",
      "Main Image URL",
      "Parentage",
      "Parent SKU",
      "Color",
      "Size",
    ],
    [
      "item_sku",
      "external_product_id",
      "external_product_id_type",
      "item_name",
      "standard_price",
      "quantity",
      "main_image_url",
      "parent_child",
      "parent_sku",
      "color_name",
      "size_name",
    ],
    ["SOCK", "", "", "Wool socks", "", "", "https://cdn.example/s.jpg", "Parent", "", "", ""],
    [
      "SOCK-R",
      "4006381333931",
      "EAN",
      "Wool socks red",
      "12.50",
      "4",
      "https://cdn.example/r.jpg",
      "Child",
      "SOCK",
      "Red",
      "M",
    ],
    ["SOCK-B", "B000123456", "ASIN", "Wool socks blue", "12.50", "0", "", "Child", "SOCK", "Blue", "M"],
    ["CAP", "", "", "Cap", "9.00", "1", "https://cdn.example/c.jpg", "", "", "", ""],
  ];
  const file = rows.map((cells) => cells.join("\t")).join("\n");

  assert.deepEqual(await fieldsOf(file, ["id", "gtin", "price", "groupId", "color", "image"]), [
    ["SOCK-R", "4006381333931", "12.50", "SOCK", "Red", "https://cdn.example/r.jpg"],
    ["SOCK-B", undefined, "12.50", "SOCK", "Blue", "https://cdn.example/s.jpg"],
    ["CAP", undefined, "9.00", undefined, undefined, "https://cdn.example/c.jpg"],
  ]);
});

test("an eBay file: condition numbers are words, and the header has the currency", async () => {
  const file = `*Action(SiteID=US|Country=US|Currency=USD|Version=745),CustomLabel,*Category,*Title,*ConditionID,PicURL,*Quantity,*StartPrice,Relationship,RelationshipDetails,C:Brand
Add,LAMP,112,Desk lamp,3000,https://cdn.example/l.jpg|https://cdn.example/m.jpg,1,25.00,,,Brio
Add,TEE,112,Tee,1000,https://cdn.example/t.jpg,,,,Size=S;M,Brio
,TEE-S,,,,,3,11.00,Variation,Size=S,
`;

  assert.deepEqual(
    await fieldsOf(file, ["id", "title", "price", "currency", "condition", "options", "image"]),
    [
      ["LAMP", "Desk lamp", "25.00", "USD", "used", undefined, "https://cdn.example/l.jpg"],
      ["TEE-S", "Tee", "11.00", "USD", "new", namedValues({ Size: "S" }), "https://cdn.example/t.jpg"],
    ],
  );
});

test("an Etsy download: a list of SKUs is no SKU", async () => {
  const file = `TITLE,DESCRIPTION,PRICE,CURRENCY_CODE,QUANTITY,TAGS,MATERIALS,IMAGE1,IMAGE2,VARIATION 1 TYPE,VARIATION 1 NAME,VARIATION 1 VALUES,SKU
Ring,Silver,30.00,EUR,4,ring,Silver,https://cdn.example/a.jpg,https://cdn.example/b.jpg,Size,Size,"S,M","R-S,R-M"
Bowl,Clay,20.00,EUR,1,bowl,Clay,https://cdn.example/c.jpg,,,,,BOWL
`;

  assert.deepEqual(await fieldsOf(file, ["sku", "price", "currency", "image", "additionalImages"]), [
    [undefined, "30.00", "EUR", "https://cdn.example/a.jpg", ["https://cdn.example/b.jpg"]],
    ["BOWL", "20.00", "EUR", "https://cdn.example/c.jpg", undefined],
  ]);
});

test("an Etsy download in any language is read by the places of its columns", async () => {
  const images = (word: string) => Array.from({ length: 10 }, (_, at) => `${word}${at + 1}`).join(",");
  const headers = [
    `TITEL,BESCHREIBUNG,PREIS,WÄHRUNGSCODE,STÜCKZAHL,TAGS,MATERIALIEN,${images("BILD")},VARIATIONSTYP 1,VARIATIONSNAME 1,VARIATIONSWERT 1,VARIATIONSTYP 2,VARIATIONSNAME 2,VARIATIONSWERT 2,BESTANDSEINHEIT`,
    `TYTUŁ,OPIS,CENA,KOD WALUTY,ILOŚĆ,TAGI,MATERIAŁY,${images("ZDJĘCIE ")},TYP 1,NAZWA 1,WARTOŚCI 1,TYP 2,NAZWA 2,WARTOŚCI 2,SKU`,
  ];
  const row = `Bowl,Clay,1200.50,EUR,4,bowl,Clay,https://cdn.example/a.jpg,https://cdn.example/b.jpg${",".repeat(15)}BOWL`;
  for (const header of headers) {
    assert.deepEqual(
      await fieldsOf(`${header}\n${row}\n`, [
        "title",
        "sku",
        "price",
        "currency",
        "quantity",
        "image",
        "additionalImages",
      ]),
      [["Bowl", "BOWL", "1200.50", "EUR", "4", "https://cdn.example/a.jpg", ["https://cdn.example/b.jpg"]]],
    );
  }
});

test("an Odoo export: the sales price is the price, and the cost is not", async () => {
  const file = `External ID,Name,Internal Reference,Barcode,Sales Price,Cost,Quantity On Hand,Product Category,Sales Description
__export__.product_1,Desk,DESK-1,4006381333931,199.00,90.00,3.0,All / Office / Desks,Oak.
`;

  assert.deepEqual(await fieldsOf(file, ["sku", "gtin", "price", "quantity", "categories", "description"]), [
    ["DESK-1", "4006381333931", "199.00", "3.0", ["All > Office > Desks"], "Oak."],
  ]);
});
