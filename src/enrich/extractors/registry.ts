/** All extractors, in the order in which proposals are shown. */
import { AGE_GROUP_EXTRACTOR, GENDER_EXTRACTOR } from "./audience.ts";
import { BRAND } from "./brand.ts";
import { CATEGORY } from "./category.ts";
import { COLOR } from "./color.ts";
import { CONDITION } from "./condition.ts";
import { DESCRIPTION } from "./description.ts";
import type { Extractor } from "./extractor.ts";
import { GTIN, MPN } from "./identifiers.ts";
import { MATERIAL } from "./material.ts";
import { PATTERN } from "./pattern.ts";
import { SIZE } from "./size.ts";
import { UNIT_PRICING_BASE } from "./unit-pricing.ts";
import { VARIANT_TITLE } from "./variant-title.ts";

export const EXTRACTORS: readonly Extractor[] = [
  GTIN,
  MPN,
  BRAND,
  CATEGORY,
  COLOR,
  SIZE,
  MATERIAL,
  PATTERN,
  GENDER_EXTRACTOR,
  AGE_GROUP_EXTRACTOR,
  CONDITION,
  VARIANT_TITLE,
  DESCRIPTION,
  UNIT_PRICING_BASE,
];

/** Ids of extractors that were removed. What they proposed is withdrawn, unless it was approved. */
export const REMOVED_EXTRACTORS: readonly string[] = ["unit_pricing"];
