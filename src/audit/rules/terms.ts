/** Rules about shipping, returns and unit prices. */
import type { Item, ShippingRate } from "../../catalog/item.ts";
import type { AuditedShop } from "../audit-context.ts";
import { FAIL } from "../outcome.ts";
import { firstProblem, itemRule, type ItemRule, quoted, REFERENCES } from "../rule.ts";

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

/** Finds two prices for the same service and destination. */
function isAmbiguous({ shipping }: Item): boolean {
  if (shipping === undefined || shipping.length < 2) return false;
  return shipping.some((rate, at) => shipping.findIndex((other) => haveSameService(rate, other)) < at);
}

/** A policy URL is not enough: programs cannot read the terms from it. */
function hasNoReturns({ returns }: Item, { settings }: AuditedShop): boolean {
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
