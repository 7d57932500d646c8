/**
 * The offer of an item. `price` is what is to be paid now; during a sale, the regular price is added as a strikethrough
 * price. Google ignores a unit price next to a plain `price`, so with a unit price both are in `priceSpecification`.
 *
 * A shipping rate is stated if it is complete: with a country, a price, and the longest handling and transit times,
 * without which Google does not show it. A rate for an area that markup cannot name is left out: it would apply to the
 * whole country.
 */
import type { Item, Measure, ShippingRate } from "../../catalog/item.ts";
import { areComparable } from "../../catalog/measure.ts";
import type { Variant } from "../kit/variants.ts";
import {
  AVAILABILITY_TERMS,
  CONDITION_TERMS,
  type OfferProperty,
  POSTAL_CODE_COUNTRIES,
  REGION_COUNTRIES,
  SCHEMA_ORG_FIELD_TABLE,
  UNITS_NOT_IN_MARKUP,
} from "./fields.ts";
import { array, type JsonText, maybeStr, node, nodeWriter, str, term } from "./json-text.ts";
import type { SchemaOrgStore } from "./store.ts";

/** The area as further properties of the region; undefined when markup cannot name it in this country. */
function area({ region, postalCode }: ShippingRate, country: string): JsonText | undefined {
  if (postalCode !== undefined) {
    // Google's feeds also take prefixes (`94*`) and ranges (`94002-95460`); markup takes single codes only.
    const isSingle = !/[*-]/.test(postalCode);
    return isSingle && POSTAL_CODE_COUNTRIES.has(country) ? `,"postalCode":${str(postalCode)}` : undefined;
  }
  if (region !== undefined)
    return REGION_COUNTRIES.has(country) ? `,"addressRegion":${str(region)}` : undefined;
  return "";
}

/** An unknown shortest time is zero: "within so many days" means no more. */
function days(name: string, least: number | undefined, most: number): JsonText {
  const from = least !== undefined && least <= most ? least : 0;
  return `,"${name}":{"@type":"QuantitativeValue","minValue":${from},"maxValue":${most},"unitCode":"DAY"}`;
}

/** Undefined unless both longest times are known. */
function deliveryTime({
  minHandling,
  maxHandling,
  minTransit,
  maxTransit,
}: ShippingRate): JsonText | undefined {
  if (maxHandling === undefined || maxTransit === undefined) return undefined;
  const times = days("handlingTime", minHandling, maxHandling) + days("transitTime", minTransit, maxTransit);
  return `,"deliveryTime":{"@type":"ShippingDeliveryTime"${times}}`;
}

function details(rate: ShippingRate, country: string): JsonText | undefined {
  const { price } = rate;
  const place = area(rate, country);
  const time = deliveryTime(rate);
  if (place === undefined || time === undefined) return undefined;
  const destination = `{"@type":"DefinedRegion","addressCountry":${str(country)}${place}}`;
  const charge = `{"@type":"MonetaryAmount","value":"${price.amount}","currency":"${price.currency}"}`;
  return `{"@type":"OfferShippingDetails","shippingDestination":${destination},"shippingRate":${charge}${time}}`;
}

function shippingDetails(item: Item, storeCountry: string | undefined): JsonText | undefined {
  if (item.shipping === undefined) return undefined;
  const found: JsonText[] = [];
  for (const rate of item.shipping) {
    const country = rate.country ?? item.country ?? storeCountry;
    if (country === undefined || rate.price.currency !== item.price.currency) continue;
    const stated = details(rate, country);
    if (stated !== undefined) found.push(stated);
  }
  return found.length === 0 ? undefined : array(found);
}

export type Offered = {
  readonly variant: Variant;
  readonly link: JsonText | undefined;
  readonly store: SchemaOrgStore;
};
type OfferValueReader = (offered: Offered) => JsonText | undefined;

/** The amount of "19.90 USD" as a JSON string: same digits as in the other files. */
function amount(price: string): JsonText {
  return `"${price.slice(0, -4)}"`;
}

function currency({ item }: Variant): JsonText {
  return `"${item.price.currency}"`;
}

function paidNow({ price, salePrice }: Variant): string {
  return salePrice ?? price;
}

type UnitPricing = { readonly measure: Measure; readonly base: Measure };

function unitPricing({ unitPricing: stated }: Item): UnitPricing | undefined {
  if (stated?.base === undefined) return undefined;
  const { measure, base } = stated;
  const isUnread = UNITS_NOT_IN_MARKUP.has(measure.unit) || UNITS_NOT_IN_MARKUP.has(base.unit);
  return isUnread || !areComparable(measure, base) ? undefined : { measure, base };
}

function quantity({ value, unit }: Measure, of?: Measure): JsonText {
  return node("QuantitativeValue", {
    value: str(value),
    unitCode: str(unit),
    valueReference: of && quantity(of),
  });
}

const STRUCK = `{"@type":"UnitPriceSpecification","priceType":${term("StrikethroughPrice")}`;

function specification(variant: Variant): JsonText | undefined {
  const struck =
    variant.salePrice === undefined
      ? undefined
      : `${STRUCK},"price":${amount(variant.price)},"priceCurrency":${currency(variant)}}`;
  const unit = unitPricing(variant.item);
  if (unit === undefined) return struck;
  const active = node("UnitPriceSpecification", {
    price: amount(paidNow(variant)),
    priceCurrency: currency(variant),
    referenceQuantity: quantity(unit.measure, unit.base),
  });
  return struck === undefined ? active : `[${active},${struck}]`;
}

function availability({ availability: known }: Item): JsonText | undefined {
  const name = AVAILABILITY_TERMS[known];
  return name && term(name);
}

function condition({ condition: known }: Item): JsonText | undefined {
  return known && term(CONDITION_TERMS[known]);
}

function availabilityStarts({ availability: known, availabilityDate }: Item): JsonText | undefined {
  return known === "preorder" || known === "backorder" ? maybeStr(availabilityDate) : undefined;
}

const OFFER_VALUES: { readonly [P in OfferProperty]: OfferValueReader } = {
  url: ({ link }) => link,
  price: ({ variant }) => (unitPricing(variant.item) === undefined ? amount(paidNow(variant)) : undefined),
  priceCurrency: ({ variant }) => (unitPricing(variant.item) === undefined ? currency(variant) : undefined),
  priceSpecification: ({ variant }) => specification(variant),
  validFrom: ({ variant }) => (variant.salePrice === undefined ? undefined : maybeStr(variant.item.saleFrom)),
  priceValidUntil: ({ variant }) =>
    variant.salePrice === undefined ? undefined : maybeStr(variant.item.saleTo),
  availability: ({ variant }) => availability(variant.item),
  availabilityStarts: ({ variant }) => availabilityStarts(variant.item),
  itemCondition: ({ variant }) => condition(variant.item),
  shippingDetails: ({ variant, store }) => shippingDetails(variant.item, store.country),
  hasMerchantReturnPolicy: ({ variant, store }) => store.returnPolicy(variant.item.returns),
  seller: ({ store }) => store.seller,
};

const writeOffer = nodeWriter(SCHEMA_ORG_FIELD_TABLE.types.Offer, OFFER_VALUES);

export const offer = (offered: Offered): JsonText => writeOffer('{"@type":"Offer"', offered);
