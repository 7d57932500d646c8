/** The id and the texts of an item. */
import { hasAddress, hasManyCapitals, hasMarkup, isPromotion } from "../../kit/validate/checks/text.ts";
import type { RowCheck } from "./row.ts";

const SHORT_DESCRIPTION = 50;
/** Line breaks, lists and emphasis, which Google takes in a description. */
const FORMATTING = /<\/?(?:b|br|dd|div|dl|dt|em|i|li|ol|p|span|strong|sub|sup|ul) *\/?>/gi;

const checkId: RowCheck = (row, findings) => {
  const field = "id";
  const value = row.text(field);
  if (value === undefined) return;
  if (/^\s|\s$|\s\s/.test(value)) findings.say("gmc.id.whitespace", { field, value });
  if (/[^\x20-\x7e]/.test(value)) findings.say("gmc.id.nonascii", { field, value });
};

const checkTitle: RowCheck = (row, findings) => {
  const field = "title";
  const value = row.text(field);
  if (value === undefined) return;
  if (row.has("structured_title")) findings.say("gmc.title.both", { field, value });
  if (hasManyCapitals(value)) findings.say("gmc.title.caps", { field, value });
  if (isPromotion(value)) findings.say("gmc.title.promo", { field, value });
  if (hasMarkup(value)) findings.say("gmc.title.html", { field, value });
};

const checkTitleNames: RowCheck = (row, findings) => {
  const title = row.text("title")?.toLowerCase();
  if (title === undefined) return;
  const brand = row.text("brand");
  if (brand !== undefined && !title.includes(brand.toLowerCase()))
    findings.say("gmc.title.brand", { field: "title", value: brand });
  if (!row.has("item_group_id")) return;
  const options = row.groups("variant_option").map((option) => option.get("value"));
  for (const option of new Set([row.text("color"), row.text("size"), ...options])) {
    if (option !== undefined && !title.includes(option.toLowerCase()))
      findings.say("gmc.title.variant", { field: "title", value: option });
  }
};

const checkDescription: RowCheck = (row, findings) => {
  const field = "description";
  const value = row.text(field);
  if (value === undefined) return;
  if (value.length < SHORT_DESCRIPTION) findings.say("gmc.desc.short", { field, value });
  if (hasMarkup(value.replace(FORMATTING, ""))) findings.say("gmc.desc.html", { field, value });
  if (hasAddress(value)) findings.say("gmc.desc.link", { field, value });
  if (isPromotion(value)) findings.say("gmc.desc.promo", { field, value });
  if (value.trim() === row.text("title")?.trim()) findings.say("gmc.desc.sameastitle", { field, value });
};

export const TEXT_CHECKS: readonly RowCheck[] = [checkId, checkTitle, checkTitleNames, checkDescription];
