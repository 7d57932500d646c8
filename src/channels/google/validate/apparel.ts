/** Apparel and its attributes; colors of anything. */
import { apparelKind } from "../../../catalog/google-category.ts";
import { isColorFiller } from "../../../catalog/filler-words.ts";
import { isLonger } from "../../../lib/text-length.ts";
import { COLOR_LIMITS } from "../fields.ts";
import type { RowCheck } from "./row.ts";

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
