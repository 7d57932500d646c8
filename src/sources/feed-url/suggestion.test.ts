import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestColumns } from "./suggestion.ts";

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
