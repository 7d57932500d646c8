/**
 * What Google takes beyond the fields that items have for an attribute: further values, and shipping rates that are not
 * for everyone. It goes into the columns of those fields.
 */
import {
  clock,
  code,
  country,
  type GoogleAttribute,
  groups,
  gtin,
  list,
  may,
  money,
  must,
  number,
  words,
} from "./google-form.ts";

export const GOOGLE_SURPLUS = {
  /** Those after the first. */
  gtin: list(gtin, "gtins", 9),
  size_type: list(words("regular petite maternity big tall plus"), "size_types", 1),
  /** Rates without a price, for members of a program, or for places that only Google knows: no rates for everyone. */
  shipping: groups(
    {
      country: must(country),
      region: may(code(100)),
      postal_code: may(code(100)),
      service: may(code(100)),
      price: may(money),
      min_handling_time: may(number(0)),
      max_handling_time: may(number(0)),
      min_transit_time: may(number(0)),
      max_transit_time: may(number(0)),
      location_id: may(code(100)),
      location_group_name: may(code(100)),
      loyalty_program_label: may(code(100)),
      loyalty_tier_label: may(code(100)),
      handling_cutoff_time: may(clock),
      handling_cutoff_timezone: may(code(100)),
    },
    {
      oneOf: "price max_handling_time max_transit_time",
      rivals: "region postal_code location_id location_group_name",
    },
  ),
} as const satisfies Readonly<Record<string, GoogleAttribute>>;
