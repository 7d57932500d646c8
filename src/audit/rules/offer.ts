/** Rules about price, sale, stock and dates. */
import type { Item } from "../../catalog/item.ts";
import { compareMoney, formatMoney, isZero } from "../../catalog/money.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import { FAIL, failIf, PASS, UNKNOWN } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, firstProblem, itemRule, type ItemRule, type RuleContext } from "../rule.ts";

const hasSale = ({ salePrice }: Item): boolean => salePrice !== undefined;

function isNotReduced({ price, salePrice }: Item): boolean {
  if (salePrice === undefined) return false;
  return salePrice.currency !== price.currency || isZero(salePrice) || compareMoney(salePrice, price) >= 0;
}

function endsBeforeStart({ saleFrom, saleTo }: Item): boolean {
  return saleFrom !== undefined && saleTo !== undefined && saleFrom >= saleTo;
}

/** One cent or the like: every digit is zero but the last, which is one. */
function isSmallestAmount(amount: string): boolean {
  const last = amount.length - 1;
  if (amount.charCodeAt(last) !== 49) return false;
  for (let i = 0; i < last; i++) if (amount.charCodeAt(i) > 48) return false;
  return true;
}

/** Fewer nines can be a real price; prices in currencies without decimals have more digits. */
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

function isUnusableDate({ availabilityDate }: Item, { shop }: RuleContext): boolean {
  return availabilityDate !== undefined && (availabilityDate < shop.now || availabilityDate > shop.inOneYear);
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
    message: ({ price }) => `The price ${formatMoney(price)} is far from those of the other variants.`,
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
    formats: ALL_FORMATS,
    when: "when there is a sale price",
    expects:
      "Above zero, below the price, in its currency, within dates that are in order. Half of the points for a sale that is over.",
    advice: "Correct the sale price or its dates, or end the sale.",
    reference: REFERENCES.price,
    applies: hasSale,
    ...firstProblem(
      {
        earned: FAIL,
        found: isNotReduced,
        message: ({ price, salePrice = price }) =>
          `${formatMoney(salePrice)} is no reduction of ${formatMoney(price)}.`,
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
    formats: ALL_FORMATS,
    scope: "catalog",
    expects:
      "The catalog's currency; where the settings name none, and for items of another country, the currency of that market's first item.",
    advice: "Set the catalog's currency, and use it for all prices of one market.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ price }, { marketCurrency }) =>
      marketCurrency === undefined ? UNKNOWN : failIf(price.currency !== marketCurrency),
    message: ({ price }, { marketCurrency = "another currency" }) =>
      `The price is in ${price.currency}, its market's are in ${marketCurrency}.`,
  }),
  itemRule({
    number: 22,
    id: "offer.price_plausible",
    title: "Price looks wrong",
    field: "price",
    points: 2,
    severity: "major",
    formats: ALL_FORMATS,
    scope: "group",
    when: "when the price is above zero",
    expects:
      "Neither one cent nor nothing but nines. A quarter of the points for a price more than twenty times above or below the median of its group, which must have at least three items; a group of more than 500 is looked at in parts.",
    advice: "Check the decimal mark, and whether the price is only a placeholder.",
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
    formats: ALL_FORMATS,
    when: "when the quantity and the availability are known",
    expects: "Some in stock when it says in stock, none when it says out of stock.",
    advice: "Take both from the same place.",
    reference: REFERENCES.availability,
    applies: ({ quantity, availability }) => quantity !== undefined && availability !== "unknown",
    ...firstProblem({
      earned: FAIL,
      found: ({ quantity = 0, availability }) =>
        (availability === "in_stock" && quantity <= 0) || (availability === "out_of_stock" && quantity > 0),
      message: ({ quantity = 0, availability }) =>
        `The item is ${availability === "in_stock" ? "in stock" : "out of stock"} with a quantity of ${quantity}.`,
    }),
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
    when: "for pre-orders and backorders",
    expects:
      "A date to come, within a year. Half of the points for a backorder without one, or a date that is past or farther.",
    advice: "Give the date from which the item ships.",
    reference: REFERENCES.availability,
    applies: isPreorderOrBackorder,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ availability, availabilityDate }) =>
          availability === "preorder" && availabilityDate === undefined,
        message: () => "The item can be preordered, but has no availability date.",
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
          `The date ${availabilityDate.slice(0, 10)} is ${availabilityDate < shop.now ? "past" : "more than a year away"}.`,
      },
    ),
  }),
  itemRule({
    number: 45,
    id: "offer.sale_dates",
    title: "Sale has no end date",
    field: "saleTo",
    points: 0,
    severity: "info",
    formats: ["gmc", "jsonld"],
    when: "when there is a sale price",
    expects: "The moment at which the sale ends.",
    advice: "Give sales an end date: a sale that never ends is the regular price.",
    reference: REFERENCES.price,
    applies: hasSale,
    ...firstProblem({
      earned: FAIL,
      found: ({ saleTo }) => saleTo === undefined,
      message: () => "The sale has no end.",
    }),
  }),
];
