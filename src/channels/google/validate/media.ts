/** Images, videos and documents. */
import { extensionOf, isPlaceholderImage, strictAddressFault } from "../../kit/validate/checks/url.ts";
import { GOOGLE_LIMITS } from "../../../catalog/google-limits.ts";
import { mostOf } from "../../kit/limits.ts";
import { GOOGLE_FIELD_TABLE } from "../fields.ts";
import type { GoogleFindings, RowCheck } from "./row.ts";
import type { GoogleRule } from "./rules.ts";

const IMAGE_TYPES = new Set(["jpg", "jpeg", "webp", "png", "gif", "bmp", "tif", "tiff"]);
/** Types of files that are no images; an unknown extension may as well be part of a name. */
const OTHER_TYPES = new Set(["svg", "avif", "heic", "pdf", "html", "htm", "php", "mp4", "psd", "ico"]);
const MOST_FURTHER = mostOf(GOOGLE_FIELD_TABLE.fields.additional_image_link);
const MOST_DOCUMENTS = mostOf(GOOGLE_FIELD_TABLE.fields.document_link);
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
