/** Patterns whose time is not linear, or cannot be shown to be, with the reason why they may be used. */
import { SYSTEMS } from "../../src/sources/feed-url/dialects/system-table.ts";

/** These only run on texts that are short whatever the input is. */
export const BOUNDED: Readonly<Record<string, string>> = {
  [String.raw`&[^;&<\s]*$|<[^>&\s]*$`]:
    "src/lib/formats/xml-repair.ts: the last REFERENCE_CHARS characters of a text.",
  [String.raw`[\s:()]+$`]:
    "src/catalog/vocabulary/availability.ts: texts of at most LONGEST_COUNT (40) characters.",
  [String.raw`(?:stock|inventory).*_id$`]:
    "src/sources/feed-url/suggestion.ts: names of columns of at most MAX_NAME_CHARS (200) characters.",
  "(?:brand|marke|maker|manufacturer|hersteller|vendor).*(?:code|number|nummer|nr|no|id|url|link)(?:_|$)":
    "src/sources/feed-url/suggestion.ts: names of columns of at most MAX_NAME_CHARS (200) characters.",
};

/**
 * `.` matches every character with the flag `s`, so the first place where such a pattern begins to match ends the
 * search.
 */
export const ALWAYS_MATCHES: ReadonlySet<string> = new Set([
  String.raw`\?.*$`,
  String.raw`\(.*$`,
  "%.*$",
  "#.*$",
  String.raw`^"|"$|\(.*$`,
  "[?#].*$",
  String.raw`^([\d.,]+)\s*(\D.*)?$`,
]);

/** What functions build at run time, by their file; constants are found when the file is imported. */
export const BUILT_IN_FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  "src/http/auth.ts": [String.raw`(?:^|;\s*)shelfwire_session=([0-9A-Za-z]{43})(?:;|$)`],
  "src/sources/feed-url/dialects/woocommerce-headers.ts": [String.raw`(?:^|\D)12(?:\D|$)`],
  // With patterns of schemas, which have a test of their own.
  "src/destinations/options.ts": [],
  // Of our own table; the cells have one product each.
  "src/sources/feed-url/dialects/system-rows.ts": SYSTEMS.flatMap(({ hidden = {} }) => Object.values(hidden)),
  // A copy of a literal.
  "src/enrich/rules/formula.ts": [],
  "src/sources/product-record/link-template.ts": [],
};
