import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAll } from "../../../test/assert-cases.ts";
import { readAvailability } from "./availability.ts";

test("availability is understood in the languages of our users' markets", () => {
  const stated = {
    in_stock: [
      "in stock",
      "in_stock",
      "InStock",
      "IN-STOCK",
      "yes",
      "TRUE",
      "1",
      "https://schema.org/InStock",
      "http://schema.org/LimitedAvailability",
      "auf Lager",
      "sofort lieferbar",
      "Verfügbar",
      "en stock",
      "disponible",
      "disponibile",
      "op voorraad",
      "em estoque",
      "disponível",
      "dostępny",
      "i lager",
      "på lager",
    ],
    out_of_stock: [
      "out of stock",
      "outofstock",
      "OOS",
      "sold out",
      "no",
      "false",
      "0",
      "https://schema.org/SoldOut",
      "https://schema.org/Discontinued",
      "nicht lieferbar",
      "ausverkauft",
      "rupture de stock",
      "épuisé",
      "agotado",
      "esaurito",
      "uitverkocht",
      "esgotado",
      "niedostępny",
      "slutsåld",
      "udsolgt",
      "utsolgt",
    ],
    preorder: [
      "preorder",
      "pre-order",
      "pre_order",
      "https://schema.org/PreOrder",
      "https://schema.org/PreSale",
      "vorbestellbar",
      "précommande",
      "preventa",
      "preordine",
      "pré-venda",
      "przedsprzedaż",
      "förbeställning",
    ],
    backorder: [
      "backorder",
      "on_backorder",
      "onbackorder",
      "available on backorder",
      "https://schema.org/BackOrder",
      "sur commande",
      "bajo pedido",
      "na zamówienie",
    ],
    unknown: ["unknown", "Unknown"],
  };

  for (const [availability, words] of Object.entries(stated)) {
    for (const word of words) assert.deepEqual(readAvailability(word), { availability }, word);
  }
});

test("a number is a quantity, except 0 and 1, which may mean no and yes", () => {
  assert.deepEqual(readAvailability("12"), { availability: "in_stock", quantity: 12 });
  assert.deepEqual(readAvailability("-3"), { availability: "out_of_stock", quantity: 0 });
  assert.deepEqual(readAvailability("1"), { availability: "in_stock" });
  assert.deepEqual(readAvailability("0"), { availability: "out_of_stock" });
});

test("unknown words have no meaning", () => {
  assertAll(readAvailability, undefined, [
    "maybe",
    "12 pieces",
    "ships in 3 days",
    "99999999999",
    "1.5",
    "",
    "constructor",
  ]);
});
