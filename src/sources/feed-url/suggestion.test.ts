import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceParts, suggestColumns } from "./suggestion.ts";

/** What is suggested for a file, given as the values of its columns. */
function suggested(file: Readonly<Record<string, readonly string[]>>) {
  const seen = {
    columns: Object.keys(file),
    valuesOf: (name: string) => file[name] ?? [],
    has: () => false,
    mapping: new Map(),
  };
  return suggestColumns(seen) ?? assert.fail("Nothing was suggested.");
}

const CODES = ["A-1", "A-2", "A-3"];
const PRICES = ["12.50", "9.90", "8.00"];
const TITLES = ["Blue mug", "Red mug", "Tea pot"];
const LINKS = ["https://shop.example/a", "https://shop.example/b", "https://shop.example/c"];
const IMAGES = ["https://shop.example/a.jpg", "https://shop.example/b.jpg", "https://shop.example/c.jpg"];

test("a suggestion never takes what the shop pays, or cents, for the price", () => {
  for (const name of [
    "supply_price",
    "cost_price",
    "costPrice",
    "Cost per item",
    "price_in_cents",
    "Einkaufspreis",
    "wholesale price",
    "prix d'achat",
    "prices",
    "Margin price",
    "stock_amount",
    "delivery_price",
    "Versandpreis",
    "Prix HT",
    "Nettopreis",
    "Precio sin IVA",
    "partner_price",
    "price_b2b",
    "Prezzo rivenditore",
    "Grundpreis",
    "price_per_100g",
    "Prix barré",
    "competitor_price",
    "min_price",
  ])
    assert.doesNotMatch(suggested({ Code: CODES, [name]: PRICES }).columns, /= price/, name);
  const { columns } = suggested({ Code: CODES, supply_price: PRICES, final_price: PRICES });
  assert.match(columns, /^final_price = price$/m);
});

test("the word for the price is known in many languages", () => {
  for (const name of [
    "Preço online",
    "Cena online",
    "Fiyat online",
    "Цена online",
    "Ціна online",
    "Τιμή online",
    "السعر online",
    "מחיר online",
    "販売価格",
    "价格 online",
    "가격 online",
    "Preț online",
    "Pris online",
    "Hinta online",
    "Cena produkt s DPH",
    "VK brutto (EUR)",
  ])
    assert.match(suggested({ Numero: CODES, [name]: PRICES }).columns, / = price$/m, name);
});

test("where two columns could be the price, the suggestion asks and offers none", () => {
  const suggestion = suggested({ Code: CODES, shop_price: PRICES, web_price: PRICES });

  assert.doesNotMatch(suggestion.columns, /= price/);
  assert.deepEqual(
    suggestion.prices.map(({ column }) => column),
    ["shop_price", "web_price"],
  );
  assert.match(adviceParts(suggestion).join(" "), /could be the price: map the one/);
});

test("whole numbers may be cents, so the suggestion asks", () => {
  const suggestion = suggested({ Code: CODES, web_price: ["1990", "2500", "990"] });

  assert.doesNotMatch(suggestion.columns, /= price/);
  assert.match(
    adviceParts(suggestion).join(" "),
    /"web_price" could be the price, or a number of cents \(1990, 2500, 990\)/,
  );
});

test("beside a column of tax rates or net amounts, the suggestion asks whether a price includes tax", () => {
  for (const sign of [
    "Steuersatz",
    "AktionNetto",
    "Marge HT",
    "Total sin IVA",
    "Summe ohne MwSt.",
    "tax_rate",
    "НДС",
  ]) {
    const suggestion = suggested({ Code: CODES, [sign]: ["19", "7", "19"], VKPreis: PRICES });

    assert.doesNotMatch(suggestion.columns, /= price/, sign);
    assert.equal(
      adviceParts(suggestion)[0],
      `"VKPreis" could be the price with tax or without it, as the file also has "${sign}": if it is what customers pay, tax included, map it to price.`,
    );
  }
  assert.match(
    suggested({ Steuersatz: ["19"], vkNetto: PRICES, vkBrutto: PRICES }).columns,
    /^vkBrutto = price$/m,
  );
});

test("a quantity is suggested as the stock only where a word for stock is beside it", () => {
  const counts = ["641", "396", "48"];
  for (const name of ["Menge", "Qty sold", "Order quantity"])
    assert.doesNotMatch(
      suggested({ Numero: CODES, [name]: counts }).columns,
      /= (?:quantity|availability)/,
      name,
    );
  for (const name of ["Lagermenge", "Qty in stock now", "Bestand gesamt"])
    assert.match(suggested({ Numero: CODES, [name]: counts }).columns, /= quantity/, name);
});

test("a suggestion shows three values and says how sure it is", () => {
  const { fields } = suggested({
    Numero: [...CODES, "A-4"],
    "Short name": ["Blue mug", "Red mug"],
    final_price: PRICES,
  });

  assert.deepEqual(fields, [
    { field: "id", column: "Numero", confidence: "high", values: CODES },
    { field: "title", column: "Short name", confidence: "low", values: ["Blue mug", "Red mug"] },
    { field: "price", column: "final_price", confidence: "high", values: PRICES },
  ]);
});

test("long values are shortened in the middle, because addresses differ at their ends", () => {
  const start = "https://shop.example/a-long-category/and-another-one/";
  const { fields } = suggested({ "Product page url": [`${start}mug`, `${start}pot`] });

  assert.deepEqual(fields[0]?.values, [
    "https://shop.example…/and-another-one/mug",
    "https://shop.example…/and-another-one/pot",
  ]);
});

test("a column whose values do not fit its name is not suggested", () => {
  const cases: readonly (readonly [name: string, values: readonly string[]])[] = [
    ["Numero", ["new", "new", "new", "used"]],
    ["Numero", []],
    ["Short name", ["1", "2", "3"]],
    ["Product page url", ["yes", "no", "yes"]],
    ["Product page url", IMAGES],
    ["Pic", ["3", "4", "1"]],
    ["final_price", ["on request", "on request", "ask"]],
    ["Maker", ["true", "false", "true"]],
    ["Maker", Array.from({ length: 12 }, (_, at) => `Blue mug number ${at}`)],
    ["Lagerware", ["*", "*", "*"]],
    ["Lagerware", ["Halle A", "Halle B", "Halle A"]],
    ["Short name", IMAGES.map((url) => url.slice(21))],
    ["Short name", ["a@shop.example", "b@shop.example", "c@shop.example"]],
  ];
  for (const [name, values] of cases)
    assert.equal(suggested({ [name]: values }).columns, "", `${name}: ${values.join(", ")}`);
});

test("a word inside another word, and the name of another thing, are no suggestion", () => {
  for (const name of [
    "market",
    "Market name",
    "Markt",
    "trademarket",
    "Shop name",
    "store",
    "Seller",
    "Color name",
    "File name",
  ])
    assert.equal(suggested({ [name]: TITLES }).columns, "", name);
  for (const name of ["stock_location", "Lagerort", "Lagerplatz"])
    assert.equal(suggested({ [name]: ["3", "4", "1"] }).columns, "", name);
  for (const name of ["Product brand", "Markenname", "Hersteller (neu)", "brands"])
    assert.match(suggested({ [name]: ["Kiln", "Acme", "Kiln"] }).columns, / = brand$/, name);
  for (const values of [
    ["sofort lieferbar", "ausverkauft"],
    ["ja", "nein", "ja"],
    ["3-5 Tage", "auf Lager"],
  ])
    assert.match(suggested({ Lagerware: values }).columns, / = availability$/, values.join());
});

test("a suggestion reads a name to its end: flags, units and pictures are no ids, brands or links", () => {
  const { columns } = suggested({
    "*ConditionID": CODES,
    PicURL: IMAGES,
    uom_id: CODES,
    "item-is-marketplace": ["Kiln", "Acme", "Kiln"],
    Numero: CODES,
  });

  assert.equal(columns, "Numero = id\nPicURL = image");
});

test("a suggestion proposes no URL for a title, no image for a link, and no match within another word", () => {
  const { columns } = suggested({
    "Producto URL": LINKS,
    "Numero producto": CODES,
    "Nombre corto": TITLES,
    URLfoto: IMAGES,
    "Cupón de descuento": TITLES,
    "featured in homepage ?": TITLES,
    final_price: PRICES,
    listing_inventory_id: CODES,
  });

  assert.equal(
    columns,
    [
      "Numero producto = id",
      "Nombre corto = title",
      "Producto URL = link",
      "final_price = price",
      "URLfoto = image",
    ].join("\n"),
  );
});
