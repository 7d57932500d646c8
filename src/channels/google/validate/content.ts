/** Checks of ids, texts, images, videos and documents. */
import { hasAddress, hasManyCapitals, hasMarkup, isPromotion } from "../../kit/validate/checks/text.ts";
import { extensionOf, isPlaceholderImage, strictAddressFault } from "../../kit/validate/checks/url.ts";
import { limitOf } from "../../kit/field-table.ts";
import { checkText } from "../../kit/validate/row.ts";
import type { GoogleFieldName } from "../fields.ts";
import { checkCount, fieldRule } from "./field-rules.ts";
import { FIELDS, type GoogleCheck, type GoogleFindings } from "./rules.ts";

const SHORT_DESCRIPTION = 50;
/** Line breaks, lists and emphasis, which Google accepts in a description. */
const FORMATTING = /<\/?(?:b|br|dd|div|dl|dt|em|i|li|ol|p|span|strong|sub|sup|ul) *\/?>/gi;

const checkTitleNames: GoogleCheck = (row, findings) => {
  const title = row.text("title")?.toLowerCase();
  if (title === undefined) return;
  const brand = row.text("brand");
  if (brand !== undefined && !title.includes(brand.toLowerCase()))
    findings.add("gmc.title.brand", { field: "title", value: brand });
  if (!row.has("item_group_id")) return;
  const options = row.groups("variant_option").map((option) => option.get("value"));
  for (const option of new Set([row.text("color"), row.text("size"), ...options])) {
    if (option !== undefined && !title.includes(option.toLowerCase()))
      findings.add("gmc.title.variant", { field: "title", value: option });
  }
};

const IMAGE_TYPES = new Set(["jpg", "jpeg", "webp", "png", "gif", "bmp", "tif", "tiff"]);
/** Types of files that are not images; an unknown extension may be part of a name. */
const OTHER_TYPES = new Set(["svg", "avif", "heic", "pdf", "html", "htm", "php", "mp4", "psd", "ico"]);
const SEVERAL = /,\s*https?:/i;

function isOtherType(address: string): boolean {
  const extension = extensionOf(address);
  return extension !== undefined && !IMAGE_TYPES.has(extension) && OTHER_TYPES.has(extension);
}

const checkFurtherImages: GoogleCheck = (row, findings) => {
  const field = "additional_image_link";
  const images = row.list(field);
  if (images.length === 0 && row.has("image_link")) findings.add("gmc.image.few", { field });
  checkCount(field, images.length, findings);
  const seen = new Set([row.text("image_link")]);
  for (const value of images) {
    if (row.isXml && SEVERAL.test(value)) findings.add("gmc.value.many", { field, value });
    checkAddress(field, value, findings);
    if (isOtherType(value)) findings.add("gmc.image.ext", { field, value });
    if (seen.has(value)) findings.add("gmc.image.dup", { field, value });
    seen.add(value);
  }
};

function checkAddress(field: GoogleFieldName, value: string, findings: GoogleFindings): void {
  const fault = strictAddressFault(value, limitOf(FIELDS[field]));
  if (fault !== undefined)
    findings.add(fieldRule(field, "address") ?? "gmc.link.invalid", {
      field,
      value,
      detail: `The address ${fault}.`,
      isMild: true,
    });
}

const ADDRESS_LISTS = ["lifestyle_image_link", "video_link", "document_link"] as const;

const checkAddressLists: GoogleCheck = (row, findings) => {
  for (const field of ADDRESS_LISTS)
    for (const value of row.list(field)) checkAddress(field, value, findings);
  checkCount("document_link", row.list("document_link").length, findings);
};

export const CONTENT_CHECKS: readonly GoogleCheck[] = [
  checkText("id", (id, add) => {
    if (/^\s|\s$|\s\s/.test(id)) add("gmc.id.whitespace");
    if (/[^\x20-\x7e]/.test(id)) add("gmc.id.nonascii");
  }),
  checkText("title", (title, add, row) => {
    if (row.has("structured_title")) add("gmc.title.both");
    if (hasManyCapitals(title)) add("gmc.title.caps");
    if (isPromotion(title)) add("gmc.title.promo");
    if (hasMarkup(title)) add("gmc.title.html");
  }),
  checkTitleNames,
  checkText("description", (description, add, row) => {
    if (description.length < SHORT_DESCRIPTION) add("gmc.desc.short");
    if (hasMarkup(description.replace(FORMATTING, ""))) add("gmc.desc.html");
    if (hasAddress(description)) add("gmc.desc.link");
    if (isPromotion(description)) add("gmc.desc.promo");
    if (description.trim() === row.text("title")?.trim()) add("gmc.desc.sameastitle");
  }),
  checkText("image_link", (image, add, { isXml }) => {
    if (isOtherType(image)) add("gmc.image.ext");
    if (isPlaceholderImage(image)) add("gmc.image.placeholder");
    if (isXml ? SEVERAL.test(image) : image.includes(",")) add("gmc.value.many");
  }),
  checkFurtherImages,
  checkAddressLists,
];
