/**
 * Shipping rates as `OfferShippingDetails`. Readers take one only when it is complete, so a rate whose times are
 * unknown is left out, and so is one for an area that cannot be named: it would claim the whole country.
 */
import type { Item, ShippingRate } from "../../catalog/item.ts";
import { POSTAL_CODE_COUNTRIES, REGION_COUNTRIES } from "../profiles/schema-org-30.ts";
import { array, type Json, str } from "./json-text.ts";

/** The area as further properties of the region; undefined when markup cannot name it in this country. */
function area({ region, postalCode }: ShippingRate, country: string): Json | undefined {
  if (postalCode !== undefined) {
    // Google's feeds also take prefixes (`94*`) and ranges (`94002-95460`); markup takes single codes only.
    const isSingle = !/[*-]/.test(postalCode);
    return isSingle && POSTAL_CODE_COUNTRIES.has(country) ? `,"postalCode":${str(postalCode)}` : undefined;
  }
  if (region !== undefined)
    return REGION_COUNTRIES.has(country) ? `,"addressRegion":${str(region)}` : undefined;
  return "";
}

/** An unknown shortest time is zero: "within so many days" says no more. */
function days(least: number | undefined, most: number): Json {
  const from = least !== undefined && least <= most ? least : 0;
  return `{"@type":"QuantitativeValue","minValue":${from},"maxValue":${most},"unitCode":"DAY"}`;
}

function details(rate: ShippingRate, country: string): Json | undefined {
  const { maxHandling, maxTransit, price } = rate;
  const place = area(rate, country);
  if (place === undefined || maxHandling === undefined || maxTransit === undefined) return undefined;
  const destination = `{"@type":"DefinedRegion","addressCountry":${str(country)}${place}}`;
  const charge = `{"@type":"MonetaryAmount","value":"${price.amount}","currency":"${price.currency}"}`;
  const handling = days(rate.minHandling, maxHandling);
  const transit = days(rate.minTransit, maxTransit);
  const time = `{"@type":"ShippingDeliveryTime","handlingTime":${handling},"transitTime":${transit}}`;
  return `{"@type":"OfferShippingDetails","shippingDestination":${destination},"shippingRate":${charge},"deliveryTime":${time}}`;
}

export function shippingDetails(item: Item, storeCountry: string | undefined): Json | undefined {
  if (item.shipping === undefined) return undefined;
  const found: Json[] = [];
  for (const rate of item.shipping) {
    const country = rate.country ?? item.country ?? storeCountry;
    if (country === undefined || rate.price.currency !== item.price.currency) continue;
    const complete = details(rate, country);
    if (complete !== undefined) found.push(complete);
  }
  return array(found);
}
