/** The id and the texts of an item. */
import { GOOGLE_LIMITS } from "../../../catalog/google-limits.ts";
import { hasAddress, hasManyCapitals, hasMarkup, isPromotion } from "../../kit/validate/checks/text.ts";
import { extensionOf, isPlaceholderImage, strictAddressFault } from "../../kit/validate/checks/url.ts";
import type { GoogleFindings, RowCheck } from "./row.ts";
import { FIELDS, type GoogleRule } from "./rules.ts";

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

const IMAGE_TYPES = new Set(["jpg", "jpeg", "webp", "png", "gif", "bmp", "tif", "tiff"]);
/** Types of files that are no images; an unknown extension may as well be part of a name. */
const OTHER_TYPES = new Set(["svg", "avif", "heic", "pdf", "html", "htm", "php", "mp4", "psd", "ico"]);
const MOST_FURTHER = FIELDS.additional_image_link.most ?? Infinity;
const MOST_DOCUMENTS = FIELDS.document_link.most ?? Infinity;
const SEVERAL = /,\s*https?:/i;

const checkMainImage: RowCheck = (row, findings) => {
  const field = "image_link";
  const value = row.text(field);
  if (value === undefined) return;
  sayType(field, value, findings);
  if (isPlaceholderImage(value)) findings.say("gmc.image.placeholder", { field, value });
  if (row.isXml ? SEVERAL.test(value) : value.includes(",")) findings.say("gmc.value.many", { field, value });
};

function sayType(field: string, value: string, findings: GoogleFindings): void {
  const extension = extensionOf(value);
  if (extension !== undefined && !IMAGE_TYPES.has(extension) && OTHER_TYPES.has(extension))
    findings.say("gmc.image.ext", { field, value });
}

const checkFurtherImages: RowCheck = (row, findings) => {
  const field = "additional_image_link";
  const images = row.list(field);
  if (images.length === 0 && row.has("image_link")) findings.say("gmc.image.few", { field });
  if (images.length > MOST_FURTHER) findings.say("gmc.image.extra", { field, value: String(images.length) });
  const seen = new Set([row.text("image_link")]);
  for (const value of images) {
    if (row.isXml && SEVERAL.test(value)) findings.say("gmc.value.many", { field, value });
    sayAddress("gmc.image.invalid", field, value, findings);
    sayType(field, value, findings);
    if (seen.has(value)) findings.say("gmc.image.dup", { field, value });
    seen.add(value);
  }
};

function sayAddress(rule: GoogleRule, field: string, value: string, findings: GoogleFindings): void {
  const fault = strictAddressFault(value, GOOGLE_LIMITS.url);
  if (fault !== undefined)
    findings.say(rule, { field, value, detail: `The address ${fault}.`, isMild: true });
}

const checkOthers: RowCheck = (row, findings) => {
  for (const value of row.list("lifestyle_image_link"))
    sayAddress("gmc.image.invalid", "lifestyle_image_link", value, findings);
  for (const value of row.list("video_link")) sayAddress("gmc.video.link", "video_link", value, findings);
  const documents = row.list("document_link");
  for (const value of documents) sayAddress("gmc.doc.link", "document_link", value, findings);
  if (documents.length > MOST_DOCUMENTS)
    findings.say("gmc.doc.count", { field: "document_link", value: String(documents.length) });
};

export const MEDIA_CHECKS: readonly RowCheck[] = [checkMainImage, checkFurtherImages, checkOthers];
