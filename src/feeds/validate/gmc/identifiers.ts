/** What tells Google which product an item is: GTIN, brand, part number, category. */
import { checkGtin, GTIN_PROBLEMS, type GtinProblem } from "../../../catalog/gtin.ts";
import { GMC_BRAND_FILLERS } from "../../profiles/gmc-2026.ts";
import { isPlaceholder } from "../../../catalog/placeholder.ts";
import type { GmcFindings, RowCheck } from "./row.ts";
import type { GmcRule } from "./rules.ts";

const GTIN_RULES: Readonly<Record<GtinProblem, GmcRule>> = {
  not_digits: "gmc.gtin.chars",
  spreadsheet_damage: "gmc.gtin.chars",
  lost_zero: "gmc.gtin.length",
  wrong_length: "gmc.gtin.length",
  wrong_check_digit: "gmc.gtin.checksum",
  placeholder: "gmc.gtin.checksum",
};

const NOTE_RULES = {
  restricted: "gmc.gtin.restricted",
  variable_measure: "gmc.gtin.restricted",
  coupon: "gmc.gtin.coupon",
} as const;

function sayGtin(value: string, findings: GmcFindings): void {
  const field = "gtin";
  const checked = checkGtin(value);
  if (checked.kind === "invalid") {
    const detail = `The GTIN ${GTIN_PROBLEMS[checked.reason]}.`;
    findings.say(GTIN_RULES[checked.reason], { field, value, detail });
  } else if (!/^\d+$/.test(value)) findings.say("gmc.gtin.chars", { field, value });
  else if (value.length === 10) findings.say("gmc.gtin.length", { field, value });
  else if (checked.note !== undefined) findings.say(NOTE_RULES[checked.note], { field, value });
}

const checkGtins: RowCheck = (row, findings) => {
  for (const value of row.list("gtin")) sayGtin(value.trim(), findings);
};

const checkBrand: RowCheck = (row, findings) => {
  const value = row.text("brand");
  if (value === undefined) {
    if (!hasNoIdentifiers(row)) findings.say("gmc.brand.missing", { field: "brand" });
    return;
  }
  const word = value.trim();
  if (GMC_BRAND_FILLERS.test(word) || isPlaceholder(word))
    findings.say("gmc.brand.invalid", { field: "brand", value });
};

/** Whether the item says that no manufacturer gave it identifiers. */
function hasNoIdentifiers(row: Parameters<RowCheck>[0]): boolean {
  const said = row.text("identifier_exists");
  return said === "no" || said === "false";
}

const checkIdentifiers: RowCheck = (row, findings) => {
  const hasGtin = row.has("gtin");
  const hasMpn = row.has("mpn");
  if (hasNoIdentifiers(row)) {
    if (hasGtin || (hasMpn && row.has("brand")))
      findings.say("gmc.idexists.contradiction", { field: "identifier_exists", value: "no" });
    return;
  }
  if (!hasGtin) findings.say("gmc.gtin.missing", { field: "gtin" });
  if (!hasGtin && !hasMpn) findings.say("gmc.mpn.missing", { field: "mpn" });
};

const checkPartNumber: RowCheck = (row, findings) => {
  const value = row.text("mpn");
  if (value !== undefined && value === row.text("id")) findings.say("gmc.mpn.issku", { field: "mpn", value });
};

/** The 21 roots of Google's taxonomy of 2021-09-21, by number and by name. */
const ROOTS: ReadonlyMap<string, string> = new Map(
  `1 Animals & Pet Supplies; 166 Apparel & Accessories; 8 Arts & Entertainment; 537 Baby & Toddler;
   111 Business & Industrial; 141 Cameras & Optics; 222 Electronics; 412 Food, Beverages & Tobacco; 436 Furniture;
   632 Hardware; 469 Health & Beauty; 536 Home & Garden; 5181 Luggage & Bags; 772 Mature; 783 Media;
   922 Office Supplies; 5605 Religious & Ceremonial; 2092 Software; 988 Sporting Goods; 1239 Toys & Games;
   888 Vehicles & Parts`
    .split(/;\s+/)
    .map((root) => {
      const space = root.indexOf(" ");
      return [root.slice(0, space), root.slice(space + 1).toLowerCase()];
    }),
);
const ROOT_NAMES = new Set(ROOTS.values());

/** The steps of a path in lower case. */
export function pathOf(category: string): readonly string[] {
  return category.split(">").map((step) => step.trim().replace("&amp;", "&").toLowerCase());
}

const checkCategory: RowCheck = (row, findings) => {
  const field = "google_product_category";
  const value = row.text(field);
  if (value === undefined) {
    findings.say("gmc.category.missing", { field });
    return;
  }
  const isNumber = /^\d+$/.test(value);
  const path = pathOf(value);
  if (!isNumber && !ROOT_NAMES.has(path[0] ?? "")) findings.say("gmc.category.unknown", { field, value });
  else if (isNumber ? ROOTS.has(value) : path.length === 1)
    findings.say("gmc.category.shallow", { field, value });
};

export const IDENTIFIER_CHECKS: readonly RowCheck[] = [
  checkGtins,
  checkBrand,
  checkIdentifiers,
  checkPartNumber,
  checkCategory,
];
