/** Are price, sale, stock and dates believable and consistent? */
import type { Item } from "../../catalog/item.ts";
import { compareMoney, formatMoney, isZero } from "../../catalog/money.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import { FAULT, faultIf, FINE, UNKNOWN } from "../outcome.ts";
import type { Place } from "../place.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule } from "../rule.ts";

const hasSale = ({ salePrice }: Item): boolean => salePrice !== undefined;

function isNoReduction({ price, salePrice }: Item): boolean {
  if (salePrice === undefined) return false;
  return salePrice.currency !== price.currency || compareMoney(salePrice, price) >= 0;
}

/** While it runs, such a sale is a fault of the price: `eligibility.price`. */
function isFreeSaleToCome({ salePrice, saleFrom }: Item, { shop }: Place): boolean {
  return salePrice !== undefined && isZero(salePrice) && saleFrom !== undefined && saleFrom > shop.now;
}

function hasNoWindow({ saleFrom, saleTo }: Item): boolean {
  return saleFrom !== undefined && saleTo !== undefined && saleFrom >= saleTo;
}

/** One cent, or whatever the smallest coin is: every digit is zero but the last, which is one. */
function isOneCoin(amount: string): boolean {
  const last = amount.length - 1;
  if (amount.charCodeAt(last) !== 49) return false;
  for (let i = 0; i < last; i++) if (amount.charCodeAt(i) > 48) return false;
  return true;
}

/** Fewer nines in a row are honest prices; currencies without decimals have larger ones. */
const MOST_NINES = 5;
const MOST_NINES_WITHOUT_DECIMALS = 7;
const ONLY_NINES = /^(9+)(?:\.9+)?$/;

/** `999999.99`: what people type who do not want to sell. */
function isAllNines({ price }: Item): boolean {
  if (!price.amount.startsWith("999999")) return false;
  const nines = ONLY_NINES.exec(price.amount)?.[1]?.length ?? 0;
  return nines > (currencyExponent(price.currency) === 0 ? MOST_NINES_WITHOUT_DECIMALS : MOST_NINES);
}

function isPreOrBackorder({ availability }: Item): boolean {
  return availability === "preorder" || availability === "backorder";
}

function isDateOff({ availabilityDate }: Item, { shop }: Place): boolean {
  return availabilityDate !== undefined && (availabilityDate < shop.now || availabilityDate > shop.inOneYear);
}

const PRICE_FAULTS = byFaults(
  {
    grade: FAULT,
    found: (item) => isOneCoin(item.price.amount) || isAllNines(item),
    say: ({ price }) => `The price ${formatMoney(price)} looks like a placeholder.`,
  },
  {
    grade: 3,
    found: (_, { isOutlier }) => isOutlier,
    say: ({ price }) => `The price ${formatMoney(price)} is far from those of the other variants.`,
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
    ...byFaults(
      {
        grade: FAULT,
        found: isNoReduction,
        say: ({ price, salePrice = price }) =>
          `${formatMoney(salePrice)} is no reduction of ${formatMoney(price)}.`,
      },
      {
        grade: FAULT,
        found: isFreeSaleToCome,
        say: () => "The sale price is zero; channels leave the item out while the sale runs.",
      },
      { grade: FAULT, found: hasNoWindow, say: () => "The sale ends before it begins." },
      {
        grade: 6,
        found: ({ saleTo }, { shop }) => saleTo !== undefined && saleTo <= shop.now,
        say: ({ saleTo = "" }) => `The sale ended on ${saleTo.slice(0, 10)}.`,
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
    sight: "catalog",
    expects:
      "The catalog's currency; where the settings name none, and for items of another country, the currency of that market's first item.",
    advice: "Set the catalog's currency, and use it for all prices of one market.",
    reference: REFERENCES.openaiProducts,
    grade: ({ price }, { currency }) =>
      currency === undefined ? UNKNOWN : faultIf(price.currency !== currency),
    say: ({ price }, { currency = "another currency" }) =>
      `The price is in ${price.currency}, its market's are in ${currency}.`,
  }),
  itemRule({
    number: 22,
    id: "offer.price_plausible",
    title: "Price looks wrong",
    field: "price",
    points: 2,
    severity: "major",
    formats: ALL_FORMATS,
    sight: "group",
    when: "when the price is above zero",
    expects:
      "Neither one cent nor nothing but nines. A quarter of the points for a price more than twenty times above or below the median of its group, which must have at least three items; a group of more than 500 is looked at in parts.",
    advice: "Check the decimal mark, and whether the price is only a placeholder.",
    reference: REFERENCES.price,
    applies: ({ price }) => !isZero(price),
    grade: (item, place) => {
      const grade = PRICE_FAULTS.grade(item, place);
      return grade === FINE && place.kin === "unseen" ? UNKNOWN : grade;
    },
    say: PRICE_FAULTS.say,
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
    ...byFaults({
      grade: FAULT,
      found: ({ quantity = 0, availability }) =>
        (availability === "in_stock" && quantity <= 0) || (availability === "out_of_stock" && quantity > 0),
      say: ({ quantity = 0, availability }) =>
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
    applies: isPreOrBackorder,
    ...byFaults(
      {
        grade: FAULT,
        found: ({ availability, availabilityDate }) =>
          availability === "preorder" && availabilityDate === undefined,
        say: () => "The item can be preordered, but has no availability date.",
      },
      {
        grade: 6,
        found: ({ availabilityDate }) => availabilityDate === undefined,
        say: () => "The item is on backorder, but has no availability date.",
      },
      {
        grade: 6,
        found: isDateOff,
        say: ({ availabilityDate = "" }, { shop }) =>
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
    ...byFaults({
      grade: FAULT,
      found: ({ saleTo }) => saleTo === undefined,
      say: () => "The sale has no end.",
    }),
  }),
];
