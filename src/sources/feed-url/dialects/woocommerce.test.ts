import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, warningsOf } from "../../events.contract.ts";
import { feedFixture } from "../feed-fixture.contract.ts";

const header = `ID,Type,SKU,"GTIN, UPC, EAN, or ISBN",Name,Published,Description,"In stock?",Stock,"Weight (kg)","Sale price","Regular price",Categories,Images,Parent,Brands,"Attribute 1 name","Attribute 1 value(s)"`;
const rows = [
  '21,variation,tee-red,,"Tee - Red",1,,1,4,,15,20,,https://c/red.jpg,tee,,Color,Red',
  '10,simple,mug,4006381333931,Mug,1,Stoneware,1,,0.4,,5.90,"Home > Cups\\, Mugs, Gifts","https://c/1.jpg, https://c/2.jpg",,Acme,Material,"Clay, Glaze"',
  '20,variable,tee,,Tee,1,Cotton,1,,0.2,,,"Clothing > Tees",https://c/tee.jpg,,Acme,Color,"Red, Blue"',
  '22,"variation, virtual",tee-blue,,"Tee - Blue",1,Own words,0,0,0.3,,20,,,id:20,,Color,Blue',
  "30,grouped,set,,Set,1,,1,,,,,,,,,,",
  '40,"simple, downloadable, virtual",song,,Song,0,,1,,,,1,Music,,,,,',
  "50,variable,hat,,Hat,-1,,1,,,,,,,,,,",
  "51,variation,hat-s,,Hat - S,1,,1,,,,9,,,hat,,Size,S",
  "61,variation,lost,,Lost,1,,1,,,,9,,,nowhere,,Size,S",
];

describe("a WooCommerce export", () => {
  test("variations inherit their product's values, wherever its row is; parents and sets are no items", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(`\uFEFF${header}\n${rows.join("\n")}\n`, {
      store_url: "https://shop.example",
    });

    const [red, mug, blue, song, hat, ...others] = draftsOf(events);
    assert.deepEqual(red, {
      id: "21",
      sku: "tee-red",
      title: "Tee - Red",
      groupId: "20",
      groupTitle: "Tee",
      description: "Cotton",
      published: "1",
      availability: "1",
      quantity: "4",
      weight: "0.2",
      weightUnit: "kg",
      price: "20",
      salePrice: "15",
      categories: ["Clothing > Tees"],
      brand: "Acme",
      options: [{ name: "Color", value: "Red" }],
      image: "https://c/red.jpg",
      additionalImages: ["https://c/tee.jpg"],
      link: "https://shop.example/?p=20",
    });
    assert.deepEqual(mug, {
      id: "10",
      sku: "mug",
      gtin: "4006381333931",
      title: "Mug",
      description: "Stoneware",
      published: "1",
      availability: "1",
      weight: "0.4",
      weightUnit: "kg",
      price: "5.90",
      brand: "Acme",
      categories: ["Home > Cups, Mugs", "Gifts"],
      details: [{ name: "Material", value: "Clay, Glaze" }],
      image: "https://c/1.jpg",
      additionalImages: ["https://c/2.jpg"],
      link: "https://shop.example/?p=10",
    });
    assert.deepEqual(
      [blue?.description, blue?.weight, blue?.image, blue?.availability, blue?.groupId],
      ["Own words", "0.3", "https://c/tee.jpg", "0", "20"],
    );
    assert.deepEqual([song?.isDigital, song?.published], ["true", "0"]);
    assert.equal(hat?.published, "0", "a variation of a draft is not for sale");
    assert.deepEqual(others, []);
  });

  test("a variation whose product is missing is reported, not dropped", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(`${header}\n${rows.at(-1)}\n`);

    const [first] = events;
    assert.ok(first?.kind === "rejected");
    assert.deepEqual([first.rejection.itemId, first.rejection.code], ["61", "unreadable_row"]);
    assert.match(first.rejection.message, /nowhere/);
  });

  test("a row with too many cells is rejected once, although the file is read twice", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(`${header}\n${rows[1]}\n${rows[5]},one,more\n`);

    assert.equal(events.filter(({ kind }) => kind === "rejected").length, 1);
  });

  test("a description keeps its lines", async () => {
    await using world = await feedFixture();
    const row = String.raw`10,simple,mug,,Mug,1,"<strong>Stoneware</strong>\n\nHolds 300 ml. See C:\\new",1,,,,5.90,,,,,,`;

    const [mug] = draftsOf(
      await world.readPage(`${header}\n${row}\n`, { store_url: "https://shop.example" }),
    );

    assert.equal(mug?.description, "<strong>Stoneware</strong>\n\nHolds 300 ml. See C:\\new");
  });

  test("a simple product keeps color, size, material and pattern; hidden attributes are left out", async () => {
    await using world = await feedFixture();

    const [draft] = draftsOf(
      await world.readPage(`ID,Type,SKU,Name,Regular price,Attribute 1 name,Attribute 1 value(s),Attribute 1 visible,Attribute 2 name,Attribute 2 value(s),Attribute 2 visible,Attribute 3 name,Attribute 3 value(s),Attribute 3 visible,Attribute 4 name,Attribute 4 value(s),Attribute 4 visible
1,simple,hoodie,Hoodie,20,Color,Blue,1,Größe,"S, M",1,Supplier,Secret Ltd,0,Material,Cotton,1
`),
    );

    assert.deepEqual([draft?.color, draft?.size, draft?.material], ["Blue", undefined, "Cotton"]);
    assert.deepEqual(draft?.details, [{ name: "Größe", value: "S, M" }]);
  });

  test("variations share their product's attributes, except those in which they differ", async () => {
    await using world = await feedFixture();

    const [draft] = draftsOf(
      await world.readPage(`ID,Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s),Attribute 3 name,Attribute 3 value(s),Attribute 4 name,Attribute 4 value(s)
1,variable,tee,Tee,,,Color,"Red, Blue",Logo,"Yes, No",Material,Cotton,Care,Machine wash
2,variation,tee-r,Tee - Red,20,tee,Color,Red,Logo,,,,,
`),
    );

    assert.deepEqual(draft?.options, [{ name: "Color", value: "Red" }]);
    assert.equal(draft?.material, "Cotton");
    assert.deepEqual(draft?.details, [{ name: "Care", value: "Machine wash" }]);
    assert.equal(draft?.color, undefined, "the option says it");
  });

  test("without an ID column, the SKU is the id, and links come from the file", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(
      await world.readPage(
        `Type,SKU,Name,Regular price,Parent,Permalink,Slug,Attribute 1 name,Attribute 1 value(s)
simple,mug,Mug,5,,https://shop.example/product/mug/,,,
simple,,Plate,6,,,plate,,
variable,tee,Tee,,,https://shop.example/product/tee/,,Size,"S, M"
variation,,Tee - S,20,tee,,,Size,S
variation,,Tee - M,20,tee,https://shop.example/product/tee/?size=m,,Size,M
`,
        { store_url: "https://shop.example" },
      ),
    );

    assert.deepEqual(
      drafts.map(({ id, groupId, link }) => [id?.replace(/_[0-9a-v]{10}$/, "_"), groupId, link]),
      [
        ["mug", undefined, "https://shop.example/product/mug/"],
        ["plate_", undefined, "https://shop.example/?product=plate"],
        ["tee-s_", "tee", "https://shop.example/product/tee/"],
        ["tee-m_", "tee", "https://shop.example/product/tee/?size=m"],
      ],
    );
  });

  test("an item that is free in a sale has the price zero, as the shop shows it", async () => {
    await using world = await feedFixture();
    const events = await world.readPage(
      "ID,Type,SKU,Name,Sale price,Regular price,Date sale price starts\n1,simple,a,Cap,0.00,25,\n2,simple,b,Hat,0,25,2099-01-01\n3,simple,c,Tie,20,25,\n",
    );

    assert.deepEqual(
      draftsOf(events).map(({ price, salePrice }) => [price, salePrice]),
      [
        ["0.00", undefined],
        ["25", "0"],
        ["25", "20"],
      ],
    );
  });

  test("without ID, permalink and slug, the failure says that links are missing and what to do", async () => {
    await using world = await feedFixture();

    const events = await world.readPage("Type,SKU,Name,Regular price,In stock?\nsimple,mug,Mug,5,1\n");

    assert.deepEqual(
      draftsOf(events).map(({ id, link }) => [id, link]),
      [["mug", undefined]],
    );
    assert.match(warningsOf(events).join(), /Links are missing for 1 item: .* no ID, .*link_template/);
  });

  test("texts are as in the shop: with line breaks, and without the apostrophe that prevents formulas", async () => {
    await using world = await feedFixture();

    const [draft] = draftsOf(
      await world.readPage(
        String.raw`ID,Type,SKU,Name,Description,Regular price,Stock
1,simple,'-5,'-20% today,First line\nSecond line\\name,5,'-2
`,
      ),
    );

    assert.deepEqual(
      [draft?.sku, draft?.title, draft?.description, draft?.quantity],
      [
        "-5",
        "-20% today",
        String.raw`First line
Second line\name`,
        "-2",
      ],
    );
  });

  test("availability is read from the stock columns, and has a default for a missing value", async () => {
    await using world = await feedFixture();
    const read = async (columns: string, ...cells: readonly string[]) => {
      const rows = cells.map((cell, at) => `${at + 1},simple,p${at},P,5,${cell}`);
      const events = await world.readPage(`ID,Type,SKU,Name,Regular price,${columns}\n${rows.join("\n")}\n`);
      return {
        values: draftsOf(events).map(({ availability }) => availability),
        assumed: warningsOf(events).some((message) => message.includes("nothing about the stock of 1 item;")),
      };
    };

    assert.deepEqual(
      await read(
        "In stock?,Stock,Backorders allowed?",
        "1,,0",
        "0,,0",
        "backorder,0,1",
        ",0,notify",
        ",0,0",
        ",3,0",
        ",,0",
      ),
      {
        values: ["1", "0", "backorder", "backorder", "out of stock", "in stock", "in stock"],
        assumed: true,
      },
    );
    assert.deepEqual(await read("Tags", "a"), { values: ["in stock"], assumed: true });
  });

  test("hidden products and those without price and variations are counted, grouped ones noted", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(`ID,Type,SKU,Name,Regular price,Visibility in catalog,In stock?
1,simple,a,A,5,hidden,1
2,grouped,b,B,,visible,1
3,variable,c,C,,visible,1
4,variable,,D,,visible,1
`);

    assert.deepEqual(
      draftsOf(events).map(({ published }) => published),
      ["hidden"],
    );
    assert.deepEqual(warningsOf(events), [
      "Grouped products left out: 1. They have no price of their own, and the products in them are items themselves.",
    ]);
    const reason =
      "has no variations in the file and no price of its own. Export products and variations together.";
    assert.deepEqual(
      events.flatMap((event) => (event.kind === "rejected" ? [event.rejection.message] : [])),
      [`The variable product on line 4 ${reason}`, `The variable product on line 5 ${reason}`],
    );
  });

  test("a variable product with a price and without variations in the file is an item", async () => {
    await using world = await feedFixture();

    const events = await world.readPage(`id,name,sku,type,status,price,regular_price,parent,permalink
1,Set,s1,variable,publish,2890,,,https://shop.example/set
2,Shirt,s2,variable,publish,1500,,,https://shop.example/shirt
3,Shirt blue,s3,variation,publish,1500,,id:2,https://shop.example/shirt
`);

    assert.deepEqual(
      draftsOf(events).map(({ id, price, link }) => [id, price, link]),
      [
        ["1", "2890", "https://shop.example/set"],
        ["3", "1500", "https://shop.example/shirt"],
      ],
    );
  });
});
