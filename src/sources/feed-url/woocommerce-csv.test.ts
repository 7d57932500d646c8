import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf } from "../events.contract.ts";
import { feedWorld } from "./feed-world.contract.ts";

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
  test("variations take what their product says, wherever it stands; parents and sets are no items", async () => {
    await using world = await feedWorld();

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
    await using world = await feedWorld();

    const events = await world.readPage(`${header}\n${rows.at(-1)}\n`);

    const [first] = events;
    assert.ok(first?.kind === "rejected");
    assert.deepEqual([first.rejection.itemId, first.rejection.code], ["61", "unreadable_row"]);
    assert.match(first.rejection.message, /nowhere/);
  });

  test("the lines of a description come back as lines", async () => {
    await using world = await feedWorld();
    const row = String.raw`10,simple,mug,,Mug,1,"<strong>Stoneware</strong>\n\nHolds 300 ml. See C:\\new",1,,,,5.90,,,,,,`;

    const [mug] = draftsOf(
      await world.readPage(`${header}\n${row}\n`, { store_url: "https://shop.example" }),
    );

    assert.equal(mug?.description, "<strong>Stoneware</strong>\n\nHolds 300 ml. See C:\\new");
  });
});
