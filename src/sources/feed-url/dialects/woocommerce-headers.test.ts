import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, warningsOf } from "../../events.contract.ts";
import type { SourceSettings } from "../../source.ts";
import { feedFixture } from "../feed-fixture.contract.ts";
import type { FileHead } from "./dialect.ts";
import { translatedHeaders, WOOCOMMERCE_COLUMNS, WOOCOMMERCE_TRANSLATIONS } from "./woocommerce-headers.ts";

const SHOP = { store_url: "https://shop.example" };

async function read(file: string, settings: SourceSettings = SHOP) {
  await using world = await feedFixture();
  return await world.readPage(file, settings);
}

const VALUES: Readonly<Record<string, string>> = {
  ID: "7",
  Type: "simple",
  SKU: "M-7",
  Name: "Mug",
  Published: "1",
  "Is featured?": "0",
  "Visibility in catalog": "visible",
  Description: "For coffee.",
  "Tax status": "taxable",
  "In stock?": "1",
  Stock: "5",
  "Backorders allowed?": "0",
  "Sold individually?": "0",
  "Weight (%s)": "0.4",
  "Allow customer reviews?": "1",
  "Regular price": "12.5",
  Categories: "Kitchen > Mugs",
  Images: "https://shop.example/7.jpg",
  Position: "0",
  "Attribute %d name": "Color",
  "Attribute %d value(s)": "Blue",
  "Attribute %d visible": "1",
  "Attribute %d global": "1",
};
const ATTRIBUTE = ["name", "value(s)", "visible", "global"].map((part) => `Attribute %d ${part}`);
const ALL = [...WOOCOMMERCE_COLUMNS, ...ATTRIBUTE];

const MUG = {
  id: "7",
  sku: "M-7",
  title: "Mug",
  description: "For coffee.",
  price: "12.5",
  quantity: "5",
  availability: "1",
  weight: "0.4",
  weightUnit: "kg",
  color: "Blue",
  categories: ["Kitchen > Mugs"],
  image: "https://shop.example/7.jpg",
  link: "https://shop.example/?p=7",
  published: "1",
};

const quoted = (cells: readonly string[]): string =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");

/** An export of one mug, with the columns under the names that `nameOf` gives them. */
function exportOf(columns: readonly string[], nameOf: (english: string) => string): string {
  const header = columns.map((column) => nameOf(column).replace("%s", "kg").replace("%d", "1"));
  return `${quoted(header)}\n${quoted(columns.map((column) => VALUES[column] ?? ""))}\n`;
}

describe("a WooCommerce export with translated column names", () => {
  for (const [language, table] of WOOCOMMERCE_TRANSLATIONS) {
    test(`is read in ${language}`, async () => {
      const file = exportOf(ALL, (english) => table.get(english)?.at(-1) ?? english);

      const events = await read(file);

      assert.deepEqual(draftsOf(events), [MUG]);
      assert.deepEqual(warningsOf(events), []);
    });
  }

  test("is read when only some columns are exported, after a blank line, a tab and a byte order mark", async () => {
    const events = await read(
      '\n\t\uFEFFID,Тип,Артикул,Имя,Опубликован,"Короткое описание","В наличии?","Базовая цена",Изображения\n40,simple,,Кружка,1,Синяя,1,240,https://shop.example/40.jpg\n',
    );

    assert.deepEqual(draftsOf(events), [
      {
        id: "40",
        title: "Кружка",
        published: "1",
        shortDescription: "Синяя",
        availability: "1",
        price: "240",
        image: "https://shop.example/40.jpg",
        link: "https://shop.example/?p=40",
      },
    ]);
  });

  test("variations are matched with their product, and unknown columns are listed", async () => {
    const events = await read(
      `ID,Typ,Artikelnummer,Name,Veröffentlicht,"Regulärer Preis","Übergeordnetes Produkt","Attribut 1 Name","Attribut 1 Wert(e)",Lieferzeit
7,variable,T,T-Shirt,1,,,Farbe,"Rot, Blau",3
8,variation,T-R,"T-Shirt – Rot",1,19,id:7,Farbe,Rot,3
`,
    );

    const [shirt, ...more] = draftsOf(events);
    assert.deepEqual(more, []);
    assert.equal(shirt?.groupId, "7");
    assert.deepEqual(shirt?.options, [{ name: "Farbe", value: "Rot" }]);
    assert.match(warningsOf(events).join("\n"), /these are not known: "Lieferzeit"/);
  });

  test("is read by column position in an unknown language, if the values confirm the order", async () => {
    for (const without of ["", "GTIN, UPC, EAN, or ISBN", "Low stock amount"]) {
      const columns = ALL.filter((column) => column !== without);
      const file = exportOf(columns, (english) => {
        const place = columns.indexOf(english);
        return /%d/.test(english)
          ? `Vlastnosť %d ${place}x`
          : `stĺpec ${place}${english.includes("%s") ? " (%s)" : ""}`;
      });

      assert.deepEqual(draftsOf(await read(file)), [MUG], `without ${without}`);
    }
  });

  test("is not read by column position if a value does not fit or too many columns are empty", () => {
    const header = WOOCOMMERCE_COLUMNS.map((_, place) => `stĺpec ${place}`);
    const row = WOOCOMMERCE_COLUMNS.map((column) => VALUES[column] ?? "");
    const replaced = (column: string, value: string): FileHead => ({
      header,
      rows: [row, row.map((cell, place) => (WOOCOMMERCE_COLUMNS[place] === column ? value : cell))],
    });

    assert.notEqual(translatedHeaders({ header, rows: [row] }), undefined);
    assert.equal(translatedHeaders(replaced("Type", "kniha")), undefined);
    assert.equal(translatedHeaders(replaced("Visibility in catalog", "taxable")), undefined);
    assert.equal(translatedHeaders(replaced("Regular price", "Mug")), undefined);
    assert.equal(translatedHeaders({ header, rows: [] }), undefined);
    assert.equal(translatedHeaders({ header: header.slice(0, 20), rows: [row.slice(0, 20)] }), undefined);
  });
});
