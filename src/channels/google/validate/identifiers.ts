/**
 * Checks of what identifies and classifies a product: GTIN, brand, part number, category, and attributes of apparel.
 */
import { isBrandFiller, isColorFiller, isPlaceholder } from "../../../catalog/filler-words.ts";
import { nearestHint } from "../../../catalog/category-search.ts";
import {
  apparelKind,
  type CategoryKind,
  categoryKind,
  isMedia as isMediaCategory,
} from "../../../catalog/google-category.ts";
import { checkGtin, GTIN_PROBLEMS, type GtinProblem } from "../../../catalog/gtin.ts";
import { isLonger } from "../../../lib/text-length.ts";
import { checkText, type CheckedRow } from "../../kit/validate/row.ts";
import { COLOR_LIMITS } from "../fields.ts";
import type { GoogleCheck, GoogleFindings, GoogleRule } from "./rules.ts";

const GTIN_RULES: Readonly<Record<GtinProblem, GoogleRule>> = {
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

function checkOneGtin(value: string, findings: GoogleFindings): void {
  const add = (rule: GoogleRule, detail?: string, isMild = false) =>
    findings.add(rule, { field: "gtin", value, detail, isMild });
  const checked = checkGtin(value);
  if (checked.kind === "valid" && /^[\d -]+$/.test(value) && /[ -]/.test(value))
    add("gmc.gtin.chars", "Google ignores spaces and dashes.", true);
  else if (checked.kind === "invalid")
    add(GTIN_RULES[checked.reason], `The GTIN ${GTIN_PROBLEMS[checked.reason]}.`);
  else if (!/^\d+$/.test(value)) add("gmc.gtin.chars");
  else if (value.length === 10)
    add("gmc.gtin.length", "An ISBN of ten digits is deprecated; the one of 13 digits replaces it.", true);
  else if (checked.note !== undefined) add(NOTE_RULES[checked.note]);
}

const checkGtins: GoogleCheck = (row, findings) => {
  for (const value of row.list("gtin")) checkOneGtin(value.trim(), findings);
};

const categoryOf = (row: CheckedRow): string => row.text("google_product_category")?.trim() ?? "";

const checkBrand: GoogleCheck = (row, findings) => {
  const value = row.text("brand");
  const word = value?.trim() ?? "";
  if (value === undefined) {
    if (!hasNoIdentifiers(row) && !isMedia(row)) findings.add("gmc.brand.missing", { field: "brand" });
  } else if (isBrandFiller(word) || isPlaceholder(word))
    findings.add("gmc.brand.invalid", { field: "brand", value });
};

/** Books by their ISBN, and the categories of books, films and recordings: Google requires no brand there. */
function isMedia(row: CheckedRow): boolean {
  return row.list("gtin").some((gtin) => /^97[89]/.test(gtin)) || isMediaCategory(categoryOf(row));
}

/** Whether the item declares that the manufacturer assigned no identifiers. */
function hasNoIdentifiers(row: CheckedRow): boolean {
  const value = row.text("identifier_exists")?.trim().toLowerCase();
  return value === "no" || value === "false";
}

const checkIdentifiers: GoogleCheck = (row, findings) => {
  const hasGtin = row.has("gtin");
  const hasMpn = row.has("mpn");
  if (hasNoIdentifiers(row)) {
    if (hasGtin || (hasMpn && row.has("brand")))
      findings.add("gmc.idexists.contradiction", { field: "identifier_exists", value: "no" });
    return;
  }
  if (!hasGtin) findings.add("gmc.gtin.missing", { field: "gtin" });
  if (!hasGtin && !hasMpn) findings.add("gmc.mpn.missing", { field: "mpn" });
};

const CATEGORY_RULES: Readonly<Record<CategoryKind, GoogleRule | null>> = {
  specific: null,
  root: "gmc.category.shallow",
  unrecognized: "gmc.category.unknown",
  unchecked: "gmc.category.unchecked",
};

/** The example of Google's specification, which its own taxonomy does not have; Google may know what is meant. */
const EXAMPLE_NUMBER = "371";

const EXAMPLE_DETAIL =
  "The number is the example of Google's specification, and is not in Google's taxonomy.";

function nearestDetail(rule: GoogleRule, value: string): string | undefined {
  const hint = rule === "gmc.category.unknown" ? nearestHint(value).trim() : "";
  return hint === "" ? undefined : hint;
}

const checkCategory: GoogleCheck = (row, findings) => {
  const field = "google_product_category";
  if (!row.has(field)) {
    findings.add("gmc.category.missing", { field });
    return;
  }
  const value = categoryOf(row);
  const isExample = value === EXAMPLE_NUMBER;
  const rule = isExample ? "gmc.category.unchecked" : CATEGORY_RULES[categoryKind(value)];
  if (rule !== null)
    findings.add(rule, { field, value, detail: isExample ? EXAMPLE_DETAIL : nearestDetail(rule, value) });
};

/** Google's example of accessories for which a gender is only recommended. */
const SHOELACES = /^1856$|> *shoelaces$/i;

const checkApparel: GoogleCheck = (row, findings) => {
  const category = categoryOf(row);
  const kind = apparelKind(category);
  if (kind === "none") return;
  for (const field of ["color", "gender", "age_group"] as const)
    if (!row.has(field) && !(field === "gender" && SHOELACES.test(category)))
      findings.add(`gmc.apparel.${field}`, { field });
  if (kind === "sized" && !row.has("size")) findings.add("gmc.apparel.size", { field: "size" });
};

/** In XML a comma separates nothing. */
const checkSingle: GoogleCheck = (row, findings) => {
  for (const field of row.isXml ? [] : ["color", "size"]) {
    const value = row.text(field);
    if (value?.includes(",") === true) findings.add("gmc.value.many", { field, value });
  }
};

export const IDENTIFIER_CHECKS: readonly GoogleCheck[] = [
  checkGtins,
  checkBrand,
  checkIdentifiers,
  checkText("mpn", (mpn, add, row) => {
    if (mpn === row.text("id")) add("gmc.mpn.issku");
  }),
  checkCategory,
  checkApparel,
  checkText("color", (color, add) => {
    if (isColorFiller(color.trim())) add("gmc.color.value");
    const colors = color.split("/");
    if (colors.length > COLOR_LIMITS.colors || colors.some((one) => isLonger(one, COLOR_LIMITS.codePoints)))
      add("gmc.color.toomany");
  }),
  checkSingle,
];
