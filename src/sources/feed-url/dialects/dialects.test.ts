import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf, warningsOf } from "../../events.contract.ts";
import type { SourceSettings } from "../../source.ts";
import { feedFixture } from "../feed-fixture.contract.ts";
import { namedValues } from "../../../../test/named-values.ts";

const SHOP = { store_url: "https://shop.example" };

async function read(file: string, settings: SourceSettings = SHOP) {
  await using world = await feedFixture();
  return await world.readPage(file, settings);
}

describe("a BigCommerce export", () => {
  const header =
    "Item,ID,Name,Type,SKU,Options,Inventory Tracking,Current Stock,Price,Retail Price,Sale Price,Brand ID,Categories,Description,Product URL,UPC/EAN,Weight,Is Visible,Product Condition,Variant Image URL,Internal Image URL (Export),Image is Thumbnail,Image Sort Order";
  const file = `${header}
Product,77,Canvas tote,physical,TOTE,,variant,0,24.0000,30.0000,0.0000,12,18;21,<p>Sturdy.</p>,/canvas-tote/,,1.2,TRUE,New,,,,
Variant,501,,,TOTE-S-N,Type=Rectangle|Name=Size|Value=SmallType=Swatch|Name=Color|Value=Navy[#001F3F],,4,,,,,,,,4006381333931,,,,https://cdn.example/navy.jpg,,,
Variant,502,,,,Type=Rectangle|Name=Size|Value=Large,,0,26.0000,,,,,,,,,,,,,,
Image,9,,,,,,,,,,,,,,,,,,,https://cdn.example/b.jpg,FALSE,2
Image,8,,,,,,,,,,,,,,,,,,,https://cdn.example/a.jpg,TRUE,3
Product,78,Gift card,digital,GIFT,,none,0,25.0000,,,,,,/gift-card/,,,FALSE,New,,,,
`;

  test("of the current format: variants have their product's price and images, and differ in their options", async () => {
    const events = await read(file);

    const tote = {
      title: "Canvas tote",
      description: "<p>Sturdy.</p>",
      link: "https://shop.example/canvas-tote/",
      condition: "New",
      groupId: "77",
      groupTitle: "Canvas tote",
    };
    assert.deepEqual(draftsOf(events), [
      {
        ...tote,
        id: "TOTE-S-N",
        sku: "TOTE-S-N",
        gtin: "4006381333931",
        price: "24.0000",
        listPrice: "30.0000",
        quantity: "4",
        availability: "in stock",
        options: namedValues({ Size: "Small", Color: "Navy" }),
        image: "https://cdn.example/navy.jpg",
        additionalImages: ["https://cdn.example/a.jpg", "https://cdn.example/b.jpg"],
      },
      {
        ...tote,
        id: "77-502",
        price: "26.0000",
        quantity: "0",
        availability: "out of stock",
        options: [{ name: "Size", value: "Large" }],
        image: "https://cdn.example/a.jpg",
        additionalImages: ["https://cdn.example/b.jpg"],
      },
      {
        id: "GIFT",
        sku: "GIFT",
        title: "Gift card",
        price: "25.0000",
        link: "https://shop.example/gift-card/",
        condition: "New",
        availability: "in stock",
        published: "hidden",
        isDigital: "true",
      },
    ]);
  });

  test("of the legacy format: rules set the prices of variants, by SKU or by option", async () => {
    const legacy = `Item Type,Product ID,Product Name,Product Type,Product Code/SKU,Brand Name,Product Description,Price,Retail Price,Sale Price,Allow Purchases?,Product Visible?,Track Inventory,Current Stock Level,Category,Product Image File - 1,Product Image Is Thumbnail - 1,Product Image File - 2,Product Image Is Thumbnail - 2,Stop Processing Rules,Product URL,Product UPC/EAN
Product,5,Grinding disc,P,DISC,Acme,Cuts steel.,10.00,,8.00,Y,Y,by option,0,Tools/Discs;Sale,d/5/disc__1.jpg,N,front.jpg,Y,,/grinding-disc/,
  SKU,61,"[RB]Diameter=4"" (100mm),[CS]Color=Blue:#0000ff",,DISC-4,,,,,,,,,3,,,,,,,,
  SKU,62,"[RB]Diameter=5"" (125mm),[CS]Color=Blue:#0000ff",,DISC-5,,,,,,,,,0,,,,,,,,
  SKU,63,"[RB]Diameter=7"" (180mm),[CS]Color=Blue:#0000ff",,DISC-7,,,,,,,,,9,,,,,,,,
  Rule,,"[RB]Diameter=5"" (125mm)",,,,,[ADD]1.50,,,Y,,,,,,,,,N,,
  Rule,,,,DISC-7,,,[FIXED]20,,,N,,,,,,,,,N,,
`;
    const drafts = draftsOf(await read(legacy));

    assert.deepEqual(
      drafts.map(({ id, price, salePrice, availability, options }) => [
        id,
        price,
        salePrice,
        availability,
        options?.map(({ value }) => value).join("/"),
      ]),
      [
        ["DISC-4", "10.00", "8.00", "in stock", '4" (100mm)/Blue'],
        ["DISC-5", "11.5000", "9.5000", "out of stock", '5" (125mm)/Blue'],
        ["DISC-7", "20", undefined, "out of stock", '7" (180mm)/Blue'],
      ],
    );
    const [first] = drafts;
    assert.deepEqual(
      [first?.brand, first?.categories, first?.link, first?.image],
      [
        "Acme",
        ["Tools > Discs", "Sale"],
        "https://shop.example/grinding-disc/",
        "https://shop.example/product_images/d/5/disc__1.jpg",
      ],
    );
    assert.match(warningsOf(await read(legacy)).join(), /1 image is a file name .* front\.jpg/);

    const pricesWith = async (rule: string, sale = "8.00") =>
      draftsOf(await read(legacy.replace("[ADD]1.50", rule).replace("8.00", sale))).map(
        ({ price, salePrice }) => `${price} ${salePrice ?? ""}`,
      )[1];
    assert.equal(await pricesWith("[REMOVE]1.50"), "8.5000 6.5000");
    assert.equal(await pricesWith("[ADD]1.50", "0.00"), "11.5000 ", "a sale price of zero is none");
    // The check of prices refuses these and quotes them.
    assert.equal(await pricesWith("[ADD]$2"), "10.00 and a rule of [ADD]$2 ");
    assert.equal(
      await pricesWith("[REMOVE]10"),
      "10.00 and a surcharge of minus 10 8.00 and a surcharge of minus 10",
    );
  });
});

describe("a PrestaShop export", () => {
  const header =
    "Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Discount amount;Discount percent;Discount from (yyyy-mm-dd);Discount to (yyyy-mm-dd);Reference #;Manufacturer;EAN13;Weight;Quantity;Visibility;Unit price;Summary;Description;URL rewritten;Available for order (0 = No, 1 = Yes);Image URLs (x,y,z...);Feature(Name:Value:Position);Condition;Out of stock action";

  test("has images in one cell, features, a discount in percent and a link by product number", async () => {
    const events = await read(
      `${header}\n7;1;Desk lamp;Home/Lamps,Sale;49,90;;10;2026-01-01;0000-00-00;LAMP-7;Lumen;4006381333931;1.2;0;both;3.00;Short.;<p>Long.</p>;desk-lamp;1;https://c.example/a.jpg,https://c.example/b,c.jpg;Material:Steel:1,Style:Plain:2;new;1\n`,
    );

    assert.deepEqual(draftsOf(events), [
      {
        id: "7",
        sku: "LAMP-7",
        gtin: "4006381333931",
        brand: "Lumen",
        title: "Desk lamp",
        description: "<p>Long.</p>",
        shortDescription: "Short.",
        link: "https://shop.example/index.php?controller=product&id_product=7",
        price: "49,90",
        salePrice: "44.91",
        saleFrom: "2026-01-01",
        priceIncludesTax: "false",
        quantity: "0",
        availability: "backorder",
        condition: "new",
        categories: ["Lamps", "Sale"],
        details: namedValues({ Material: "Steel", Style: "Plain" }),
        image: "https://c.example/a.jpg",
        additionalImages: ["https://c.example/b,c.jpg"],
      },
    ]);
    assert.match(warningsOf(events).join(), /1 prices are without tax/);
  });

  test("is read without inactive and invisible products, and without discounts of unknown tax", async () => {
    const row = (id: string, active: string, visibility: string, more: string) =>
      `${id};${active};Lamp;;10;${more};;;R;;;;3;${visibility};;;;;;;;new;\n`;
    const events = await read(
      `${header}\n${row("1", "0", "both", ";")}${row("2", "1", "none", ";")}${row("3", "1", "both", "2;")}`,
    );

    assert.deepEqual(
      draftsOf(events).map(({ published, salePrice }) => [published, salePrice]),
      [
        ["disabled", undefined],
        ["hidden", undefined],
        [undefined, undefined],
      ],
    );
    assert.match(warningsOf(events).join(), /1 discounts .* \(products 3\)/);
  });
});

describe("a Vendure export", () => {
  const file = `name       , slug , description              , assets                                  , facets                                , optionGroups  , optionValues , sku  , price , taxCategory , stockOnHand , trackInventory , variantAssets
Field tent , tent , "Light, ""roomy"" and dry" , "https://c.example/t.jpg|inside.jpg"    , category:Camping|brand:Northpeak      , "size|color"  , "2|Moss"     , T-2M , 199.0 , standard    , 0           , true           ,
           ,      ,                          ,                                         ,                                       ,               , "3|Moss"     , T-3M , 249.0 , standard    , 0           , false          ,
Mallet     ,      , Rubber                   ,                                         , brand:Northpeak                       ,               ,              , MAL  , 9.5   , standard    , 7           , true           ,
`;

  test("has padded cells, variants below their product, and links by a template", async () => {
    const events = await read(file, { link_template: "https://shop.example/p/{slug}" });

    const tent = {
      title: "Field tent",
      description: 'Light, "roomy" and dry',
      brand: "Northpeak",
      categories: ["Camping"],
      link: "https://shop.example/p/tent",
      groupId: "tent",
      groupTitle: "Field tent",
      image: "https://c.example/t.jpg",
    };
    assert.deepEqual(draftsOf(events), [
      {
        ...tent,
        id: "T-2M",
        sku: "T-2M",
        price: "199.0",
        quantity: "0",
        availability: "out of stock",
        options: namedValues({ size: "2", color: "Moss" }),
      },
      {
        ...tent,
        id: "T-3M",
        sku: "T-3M",
        price: "249.0",
        availability: "in stock",
        options: namedValues({ size: "3", color: "Moss" }),
      },
      {
        id: "MAL",
        sku: "MAL",
        title: "Mallet",
        description: "Rubber",
        brand: "Northpeak",
        price: "9.5",
        quantity: "7",
        availability: "in stock",
      },
    ]);
    assert.match(warningsOf(events).join(), /inside\.jpg/);
  });

  test("without links says which setting adds them, and which row has none", async () => {
    const none = warningsOf(await read(file));
    const some = warningsOf(await read(file, { link_template: "https://shop.example/p/{slug}" }));

    assert.match(
      none.join(),
      /The export has no product links, which OpenAI and Google require\. Set link_template, e\.g\. https:\/\/shop\.example\/products\/\{slug\}\./,
    );
    assert.match(
      some.join(),
      /1 row has no value for a column that link_template uses: MAL\. Fill the column, or use another one\./,
    );
  });
});

describe("a Medusa export", () => {
  const header =
    "Product Id,Product Handle,Product Title,Product Status,Product Description,Product Thumbnail,Product Image 1,Product Image 2,Variant Id,Variant Title,Variant Sku,Variant Manage Inventory,Variant Allow Backorder,Variant Option 1 Name,Variant Option 1 Value";
  const row = (status: string) =>
    `prod_1,mug,Mug,${status},Clay.,https://c.example/a.jpg,https://c.example/a.jpg,https://c.example/b.jpg,variant_1,Red,MUG-R,false,false,Color,Red`;
  const page = { link_template: "https://shop.example/products/{Product Handle}" };

  test("with prices in one currency has that currency; only published products are items", async () => {
    const events = await read(
      `${header},Variant Price EUR\n${row("published")},12.5\n${row("proposed")},12.5\n`,
      page,
    );

    const item = {
      id: "variant_1",
      sku: "MUG-R",
      title: "Mug",
      description: "Clay.",
      link: "https://shop.example/products/mug",
      price: "12.5",
      currency: "EUR",
      availability: "in stock",
      groupId: "prod_1",
      groupTitle: "Mug",
      options: [{ name: "Color", value: "Red" }],
      image: "https://c.example/a.jpg",
      additionalImages: ["https://c.example/b.jpg"],
    };
    assert.deepEqual(draftsOf(events), [item, { ...item, published: "draft" }]);
  });

  test("with prices in several currencies fails and says how to choose one", async () => {
    const file = `${header},Variant Price EUR,Variant Price USD\n${row("published")},12.5,14\n`;
    const failure = await failureOf(read(file, page));
    const chosen = draftsOf(await read(file, { ...page, columns: "Variant Price USD = price" }));

    assert.equal(failure.code, "source_settings_invalid");
    assert.match(failure.message, /prices in EUR, USD\. .* "Variant Price EUR = price"/);
    assert.equal(chosen[0]?.price, "14");
  });
});

describe("an OpenCart export", () => {
  test("gets links and images from the shop's address, and uses the first language", async () => {
    const file = `product_id,name(en-gb),name(ru-ru),categories,sku,upc,ean,quantity,model,manufacturer,image_name,price,weight,weight_unit,length,width,height,length_unit,status,tax_class_id,description(en-gb),stock_status_id,subtract
42,Desk fan,Вентилятор,"20,24",,,4006381333931,5,FAN-42,Breeze,catalog/demo/fan 1.jpg,29.9000,1.50,kg,20,10,5,cm,true,9,Quiet.,7,true
43,Old fan,Старый,20,OF,,,0,OF,Breeze,,9.0000,0,kg,0,0,0,cm,false,0,,7,true
`;
    const events = await read(file);

    assert.deepEqual(draftsOf(events)[0], {
      id: "42",
      sku: "FAN-42",
      gtin: "4006381333931",
      brand: "Breeze",
      title: "Desk fan",
      description: "Quiet.",
      link: "https://shop.example/index.php?route=product/product&product_id=42",
      image: "https://shop.example/image/catalog/demo/fan%201.jpg",
      price: "29.9000",
      quantity: "5",
      availability: "in stock",
      weight: "1.50",
      weightUnit: "kg",
      length: "20",
      width: "10",
      height: "5",
      dimensionsUnit: "cm",
    });
    assert.deepEqual(
      [draftsOf(events)[1]?.published, draftsOf(events)[1]?.availability],
      ["disabled", "out of stock"],
    );
    assert.match(warningsOf(events).join(), /1 prices belong to a tax class/);
  });
});

describe("a Shopware export", () => {
  test("of version 6: variants inherit empty values from their product, also if it comes later; the product is no item", async () => {
    const file = `id;parent_id;product_number;active;stock;name;description;price_net;price_gross;list_price_gross;cover_media_url;manufacturer_name;categories;category_paths
v1;p1;SW-1.1;;4;;;;;;;;;
p1;;SW-1;1;0;Jacket;Warm.;84.03;100;120;https://c.example/j.jpg;Nord;aa11;Main>Jackets
v2;p1;SW-1.2;0;4;Jacket XL;;90;107.1;;;;;
v3;gone;SW-9;1;1;Lost;;1;1;;;;;
`;
    const events = await read(file);
    const drafts = draftsOf(events);

    const jacket = {
      description: "Warm.",
      brand: "Nord",
      categories: ["Main > Jackets"],
      groupId: "SW-1",
      groupTitle: "Jacket",
      image: "https://c.example/j.jpg",
      quantity: "4",
      availability: "in stock",
    };
    assert.deepEqual(drafts, [
      {
        ...jacket,
        id: "SW-1.1",
        sku: "SW-1.1",
        title: "Jacket",
        price: "100",
        listPrice: "120",
        link: "https://shop.example/detail/v1",
      },
      {
        ...jacket,
        id: "SW-1.2",
        sku: "SW-1.2",
        title: "Jacket XL",
        price: "107.1",
        link: "https://shop.example/detail/v2",
        published: "disabled",
      },
    ]);
    const [rejected] = events.flatMap((event) => (event.kind === "rejected" ? [event.rejection] : []));
    assert.match(rejected?.message ?? "", /belongs to gone, which is not in the file/);
  });

  test("of version 5: every row is an item, grouped by its main product number", async () => {
    const file = `ordernumber;mainnumber;name;supplier;tax;price_EK;pseudoprice_EK;active;instock;laststock;description;description_long;ean;configuratorOptions;categories
SW-1;SW-1;Shirt;Nord;19.00;29,99;39,99;1;0;0;Short.;<p>Long.</p>;;Color:Red|Size:L;3
SW-1.1;SW-1;Shirt;Nord;19.00;29,99;0;1;0;1;Short.;<p>Long.</p>;;Color:Red|Size:M;3
`;
    const drafts = draftsOf(
      await read(file, { link_template: "https://shop.example/search?sSearch={ordernumber}" }),
    );

    const shirt = {
      title: "Shirt",
      brand: "Nord",
      description: "<p>Long.</p>",
      shortDescription: "Short.",
      price: "29,99",
      quantity: "0",
      groupId: "SW-1",
      groupTitle: "Shirt",
    };
    assert.deepEqual(drafts, [
      {
        ...shirt,
        id: "SW-1",
        sku: "SW-1",
        listPrice: "39,99",
        availability: "backorder",
        link: "https://shop.example/search?sSearch=SW-1",
        options: namedValues({ Color: "Red", Size: "L" }),
      },
      {
        ...shirt,
        id: "SW-1.1",
        sku: "SW-1.1",
        availability: "out of stock",
        link: "https://shop.example/search?sSearch=SW-1.1",
        options: namedValues({ Color: "Red", Size: "M" }),
      },
    ]);
    assert.match(
      warningsOf(await read(file)).join(),
      /The export has no product links, .* Set link_template/,
    );
  });
});

describe("columns that a dialect does not know", () => {
  test("of Shopify and WooCommerce are read by their general names", async () => {
    const shopify = await read(
      "Handle,Title,Body,Main Image,Variant SKU,Variant Price,Cost per item,Shelf\nmug,Mug,<p>Blue.</p>,https://cdn.example/mug.jpg,MUG,12.00,4.00,B4\n",
    );
    const wooCommerce = await read(
      "Type,SKU,Name,Regular price,main_image,category,Purchase price,Shelf\nsimple,MUG,Mug,12.00,https://cdn.example/mug.jpg,Kitchen > Mugs,4.00,B4\n",
    );

    const [mug] = draftsOf(shopify);
    assert.deepEqual(
      [mug?.description, mug?.image, mug?.price, mug?.cost],
      ["<p>Blue.</p>", "https://cdn.example/mug.jpg", "12.00", "4.00"],
    );
    const [simple] = draftsOf(wooCommerce);
    assert.deepEqual(
      [simple?.image, simple?.categories, simple?.price, simple?.cost],
      ["https://cdn.example/mug.jpg", ["Kitchen > Mugs"], "12.00", "4.00"],
    );
    assert.match(warningsOf(shopify).join(), /have values that are not used: "Shelf"\./);
    assert.match(warningsOf(wooCommerce).join(), /have values that are not used: "Shelf"\./);
  });

  test("fill what no column of the dialect fills, and never its ids and prices", async () => {
    const events = await read(
      "product_id,name(en-gb),model,sku,image_name,price,quantity,stock_status_id,status,categories,brand,item_id,selling_price,sale_price,colour,note\n7,Mug,M7,MUG,mug.jpg,12.00,4,5,true,20,Brio,99,9.00,8.00,Blue,\n",
    );

    const [mug] = draftsOf(events);
    assert.deepEqual(
      [mug?.id, mug?.price, mug?.salePrice, mug?.brand, mug?.color, mug?.categories],
      ["7", "12.00", undefined, "Brio", "Blue", undefined],
    );
    assert.deepEqual(warningsOf(events), [
      'These columns have values that are not used: "model", "stock_status_id", "item_id", "selling_price", "sale_price".',
    ]);
  });
});

test("rows of instructions above the column names are skipped", async () => {
  const rows = [
    "1,Mug,New,12.00 EUR,https://shop.example/mug",
    "2,Cup,New,9.00 EUR,https://shop.example/cup",
  ];
  const events = await read(
    [
      "# Required | A unique ID for the item.,# Required | The title.,# Required | new or used,# Required | 9.99 USD,# Required | The page",
      "# Character limit: 100,# Character limit: 200,# Supported values: new; used,,",
      "id,title,condition,price,link",
      ...rows,
    ].join("\n"),
  );

  assert.deepEqual(
    draftsOf(events).map(({ id, title }) => [id, title]),
    [
      ["1", "Mug"],
      ["2", "Cup"],
    ],
  );
  assert.deepEqual(warningsOf(events), [
    "2 rows above the column names were skipped as the instructions of a template.",
  ]);
});
