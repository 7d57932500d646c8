import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../draft.ts";
import { normalize } from "../normalize.ts";

const base: Draft = { id: "1", title: "Mug", link: "https://shop.example/1", price: "20 EUR" };

test("availability is the shop's value, else follows from the quantity, else is unknown", () => {
  const cases: [Draft, string, number | undefined, string[]][] = [
    [{ availability: "in stock" }, "in_stock", undefined, []],
    [{ availability: "in stock", quantity: "0" }, "in_stock", 0, ["stock_contradicts"]],
    [{ availability: "in stock", quantity: "-2" }, "in_stock", 0, ["stock_contradicts"]],
    [{ availability: "out of stock", quantity: "4" }, "out_of_stock", 4, ["stock_contradicts"]],
    [{ availability: "out of stock", quantity: "0" }, "out_of_stock", 0, []],
    [{ availability: "backorder", quantity: "0" }, "backorder", 0, ["availability_date_missing"]],
    [{ availability: "ships in 3 days", quantity: "0" }, "in_stock", 0, []],
    [{ availability: "12" }, "in_stock", 12, []],
    [{ availability: "12", quantity: "3" }, "in_stock", 3, []],
    [{ quantity: "3" }, "in_stock", 3, []],
    [{ quantity: "0" }, "out_of_stock", 0, []],
    [{ quantity: "-4" }, "out_of_stock", 0, []],
    [{ quantity: "12.0" }, "in_stock", 12, []],
    [{}, "unknown", undefined, ["availability_missing"]],
    [{ availability: "n/a" }, "unknown", undefined, ["availability_missing"]],
    [{ availability: "unknown" }, "unknown", undefined, []],
    [{ availability: "unknown", quantity: "2" }, "in_stock", 2, []],
    [{ availability: "maybe" }, "unknown", undefined, ["unknown_availability"]],
    [{ availability: "maybe", quantity: "2" }, "in_stock", 2, ["unknown_availability"]],
    [{ quantity: "lots" }, "unknown", undefined, ["invalid_number", "availability_missing"]],
    [{ quantity: "in stock" }, "in_stock", undefined, []],
    [{ quantity: "Y" }, "in_stock", undefined, []],
    [{ quantity: "na sklad" }, "in_stock", undefined, []],
    [{ quantity: "Немає в наявності" }, "out_of_stock", undefined, []],
    [{ quantity: "٣" }, "in_stock", 3, []],
    [{ availability: "out of stock", quantity: "available" }, "out_of_stock", undefined, []],
    [{ quantity: "10+" }, "in_stock", undefined, []],
    [{ quantity: "> 5" }, "in_stock", undefined, []],
    [{ quantity: ">10 szt." }, "in_stock", undefined, []],
    [{ quantity: "mehr als 10" }, "in_stock", undefined, []],
    [{ quantity: "12 pcs" }, "in_stock", 12, []],
    [{ quantity: "12 szt." }, "in_stock", 12, []],
    [{ quantity: "0 шт" }, "out_of_stock", 0, []],
    [{ quantity: "7 in stock" }, "in_stock", 7, []],
    [{ availability: "In stock (7)" }, "in_stock", 7, []],
    [{ availability: "in stock", quantity: "4 ks" }, "in_stock", 4, []],
    [{ quantity: "0+" }, "unknown", undefined, ["invalid_number", "availability_missing"]],
    [{ quantity: "< 5" }, "unknown", undefined, ["invalid_number", "availability_missing"]],
    [{ quantity: "12 kg" }, "unknown", undefined, ["invalid_number", "availability_missing"]],
    [{ deliveryTime: "1-3 Werktage" }, "in_stock", undefined, []],
    [{ deliveryTime: "nicht lieferbar" }, "out_of_stock", undefined, []],
    [{ quantity: "0", deliveryTime: "3" }, "out_of_stock", 0, []],
    [{ availability: "maybe", deliveryTime: "3" }, "in_stock", undefined, ["unknown_availability"]],
    [{ availability: "1-3" }, "in_stock", undefined, []],
    [{ quantity: "1-3" }, "unknown", undefined, ["invalid_number", "availability_missing"]],
    [{ availability: "in arrivo" }, "unknown", undefined, ["unknown_availability"]],
    [{ availability: "na dotaz", quantity: "2" }, "in_stock", 2, ["unknown_availability"]],
    [{ deliveryTime: "auf Anfrage" }, "unknown", undefined, ["unknown_word", "availability_missing"]],
  ];

  for (const [change, availability, quantity, codes] of cases) {
    const normalized = normalize({ ...base, ...change }, { position: 1, settings: {} });
    assert.ok(normalized.kind === "item");
    assert.equal(normalized.item.availability, availability, JSON.stringify(change));
    assert.equal(normalized.item.quantity, quantity, JSON.stringify(change));
    assert.deepEqual(
      normalized.warnings.map(({ code }) => code),
      codes,
    );
  }
});

test("an availability that the quantity contradicts is used, and the warning shows both", () => {
  const { warnings } = normalize(
    { ...base, availability: "true", quantity: "0" },
    { position: 1, settings: {} },
  ) as { readonly warnings: readonly { readonly message: string }[] };
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [
      `availability "true" and quantity 0 contradict each other; the availability is used, and the item is in_stock. Correct one of them in the shop.`,
    ],
  );
});

test("the warning for an unknown availability says what was done with it, and what is accepted", () => {
  const cases = [
    [{}, "the item's availability is unknown, so Google refuses it"],
    [{ quantity: "2" }, "by its quantity the item is in_stock"],
    [{ quantity: "0" }, "by its quantity the item is out_of_stock"],
  ] as const;
  for (const [change, result] of cases) {
    const { warnings } = normalize(
      { ...base, availability: "maybe", ...change },
      { position: 1, settings: {} },
    ) as {
      readonly warnings: readonly { readonly message: string }[];
    };
    assert.deepEqual(
      warnings.map(({ message }) => message),
      [
        `availability "maybe" is not a known value; ${result}. Use in_stock, out_of_stock, preorder or backorder, or a number.`,
      ],
    );
  }
});

test("a delivery time is Google's handling time, unless the shop states one", () => {
  const handlingOf = (change: Draft) => {
    const normalized = normalize({ ...base, ...change }, { position: 1, settings: {} });
    assert.ok(normalized.kind === "item");
    return normalized.item.google;
  };

  assert.deepEqual(handlingOf({ availability: "ships in 3 days" }), { max_handling_time: "3" });
  assert.deepEqual(handlingOf({ availability: "in stock", deliveryTime: "2-4 days" }), {
    min_handling_time: "2",
    max_handling_time: "4",
  });
  assert.deepEqual(handlingOf({ deliveryTime: "3", google: { max_handling_time: ["1"] } }), {
    max_handling_time: "1",
  });
  assert.equal(handlingOf({ availability: "in stock" }), undefined);
});
