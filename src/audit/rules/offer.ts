/** Rules about price, sale, stock and dates. */
import { currencyExponent } from "../../catalog/currency.ts";
import type { Item } from "../../catalog/item.ts";
import { compareMoney, formatMoney, isZero } from "../../catalog/money.ts";
import { FAIL, failIf, PASS, UNKNOWN } from "../outcome.ts";
import { firstProblem, itemRule, type ItemRule, REFERENCES, type AuditRuleContext } from "../rule.ts";

const hasSale = ({ salePrice }: Item): boolean => salePrice !== undefined;

function isNotReduced({ price, salePrice }: Item): boolean {
  if (salePrice === undefined) return false;
  return salePrice.currency !== price.currency || compareMoney(salePrice, price) >= 0;
}

/** While such a sale runs, it is a problem of the price: `eligibility.price`. */
function isFutureFreeSale({ salePrice, saleFrom }: Item, { shop }: AuditRuleContext): boolean {
  return salePrice !== undefined && isZero(salePrice) && saleFrom !== undefined && saleFrom > shop.now;
}

function endsBeforeStart({ saleFrom, saleTo }: Item): boolean {
  return saleFrom !== undefined && saleTo !== undefined && saleFrom >= saleTo;
}

/** Finds one cent and similar amounts: every digit is zero except the last, which is one. */
function isSmallestAmount(amount: string): boolean {
  const last = amount.length - 1;
  if (amount.charCodeAt(last) !== 49) return false;
  for (let i = 0; i < last; i++) if (amount.charCodeAt(i) > 48) return false;
  return true;
}

/** A price with fewer nines can be real; prices in currencies without decimals have more digits. */
const MAX_NINES = 5;
const MAX_NINES_WITHOUT_DECIMALS = 7;
const ONLY_NINES = /^(9+)(?:\.9+)?$/;

/** `999999.99` is a placeholder. */
function isAllNines({ price }: Item): boolean {
  if (!price.amount.startsWith("999999")) return false;
  const nines = ONLY_NINES.exec(price.amount)?.[1]?.length ?? 0;
  return nines > (currencyExponent(price.currency) === 0 ? MAX_NINES_WITHOUT_DECIMALS : MAX_NINES);
}

function isPreorderOrBackorder({ availability }: Item): boolean {
  return availability === "preorder" || availability === "backorder";
}

function isUnusableDate({ availabilityDate }: Item, { shop }: AuditRuleContext): boolean {
  return (
    availabilityDate !== undefined && (availabilityDate <= shop.now || availabilityDate > shop.inOneYear)
  );
}

const PRICE_PROBLEMS = firstProblem(
  {
    earned: FAIL,
    found: (item) => isSmallestAmount(item.price.amount) || isAllNines(item),
    message: ({ price }) => `The price ${formatMoney(price)} looks like a placeholder.`,
  },
  {
    earned: 3,
    found: (_, { isPriceOutlier }) => isPriceOutlier,
    message: ({ price }) => `The price ${formatMoney(price)} is far from the prices of the other variants.`,
  },
);

export const OFFER_RULES: readonly ItemRule[] = [
  itemRule({
    number: 20,
    id: "offer.sale_below_price",
    title: "Sale price is not a reduction, or its dates are wrong",
    field: "salePrice",
    points: 1,
    severity: "major",
    when: "when there is a sale price",
    expects:
      "A sale price above zero, below the price and in its currency, with an end after the start. Half of the points for a sale that has ended.",
    advice: "Correct the sale price or its dates, or end the sale.",
    reference: REFERENCES.price,
    applies: hasSale,
    ...firstProblem(
      {
        earned: FAIL,
        found: isNotReduced,
        message: ({ price, salePrice = price }) =>
          `The sale price ${formatMoney(salePrice)} is not a valid reduction of ${formatMoney(price)}.`,
      },
      {
        earned: FAIL,
        found: isFutureFreeSale,
        message: () => "The sale price is zero; channels refuse the item while the sale runs.",
      },
      { earned: FAIL, found: endsBeforeStart, message: () => "The sale ends before it begins." },
      {
        earned: 6,
        found: ({ saleTo }, { shop }) => saleTo !== undefined && saleTo <= shop.now,
        message: ({ saleTo = "" }) => `The sale ended on ${saleTo.slice(0, 10)}.`,
      },
    ),
  }),
  itemRule({
    number: 21,
    id: "offer.single_currency",
    title: "Several currencies in one market",
    field: "price",
    points: 1,
    severity: "major",
    scope: "catalog",
    expects:
      "The currency of the settings. If none is set, and for items of other countries: the currency of the first item of that market.",
    advice: "Set the catalog's currency, and use one currency for all prices of a market.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ price }, { marketCurrency }) =>
      marketCurrency === undefined ? UNKNOWN : failIf(price.currency !== marketCurrency),
    message: ({ price }, { marketCurrency = "another currency" }) =>
      `The price is in ${price.currency}; other prices of this market are in ${marketCurrency}.`,
  }),
  itemRule({
    number: 22,
    id: "offer.price_plausible",
    title: "Price looks wrong",
    field: "price",
    points: 2,
    severity: "major",
    scope: "group",
    when: "when the price is above zero",
    expects:
      "Not one cent and not only nines. A quarter of the points for a price more than twenty times above or below the median of its group, if that has at least three items; groups of more than 500 items are compared in parts.",
    advice: "Check the decimal separator, and replace placeholder prices.",
    reference: REFERENCES.price,
    applies: ({ price }) => !isZero(price),
    evaluate: (item, context) => {
      const earned = PRICE_PROBLEMS.evaluate(item, context);
      return earned === PASS && context.groupStatus === "unknown" ? UNKNOWN : earned;
    },
    message: PRICE_PROBLEMS.message,
  }),
  itemRule({
    number: 23,
    id: "offer.stock_consistent",
    title: "Quantity and availability contradict each other",
    field: "quantity",
    points: 2,
    severity: "major",
    when: "when the quantity and the availability are known",
    expects: "A quantity above zero when in stock, and zero when out of stock.",
    advice: "Take quantity and availability from the same source.",
    reference: REFERENCES.availability,
    applies: ({ quantity, availability }) => quantity !== undefined && availability !== "unknown",
    found: ({ quantity = 0, availability }) =>
      (availability === "in_stock" && quantity <= 0) || (availability === "out_of_stock" && quantity > 0),
    message: ({ quantity = 0, availability }) =>
      `The item is ${availability === "in_stock" ? "in stock" : "out of stock"} with a quantity of ${quantity}.`,
  }),
  itemRule({
    number: 24,
    id: "offer.availability_date",
    title: "Availability date is missing or not usable",
    field: "availabilityDate",
    points: 1,
    severity: "critical",
    formats: ["gmc", "jsonld"],
    blocks: ["gmc"],
    when: "for preorders and backorders",
    expects:
      "A future date within a year. Half of the points for a backorder without a date or with one that is past, and for a date more than a year away.",
    advice: "Set the date from which the item ships.",
    reference: REFERENCES.availability,
    applies: isPreorderOrBackorder,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ availability, availabilityDate }) =>
          availability === "preorder" && availabilityDate === undefined,
        message: () => "The item is on preorder, but has no availability date.",
      },
      {
        earned: FAIL,
        found: ({ availability, availabilityDate = "" }, { shop }) =>
          availability === "preorder" && availabilityDate <= shop.now,
        message: ({ availabilityDate = "" }) =>
          `The item is on preorder, but the date ${availabilityDate.slice(0, 10)} is past.`,
      },
      {
        earned: 6,
        found: ({ availabilityDate }) => availabilityDate === undefined,
        message: () => "The item is on backorder, but has no availability date.",
      },
      {
        earned: 6,
        found: isUnusableDate,
        message: ({ availabilityDate = "" }, { shop }) =>
          `The date ${availabilityDate.slice(0, 10)} is ${availabilityDate <= shop.now ? "past" : "more than a year away"}.`,
      },
    ),
  }),
  itemRule({
    number: 45,
    id: "offer.sale_dates",
    title: "Sale has no end date",
    field: "saleTo",
    formats: ["gmc", "jsonld"],
    when: "when there is a sale price",
    expects: "An end date of the sale.",
    advice: "Set an end date: a sale that never ends is the regular price.",
    reference: REFERENCES.price,
    applies: hasSale,
    found: ({ saleTo }) => saleTo === undefined,
    message: () => "The sale has no end date.",
  }),
];
