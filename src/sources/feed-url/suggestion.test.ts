import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceParts, suggestColumns } from "./suggestion.ts";

const suggested = (...columns: readonly string[]) =>
  suggestColumns({ columns, has: () => false, mapping: new Map() });

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
  ])
    assert.doesNotMatch(suggested("Code", name)?.columns ?? "", /= price/, name);
  assert.match(suggested("Code", "supply_price", "final_price")?.columns ?? "", /^final_price = price$/m);
});

test("where two columns could be the price, the suggestion asks and offers none", () => {
  const suggestion = suggested("Code", "shop_price", "web_price");

  assert.doesNotMatch(suggestion?.columns ?? "", /= price/);
  assert.deepEqual(suggestion?.prices, ["shop_price", "web_price"]);
  assert.match(adviceParts(suggestion ?? assert.fail()).join(" "), /could be the price: map the one/);
});

test("a suggestion reads a name to its end: flags, units and pictures are no ids, brands or links", () => {
  const { columns = "" } =
    suggested("*ConditionID", "PicURL", "uom_id", "item-is-marketplace", "Numero") ?? {};

  assert.equal(columns, "Numero = id\nPicURL = image");
});

test("a suggestion proposes no URL for a title, no image for a link, and no match within another word", () => {
  const suggestion = suggestColumns({
    columns: [
      "Producto URL",
      "Numero producto",
      "Nombre corto",
      "URLfoto",
      "Cupón de descuento",
      "featured in homepage ?",
      "final_price",
      "listing_inventory_id",
    ],
    has: () => false,
    mapping: new Map(),
  });

  assert.equal(
    suggestion?.columns,
    [
      "Numero producto = id",
      "Nombre corto = title",
      "Producto URL = link",
      "final_price = price",
      "URLfoto = image",
    ].join("\n"),
  );
});
