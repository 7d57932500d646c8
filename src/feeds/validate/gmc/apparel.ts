/** Clothing and its attributes; colors of anything. */
import { GMC_COLOR_FILLERS } from "../../profiles/gmc-2026.ts";
import { isPlaceholder } from "../../../catalog/placeholder.ts";
import { isLongerThan } from "../checks/text.ts";
import { pathOf } from "./identifiers.ts";
import type { GmcRow, RowCheck } from "./row.ts";

/** Numbers whose place in the taxonomy is known here; other numbers say nothing without the whole of it. */
const APPAREL_NUMBERS = new Set(["166", "1604", "187", "188", "201", "1856"]);
const SIZED_NUMBERS = new Set(["1604", "187"]);
const MOST_COLORS = 3;
const LONGEST_COLOR = 40;

function placeOf(row: GmcRow): { readonly isApparel: boolean; readonly isSized: boolean } {
  const category = row.text("google_product_category") ?? "";
  const [root, branch] = pathOf(category);
  const isPath = root === "apparel & accessories";
  return {
    isApparel: isPath || APPAREL_NUMBERS.has(category),
    isSized: (isPath && (branch === "clothing" || branch === "shoes")) || SIZED_NUMBERS.has(category),
  };
}

const checkApparel: RowCheck = (row, findings) => {
  const { isApparel, isSized } = placeOf(row);
  if (!isApparel) return;
  for (const field of ["color", "gender", "age_group"] as const)
    if (!row.has(field)) findings.say(`gmc.apparel.${field}`, { field });
  if (isSized && !row.has("size")) findings.say("gmc.apparel.size", { field: "size" });
};

const checkColor: RowCheck = (row, findings) => {
  const field = "color";
  const value = row.text(field);
  if (value === undefined) return;
  const word = value.trim();
  if (GMC_COLOR_FILLERS.test(word) || isPlaceholder(word)) findings.say("gmc.color.value", { field, value });
  const colors = value.split("/");
  if (colors.length > MOST_COLORS || colors.some((color) => isLongerThan(color, LONGEST_COLOR)))
    findings.say("gmc.color.toomany", { field, value });
};

const checkSingle: RowCheck = (row, findings) => {
  for (const field of ["color", "size"]) {
    const value = row.text(field);
    if (value?.includes(",") === true) findings.say("gmc.value.many", { field, value });
  }
};

export const APPAREL_CHECKS: readonly RowCheck[] = [checkApparel, checkColor, checkSingle];
