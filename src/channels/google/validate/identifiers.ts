/** What tells Google which product an item is: GTIN, brand, part number, category. */
import { isBrandFiller, isColorFiller, isPlaceholder } from "../../../catalog/filler-words.ts";
import {
  apparelKind,
  type CategoryKind,
  categoryKind,
  isMedia as isMediaCategory,
} from "../../../catalog/google-category.ts";
import { checkGtin, GTIN_PROBLEMS, type GtinProblem } from "../../../catalog/gtin.ts";
import { isLonger } from "../../../lib/text-length.ts";
import { COLOR_LIMITS } from "../fields.ts";
import type { GoogleFindings, RowCheck } from "./row.ts";
import type { GoogleRule } from "./rules.ts";

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

function sayGtin(value: string, findings: GoogleFindings): void {
  const field = "gtin";
  const checked = checkGtin(value);
  if (checked.kind === "valid" && /^[\d -]+$/.test(value) && /[ -]/.test(value))
    findings.say("gmc.gtin.chars", {
      field,
      value,
      detail: "Google ignores spaces and dashes.",
      isMild: true,
    });
  else if (checked.kind === "invalid") {
    const detail = `The GTIN ${GTIN_PROBLEMS[checked.reason]}.`;
    findings.say(GTIN_RULES[checked.reason], { field, value, detail });
  } else if (!/^\d+$/.test(value)) findings.say("gmc.gtin.chars", { field, value });
  else if (value.length === 10)
    findings.say("gmc.gtin.length", {
      field,
      value,
      detail: "An ISBN of ten digits is deprecated; the one of 13 digits replaces it.",
      isMild: true,
    });
  else if (checked.note !== undefined) findings.say(NOTE_RULES[checked.note], { field, value });
}

const checkGtins: RowCheck = (row, findings) => {
  for (const value of row.list("gtin")) sayGtin(value.trim(), findings);
};

const checkBrand: RowCheck = (row, findings) => {
  const value = row.text("brand");
  if (value === undefined) {
    if (!hasNoIdentifiers(row) && !isMedia(row)) findings.say("gmc.brand.missing", { field: "brand" });
    return;
  }
  const word = value.trim();
  if (isBrandFiller(word) || isPlaceholder(word))
    findings.say("gmc.brand.invalid", { field: "brand", value });
};

/** Books by their ISBN, and the categories of books, films and recordings: Google asks for no brand there. */
function isMedia(row: Parameters<RowCheck>[0]): boolean {
  const category = row.text("google_product_category")?.trim() ?? "";
  return row.list("gtin").some((gtin) => /^97[89]/.test(gtin)) || isMediaCategory(category);
}

/** Whether the item says that no manufacturer gave it identifiers. */
function hasNoIdentifiers(row: Parameters<RowCheck>[0]): boolean {
  const said = row.text("identifier_exists")?.trim().toLowerCase();
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

const CATEGORY_RULES: Readonly<Record<CategoryKind, GoogleRule | null>> = {
  specific: null,
  root: "gmc.category.shallow",
  unrecognized: "gmc.category.unknown",
  foreign: "gmc.category.unchecked",
};

/** The example of Google's specification, which its own taxonomy does not have; it may know what is meant. */
const EXAMPLE_NUMBER = "371";

const checkCategory: RowCheck = (row, findings) => {
  const field = "google_product_category";
  const value = row.text(field)?.trim();
  if (value === undefined) {
    findings.say("gmc.category.missing", { field });
    return;
  }
  const rule = value === EXAMPLE_NUMBER ? "gmc.category.unchecked" : CATEGORY_RULES[categoryKind(value)];
  const detail =
    value === EXAMPLE_NUMBER
      ? "The number is the example of Google's specification, and is not in Google's taxonomy."
      : undefined;
  if (rule !== null) findings.say(rule, { field, value, detail });
};

export const IDENTIFIER_CHECKS: readonly RowCheck[] = [
  checkGtins,
  checkBrand,
  checkIdentifiers,
  checkPartNumber,
  checkCategory,
];

/** Google's example of accessories for which a gender is only recommended. */
const SHOELACES = /^1856$|> *shoelaces$/i;
const NEEDED = ["color", "gender", "age_group"] as const;
const UNGENDERED = ["color", "age_group"] as const;

const checkApparel: RowCheck = (row, findings) => {
  const category = row.text("google_product_category")?.trim() ?? "";
  const kind = apparelKind(category);
  if (kind === "none") return;
  const needed = SHOELACES.test(category) ? UNGENDERED : NEEDED;
  for (const field of needed) if (!row.has(field)) findings.say(`gmc.apparel.${field}`, { field });
  if (kind === "sized" && !row.has("size")) findings.say("gmc.apparel.size", { field: "size" });
};

const checkColor: RowCheck = (row, findings) => {
  const field = "color";
  const value = row.text(field);
  if (value === undefined) return;
  const word = value.trim();
  if (isColorFiller(word)) findings.say("gmc.color.value", { field, value });
  const colors = value.split("/");
  if (colors.length > COLOR_LIMITS.colors || colors.some((color) => isLonger(color, COLOR_LIMITS.codePoints)))
    findings.say("gmc.color.toomany", { field, value });
};

/** In XML a comma separates nothing. */
const checkSingle: RowCheck = (row, findings) => {
  if (row.isXml) return;
  for (const field of ["color", "size"]) {
    const value = row.text(field);
    if (value?.includes(",") === true) findings.say("gmc.value.many", { field, value });
  }
};

export const APPAREL_CHECKS: readonly RowCheck[] = [checkApparel, checkColor, checkSingle];
