/**
 * Values of Google's attributes that the items' own fields cannot hold: further values of a field that holds one, and
 * shipping rates that are not for every buyer. They are written into the columns of those fields.
 */
import {
  clock,
  code,
  country,
  type GoogleAttribute,
  groups,
  gtin,
  list,
  optional,
  money,
  required,
  number,
  words,
} from "./google-form.ts";

export const GOOGLE_SURPLUS = {
  /** The GTINs after the first. */
  gtin: list(gtin, "gtins", 9),
  size_type: list(words("regular petite maternity big tall plus"), "size_types", 1),
  /**
   * Rates without a price, for members of a program, or for places that only Google knows: not rates for all buyers.
   */
  shipping: groups(
    {
      country: required(country),
      region: optional(code(100)),
      postal_code: optional(code(100)),
      service: optional(code(100)),
      price: optional(money),
      min_handling_time: optional(number(0)),
      max_handling_time: optional(number(0)),
      min_transit_time: optional(number(0)),
      max_transit_time: optional(number(0)),
      location_id: optional(code(100)),
      location_group_name: optional(code(100)),
      loyalty_program_label: optional(code(100)),
      loyalty_tier_label: optional(code(100)),
      handling_cutoff_time: optional(clock),
      handling_cutoff_timezone: optional(code(100)),
    },
    {
      anyOf: "price max_handling_time max_transit_time",
      exclusive: "region postal_code location_id location_group_name",
    },
  ),
} as const satisfies Readonly<Record<string, GoogleAttribute>>;

/** The parts of a shipping rate, in the order in which `gmc.tsv` has them. */
export const SHIPPING_PARTS = Object.keys(GOOGLE_SURPLUS.shipping.parts);

/** The order of the parts in a cell whose header names none, as Google documents it: without the postal code. */
export const DEFAULT_SHIPPING_PARTS = [
  "country",
  "region",
  "service",
  "price",
  "min_handling_time",
  "max_handling_time",
  "min_transit_time",
  "max_transit_time",
] as const;

/** Parts that limit a rate to some buyers, in terms that only Google understands. */
export const GOOGLE_ONLY_SHIPPING_PARTS = SHIPPING_PARTS.slice(
  SHIPPING_PARTS.indexOf("max_transit_time") + 1,
);
