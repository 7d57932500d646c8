/** Finds the items that Google will refuse. */
import { meaningful } from "../../catalog/filler-words.ts";
import { isLonger } from "../../lib/text-length.ts";
import { limitOf } from "../kit/field-table.ts";
import { isPlaceholderImage } from "../kit/validate/checks/url.ts";
import { ADDRESS_CHECKS, commaSafe, refusalChecks } from "../kit/variants.ts";
import { availabilityDate, expiryInFile } from "./composite-values.ts";
import { GOOGLE_FIELD_TABLE } from "./fields.ts";

const { fields, refusals } = GOOGLE_FIELD_TABLE;

export const REFUSALS = refusalChecks(refusals, {
  id_too_long: ({ item }) => isLonger(item.id, limitOf(fields.id)),
  missing_description: ({ item }) => meaningful(item.description) === undefined,
  missing_link: ({ item }) => item.link === undefined || isLonger(item.link, limitOf(fields.link)),
  missing_image: ({ item: { images: [image] = [] } }) =>
    image === undefined || isLonger(commaSafe(image), limitOf(fields.image_link)),
  ...ADDRESS_CHECKS,
  placeholder_image: ({ item: { images: [image] = [] } }) => image !== undefined && isPlaceholderImage(image),
  unknown_availability: ({ item }) => item.availability === "unknown",
  missing_availability_date: ({ item }, { asOf }) =>
    item.availability === "preorder" && availabilityDate(item, asOf.toISOString()) === undefined,
  offer_expired: ({ item: { expiresAt } }, { asOf }) =>
    expiresAt !== undefined && expiryInFile(expiresAt) <= asOf.toISOString(),
  // A subscription has its price in `subscription_cost`; Google then asks for a price of zero.
  price_not_positive: ({ isFree, item }) => isFree && item.google?.subscription_cost === undefined,
});
