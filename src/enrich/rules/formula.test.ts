import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { minimalItem } from "../../../test/item.ts";
import type { Item } from "../../catalog/item.ts";
import { after, applied, isMatch, MUG, problems, refusal, rule } from "./rules.fixture.ts";

const EUR = (amount: string) => ({ amount, currency: "EUR" });
const calculate = (formula: string, field = "price") => ({ type: "calculate", field, formula }) as const;
const priceAfter = (formula: string, item?: Item) => after(calculate(formula), item).price.amount;
const refused = (formula: string, field?: string) => problems([rule(calculate(formula, field))])[0];

const SALE: Item = { ...MUG, salePrice: EUR("14.93"), cost: EUR("10.00") };
/** As Shopify has a sale: the price now, next to a list price. */
const COMPARED: Item = { ...MUG, price: EUR("20.00"), salePrice: EUR("15.00"), priceIsList: true };

describe("the result of a formula", () => {
  test("is exact, and rounded half up to the smallest coin of the currency once, at the end", () => {
    assert.equal(priceAfter("price * 1.1"), "21.89");
    assert.equal(priceAfter("price / 3 * 3 + 0.005"), "19.91");
    assert.equal(priceAfter("price + 0.1 + 0.2"), "20.20");
    assert.equal(priceAfter("(price + 1) * 2 - 0.8"), "41.00");
    const yen = minimalItem({ price: { amount: "1250", currency: "JPY" } });
    assert.equal(priceAfter("price * 1.1", yen), "1375");
    const dinar = minimalItem({ price: { amount: "1.250", currency: "KWD" } });
    assert.equal(priceAfter("price / 2", dinar), "0.625");
  });

  test("adds and takes away percentages as a calculator does", () => {
    assert.equal(priceAfter("price + 10%"), "21.89");
    assert.equal(priceAfter("price − 5 %"), "18.91");
    assert.equal(priceAfter("price * 50%"), "9.95");
    const costly = { ...MUG, cost: EUR("10.00") };
    assert.equal(priceAfter("cost / 80%", costly), "12.50");
    assert.equal(priceAfter("cost / (100% - 20%)", costly), "12.50");
  });

  test("is rounded to multiples and endings, in a direction", () => {
    assert.deepEqual(
      ["round(price, 5)", "round_up(price, 0.05)", "round_down(price)", "round(price - 7.4, 5)"].map(
        (formula) => priceAfter(formula),
      ),
      ["20.00", "19.90", "19.00", "15.00"],
    );
    assert.deepEqual(
      ["ending(price, 0.99)", "ending_up(price, .95)", "ending_down(price, 0.99)", "ending_up(price, 9)"].map(
        (formula) => priceAfter(formula),
      ),
      ["19.99", "19.95", "18.99", "29.00"],
    );
    assert.equal(priceAfter("ending_up(price * 5, 49.99)"), "149.99");
  });

  test("may be the lowest or highest of several, and of computed fields", () => {
    assert.equal(priceAfter("max(price, cost + 150%)", SALE), "25.00");
    assert.equal(priceAfter("min(price, 15, sale_price + 1)", SALE), "15.00");
    const label = after(calculate("round(margin_percent, 10)", "custom_label1"), SALE).customLabels;
    assert.deepEqual(label, ["zero", "30", "two"]);
    assert.equal(after(calculate("quantity - 2", "quantity")).quantity, 3);
  });

  test("uses numbers in details and options, and no other texts", () => {
    const pack = (value: string): Item => ({ ...MUG, details: [{ name: "Pack size", value }] });
    const formula = calculate("price / {details.pack size}");
    assert.equal(after(formula, pack("2")).price.amount, "9.95");
    for (const text of ["2 pieces", "2,5", "many"])
      assert.equal(after(formula, pack(text)).price.amount, "19.90");
  });

  test("leaves an item as it is that lacks one of the fields", () => {
    assert.equal(after(calculate("max(price, cost)")), MUG);
  });

  test("is refused with a sentence where the field cannot have it", () => {
    assert.equal(
      refusal(calculate("price - 50")),
      "The formula makes price -30.10 EUR, which is below zero.",
    );
    assert.equal(refusal(calculate("price * 0.0001")), "The formula makes price zero.");
    assert.equal(refusal(calculate("price / (quantity - 5)")), "The formula divides by zero.");
    assert.match(
      refusal(calculate("price * 999999999999")) ?? "",
      /has more than 12 digits|too large|digits/,
    );
    assert.match(refusal(calculate("quantity / 2", "quantity")) ?? "", /is not a whole number/);
    assert.match(refusal(calculate("price + 1", "sale_price")) ?? "", /is not lower than the price/);
    const mixed = { ...MUG, google: { auto_pricing_min_price: "5.00 USD" } };
    assert.equal(
      refusal(calculate("auto_pricing_min_price + 1"), mixed),
      "auto_pricing_min_price is not in EUR.",
    );
  });

  test("shows in the trace with the value before and after", () => {
    const { trace } = applied([rule(calculate("ending_up(price * 1.1, 0.99)"))]);
    assert.deepEqual(trace, [{ rule: "Rule", field: "price", before: "19.90 EUR", after: "21.99 EUR" }]);
  });

  test("is never off by a coin, whatever is added and multiplied", () => {
    const cents = fc.integer({ min: 1, max: 10 ** 11 });
    fc.assert(
      fc.property(cents, cents, fc.integer({ min: 1, max: 999 }), (a, b, factor) => {
        const text = (number: number): string =>
          `${Math.trunc(number / 100)}.${String(number % 100).padStart(2, "0")}`;
        const item = minimalItem({ price: EUR(text(a)) });
        const expected = (BigInt(a) + BigInt(b)) * BigInt(factor);
        const digits = expected.toString().padStart(3, "0");
        if (digits.length > 14) return;
        assert.equal(
          priceAfter(`(price + ${text(b)}) * ${factor}`, item),
          `${digits.slice(0, -2)}.${digits.slice(-2)}`,
        );
      }),
    );
  });
});

describe("a formula that cannot be read is refused", () => {
  const example = "An example: round_up(price * 1.1, 5)";

  test("with what is wrong", () => {
    assert.equal(
      refused("price *"),
      `invalid_formula /rules/0/action/formula The formula ends too early. ${example}`,
    );
    assert.match(refused("price ; 2") ?? "", /cannot be read from "; 2" on/);
    assert.match(refused("price 2") ?? "", /cannot be read from "2" on/);
    assert.match(refused("round(price, 0)") ?? "", /round takes a number and a step above zero/);
    assert.match(refused("ending(price, quantity)") ?? "", /ending takes a number and its ending/);
    assert.match(refused("sqrt(price)") ?? "", /There is no function "sqrt"\. Use round, round_up/);
    assert.match(refused("1 + 1") ?? "", /has no field/);
    assert.match(
      refused("prise * 2") ?? "",
      /unknown_field .*There is no field "prise"\. Did you mean price\?/,
    );
    assert.match(refused("title * 2") ?? "", /title is neither a number nor an amount/);
    assert.match(refused("sale_to - 2") ?? "", /sale_to is neither a number nor an amount/);
    assert.match(refused("price") ?? "", /no_effect/);
    assert.match(refused(`${"(".repeat(30)}price`) ?? "", /more than 20 deep/);
  });

  test("if it has a decimal comma, which would be two numbers", () => {
    assert.match(refused("max(price, 9,99)") ?? "", /Write decimals with a point/);
  });

  test("if it would publish what the shop pays as it is", () => {
    assert.match(refused("cost") ?? "", /^private_field .*cost is never published/);
    assert.match(refused("(margin_percent)", "custom_label0") ?? "", /^private_field /);
    assert.equal(refused("price * 60%", "cost"), undefined);
  });
});

describe("sales", () => {
  test("of shops with list prices are seen by conditions on sale_price", () => {
    assert.equal(isMatch({ field: "sale_price", operator: "is_not_empty" }, COMPARED), true);
    assert.equal(isMatch({ field: "sale_price", operator: "less_than", value: 16 }, COMPARED), true);
    assert.equal(isMatch({ field: "sale_price", operator: "is_not_empty" }, MUG), false);
  });

  test("have a discount in percent, in either form", () => {
    assert.equal(isMatch({ field: "discount_percent", operator: "is", value: 25 }, COMPARED), true);
    assert.equal(isMatch({ field: "discount_percent", operator: "greater_than", value: 24.9 }, SALE), true);
    assert.equal(isMatch({ field: "discount_percent", operator: "is_empty" }, MUG), true);
  });

  test("are not discounted twice by rules for price and for sale_price", () => {
    const rules = [
      rule(calculate("price - 10%")),
      rule(calculate("sale_price - 10%", "sale_price"), { name: "Sale" }),
    ];
    const { item, refused: values } = applied(rules, COMPARED);
    assert.deepEqual([item.price, item.salePrice], [EUR("20.00"), EUR("13.50")]);
    assert.match(values[0]?.message ?? "", /Calculate price instead\.$/);
    const plain = applied(rules, SALE).item;
    assert.deepEqual([plain.price, plain.salePrice], [EUR("17.91"), EUR("13.44")]);
  });
});

test("a margin may be below zero, and conditions may say so", () => {
  const loss = { ...MUG, cost: EUR("25.00") };
  assert.equal(isMatch({ field: "margin_percent", operator: "less_than", value: 0 }, loss), true);
  assert.equal(
    isMatch({ field: "margin_percent", operator: "is", value: 49.75 }, { ...MUG, cost: EUR("10.00") }),
    true,
  );
});

describe("the price of shipping to a country", () => {
  const rate = (country: string | undefined, amount: string, more = {}) => ({
    ...(country !== undefined && { country }),
    ...more,
    price: EUR(amount),
  });
  const SHIPPED: Item = {
    ...MUG,
    shipping: [
      rate("DE", "12.90", { service: "Express" }),
      { ...rate("DE", "4.90", { service: "Standard" }), minTransit: 2, maxTransit: 3 },
      rate("AT", "9.90"),
    ],
  };
  const set = (field: string, value: string | number) => ({ type: "set", field, value }) as const;

  test("is set on an item without one, and next to those of other countries", () => {
    assert.deepEqual(after(set("shipping.de", "4.90")).shipping, [rate("DE", "4.90")]);
    const { shipping } = after(set("shipping.UK", 15), SHIPPED);
    assert.deepEqual(shipping, [...(SHIPPED.shipping ?? []), rate("GB", "15.00")]);
  });

  test("takes the place of all rates for the country, with service and days of the lowest one", () => {
    const { shipping } = after(set("shipping.DE", 0), SHIPPED);
    assert.deepEqual(shipping, [
      { ...rate("DE", "0.00", { service: "Standard" }), minTransit: 2, maxTransit: 3 },
      rate("AT", "9.90"),
    ]);
    const bavaria = { ...MUG, shipping: [rate("DE", "5.00", { region: "BY" })] };
    assert.deepEqual(after(set("shipping.DE", 3), bavaria).shipping, [rate("DE", "3.00")]);
    const members = {
      ...MUG,
      google: {
        shipping: [
          { country: "DE", loyalty_tier_label: "gold", price: "0.00 EUR" },
          { country: "AT", loyalty_tier_label: "gold", price: "1.00 EUR" },
        ],
      },
    };
    assert.deepEqual(after(set("shipping.DE", 3), members).google, {
      shipping: [{ country: "AT", loyalty_tier_label: "gold", price: "1.00 EUR" }],
    });
  });

  test("takes the place of a rate without a country, if that is the item's or the store's", () => {
    const local = { ...MUG, shipping: [rate(undefined, "4.90")] };
    assert.deepEqual(after(set("shipping.DE", 3), { ...local, country: "DE" }).shipping, [
      rate("DE", "3.00"),
    ]);
    const { item } = applied([rule(set("shipping.DE", 3))], local, { settings: { country: "DE" } });
    assert.deepEqual(item.shipping, [rate("DE", "3.00")]);
    assert.equal(after(set("shipping.DE", 3), { ...local, country: "FR" }).shipping?.length, 2);
  });

  test("is calculated, compared and cleared", () => {
    assert.deepEqual(
      after(calculate("shipping.DE + 10%", "shipping.AT"), SHIPPED).shipping?.[2],
      rate("AT", "5.39"),
    );
    assert.equal(after(calculate("shipping.FR + 1", "shipping.AT"), SHIPPED), SHIPPED);
    assert.equal(isMatch({ field: "shipping.DE", operator: "is", value: 4.9 }, SHIPPED), true);
    assert.equal(isMatch({ field: "shipping.FR", operator: "is_empty" }, SHIPPED), true);
    assert.deepEqual(after({ type: "clear", field: "shipping.DE" }, SHIPPED).shipping, [rate("AT", "9.90")]);
    assert.equal(after(set("shipping.AT", "9.90"), SHIPPED), SHIPPED);
  });

  test("passes the checks of source values, and shows in the trace", () => {
    assert.match(
      problems([rule(set("shipping.DE", "soon"))])[0] ?? "",
      /^invalid_value \/rules\/0\/action\/value /,
    );
    assert.match(
      problems([rule(set("shipping.Germany", "5"))])[0] ?? "",
      /^unknown_field .* as in shipping\.DE\.$/,
    );
    assert.match(refusal(set("shipping.DE", "5 USD")) ?? "", /is not in EUR/);
    assert.match(refusal(calculate("price - 50", "shipping.DE")) ?? "", /makes shipping\.DE -30\.10 EUR/);
    const { trace } = applied([rule(set("shipping.DE", 3))], { ...MUG, shipping: [rate("DE", "4.90")] });
    assert.deepEqual(trace, [
      { rule: "Rule", field: "shipping", before: ["DE 4.90 EUR"], after: ["DE 3.00 EUR"] },
    ]);
  });
});
