/**
 * Shipping rates as `OfferShippingDetails`. A rate whose times are unknown is stated without them: the price is true all
 * the same. One for an area that cannot be named is left out: it would claim the whole country.
 */
import type { Item, ShippingRate } from "../../catalog/item.ts";
import { POSTAL_CODE_COUNTRIES, REGION_COUNTRIES } from "./fields.ts";
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

/** An unknown shortest time is zero: "within so many days" says no more. An unknown longest time says nothing. */
function days(name: string, least: number | undefined, most: number | undefined): Json {
  if (most === undefined) return "";
  const from = least !== undefined && least <= most ? least : 0;
  return `,"${name}":{"@type":"QuantitativeValue","minValue":${from},"maxValue":${most},"unitCode":"DAY"}`;
}

function deliveryTime({ minHandling, maxHandling, minTransit, maxTransit }: ShippingRate): Json {
  const times = days("handlingTime", minHandling, maxHandling) + days("transitTime", minTransit, maxTransit);
  return times === "" ? "" : `,"deliveryTime":{"@type":"ShippingDeliveryTime"${times}}`;
}

function details(rate: ShippingRate, country: string): Json | undefined {
  const { price } = rate;
  const place = area(rate, country);
  if (place === undefined) return undefined;
  const destination = `{"@type":"DefinedRegion","addressCountry":${str(country)}${place}}`;
  const charge = `{"@type":"MonetaryAmount","value":"${price.amount}","currency":"${price.currency}"}`;
  return `{"@type":"OfferShippingDetails","shippingDestination":${destination},"shippingRate":${charge}${deliveryTime(rate)}}`;
}

export function shippingDetails(item: Item, storeCountry: string | undefined): Json | undefined {
  if (item.shipping === undefined) return undefined;
  const found: Json[] = [];
  for (const rate of item.shipping) {
    const country = rate.country ?? item.country ?? storeCountry;
    if (country === undefined || rate.price.currency !== item.price.currency) continue;
    const stated = details(rate, country);
    if (stated !== undefined) found.push(stated);
  }
  return array(found);
}
