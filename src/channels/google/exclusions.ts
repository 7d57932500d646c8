/** When an item is left out of Google's files; the field table has the sentences. */
import { meaningful } from "../../catalog/filler-words.ts";
import { exclusionRules } from "../kit/exclusions.ts";
import { isLonger } from "../../lib/text-length.ts";
import { limitOf } from "../kit/limits.ts";
import { GOOGLE_FIELD_TABLE } from "./fields.ts";

const ID_LIMIT = limitOf(GOOGLE_FIELD_TABLE.fields.id);

export const GOOGLE_EXCLUSIONS = exclusionRules<keyof typeof GOOGLE_FIELD_TABLE.exclusions, undefined>(
  GOOGLE_FIELD_TABLE.exclusions,
  {
    id_too_long: ({ item }) => isLonger(item.id, ID_LIMIT),
    missing_description: ({ item }) => meaningful(item.description) === undefined,
    missing_image: ({ item }) => item.images === undefined,
    unknown_availability: ({ item }) => item.availability === "unknown",
    // A subscription has its price in `subscription_cost`; Google then asks for a price of zero.
    price_not_positive: ({ isFree, item }) => isFree && item.google?.subscription_cost === undefined,
  },
);
