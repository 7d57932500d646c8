/** Rules about price, sale, stock, dates, shipping, returns and unit prices. */
import { currencyExponent } from "../../catalog/currency.ts";
import type { Item, ShippingRate } from "../../catalog/item.ts";
import { compareMoney, formatMoney, isZero } from "../../catalog/money.ts";
import type { Shop } from "../audit-context.ts";
import { FAIL, failIf, PASS, UNKNOWN } from "../outcome.ts";
import { firstProblem, itemRule, type ItemRule, quoted, REFERENCES, type RuleContext } from "../rule.ts";

const hasSale = ({ salePrice }: Item): boolean => salePrice !== undefined;

function isNotReduced({ price, salePrice }: Item): boolean {
  if (salePrice === undefined) return false;
  return salePrice.currency !== price.currency || compareMoney(salePrice, price) >= 0;
}

/** While it runs, such a sale is a problem of the price: `eligibility.price`. */
function isFutureFreeSale({ salePrice, saleFrom }: Item, { shop }: RuleContext): boolean {
  return salePrice !== undefined && isZero(salePrice) && saleFrom !== undefined && saleFrom > shop.now;
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
        message: () => "The sale price is zero; channels exclude the item while the sale runs.",
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
      "A future date within a year. Half of the points for a backorder without a date, and for a date that is past or more than a year away.",
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

function someRate({ shipping }: Item, test: (rate: ShippingRate) => boolean): boolean {
  if (shipping !== undefined) for (const rate of shipping) if (test(rate)) return true;
  return false;
}

function hasOpenEndedTime({ minHandling, maxHandling, minTransit, maxTransit }: ShippingRate): boolean {
  if (minHandling !== undefined && maxHandling === undefined) return true;
  return minTransit !== undefined && maxTransit === undefined;
}

function haveSameService(a: ShippingRate, b: ShippingRate): boolean {
  return (
    a.country === b.country &&
    a.region === b.region &&
    a.postalCode === b.postalCode &&
    a.service === b.service
  );
}

/** Two prices for the same service and destination. */
function isAmbiguous({ shipping }: Item): boolean {
  if (shipping === undefined || shipping.length < 2) return false;
  return shipping.some((rate, at) => shipping.findIndex((other) => haveSameService(rate, other)) < at);
}

/** A policy URL is not enough: programs cannot read the terms from it. */
function hasNoReturns({ returns }: Item, { settings }: Shop): boolean {
  if (settings.acceptsReturns !== undefined) return false;
  return returns?.accepted === undefined && returns?.days === undefined;
}

const MEASURE = /\d ?(?:ml|cl|dl|l|g|kg|oz|lb)\b/i;
const DIGIT = /\d/;

export const TERMS_RULES: readonly ItemRule[] = [
  itemRule({
    number: 25,
    id: "offer.shipping_valid",
    title: "Shipping rates cannot be used",
    field: "shipping",
    points: 1,
    severity: "minor",
    when: "when there are shipping rates",
    expects:
      "Every rate in the currency of the price. Half of the points for a rate with both a region and a postal code, with a minimum time but no maximum, and for two rates for the same service and destination.",
    advice: "Correct the rate, or remove it and set shipping in the channel's account.",
    reference: REFERENCES.shipping,
    applies: ({ shipping }) => shipping !== undefined,
    ...firstProblem(
      {
        earned: FAIL,
        found: (item) => someRate(item, ({ price }) => price.currency !== item.price.currency),
        message: ({ price }) => `A shipping rate is not in ${price.currency}, the currency of the price.`,
      },
      {
        earned: 6,
        found: (item) =>
          someRate(item, ({ region, postalCode }) => region !== undefined && postalCode !== undefined),
        message: () => "A shipping rate has both a region and a postal code.",
      },
      {
        earned: 6,
        found: (item) => someRate(item, hasOpenEndedTime),
        message: () => "A shipping rate has a minimum time but no maximum.",
      },
      {
        earned: 6,
        found: isAmbiguous,
        message: () => "Two shipping rates are for the same service and destination.",
      },
    ),
  }),
  itemRule({
    number: 46,
    id: "offer.shipping",
    title: "No shipping rates",
    field: "shipping",
    when: "unless the item is digital",
    expects: "At least one shipping rate.",
    advice: "Add shipping rates to the source, or set them in the channel's account.",
    reference: REFERENCES.shipping,
    applies: ({ isDigital }) => isDigital !== true,
    found: ({ shipping }) => shipping === undefined,
    message: () => "The item has no shipping rates.",
  }),
  itemRule({
    number: 47,
    id: "offer.returns",
    title: "No return terms",
    field: "returns",
    formats: ["acp", "jsonld"],
    expects: "The item or the settings state whether returns are accepted; no return days when they are not.",
    advice: "Set whether the shop accepts returns, and for how many days.",
    reference: REFERENCES.merchantListing,
    ...firstProblem(
      {
        earned: FAIL,
        found: (item, { shop }) => hasNoReturns(item, shop),
        message: () => "Neither the item nor the settings state whether returns are accepted.",
      },
      {
        earned: 6,
        found: ({ returns }) => returns?.accepted === false && returns.days !== undefined,
        message: () => "The item has return days, but cannot be returned.",
      },
    ),
  }),
  itemRule({
    number: 48,
    id: "offer.unit_price",
    title: "Unit price is missing",
    field: "unitPricing",
    formats: ["gmc", "jsonld"],
    when: "when the title contains a quantity such as 750 ml and the shop sells in the EU, EFTA, the United Kingdom, Australia or New Zealand",
    expects: "The quantity that the unit price is computed from.",
    advice: "Add the quantity, such as 750 ml: the law requires a unit price in these countries.",
    reference: REFERENCES.unitPricing,
    applies: ({ title }, { shop }) => shop.needsUnitPrices && DIGIT.test(title) && MEASURE.test(title),
    found: ({ unitPricing }) => unitPricing === undefined,
    message: ({ title }) => `The title ${quoted(title)} contains a quantity, but there is no unit price.`,
  }),
];
