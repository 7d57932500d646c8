/** Titles, descriptions, highlights and details; links, images and videos. */
import { isNoBrand } from "../filler-words.ts";
import { GOOGLE_LIMITS } from "../google-limits.ts";
import type { Detail } from "../item.ts";
import { isBlank } from "../text.ts";
import { structuredContent } from "./google.ts";
import {
  cleanLines,
  cleanText,
  DESCRIPTION_LIMIT,
  type DraftState,
  dropWithWarning,
  limitEntries,
  quoted,
  readField,
  readList,
  readUrl,
  reject,
  type RequiredValue,
  textField,
  TITLE_LIMIT,
  warn,
} from "./fields.ts";

/** Google takes up to 100 highlights and details; twice that leaves the feeds a choice. */
const MAX_HIGHLIGHTS_OR_DETAILS = 200;
/** No feed accepts more than eleven images; shops rarely have fifty. */
const MAX_IMAGES = 50;
const MAX_VIDEOS = 20;

export function readTitle(state: DraftState): RequiredValue<string> {
  const title = plainOrStructured(state, "title", TITLE_LIMIT);
  if (title === undefined) return reject(state, "missing_title", "title", noTitle(state));
  warnOfCut(state, "title", title);
  return { kind: "valid", value: title };
}

function noTitle(state: DraftState): string {
  const raw = readField(state, "title");
  if (raw === undefined) return "The item has no title.";
  return `title ${quoted(raw)} has no text, only markup or characters that are not visible. Give the item a title in plain text.`;
}

/** Words such as "no brand" are no brand, so that the catalog's default brand is used. */
export function readBrand(state: DraftState): string | undefined {
  const brand = textField(state, "brand");
  if (brand === undefined || isNoBrand(brand)) return undefined;
  warnOfCut(state, "brand", brand);
  return brand;
}

/** OpenAI and Google show the beginning of a longer text. The catalog keeps the whole; their feeds cut it. */
function warnOfCut(state: DraftState, field: "title" | "description" | "brand", text: string): void {
  const limit = GOOGLE_LIMITS[field];
  // A text has at most as many characters as UTF-16 units, so most need no counting.
  if (text.length <= limit || Array.from(text).length <= limit) return;
  const message = `${field} has more than ${limit} characters; ${field === "brand" ? "the Google feeds carry" : "the OpenAI and Google feeds carry"} its beginning. Shorten it, or put what matters first.`;
  warn(state, "cut_in_feeds", field, message);
}

/** Shops that fill in only the short description mean it as the description. */
export function readDescription(state: DraftState): string | undefined {
  const { shortDescription = "" } = state.draft;
  const description =
    plainOrStructured(state, "description", DESCRIPTION_LIMIT) ??
    cleanLines(state, "shortDescription", shortDescription, DESCRIPTION_LIMIT);
  if (description !== undefined) warnOfCut(state, "description", description);
  return description;
}

/** Google takes a structured title or description instead of the plain one; the other channels use its text. */
function plainOrStructured(
  state: DraftState,
  field: "title" | "description",
  limit: number,
): string | undefined {
  const name = `structured_${field}` as const;
  const clean = field === "title" ? cleanText : cleanLines;
  const own = state.draft[field];
  const plain = own === undefined ? undefined : clean(state, field, own, limit);
  const raw = structuredContent(state, name);
  if (raw === undefined) return plain;
  const structured = clean(state, name, raw, limit);
  if (plain !== undefined && structured !== undefined && plain !== structured) {
    const message = `${field} is not the text of ${name}; gmc.tsv carries ${name}. Send one of the two.`;
    warn(state, "structured_text_used", field, message);
  }
  return plain ?? structured;
}

export function readHighlights(state: DraftState): readonly string[] | undefined {
  const list = { field: "highlights", entries: state.draft.highlights, limit: MAX_HIGHLIGHTS_OR_DETAILS };
  return readList(state, list, (raw) => cleanText(state, "highlights", raw));
}

export function readDetails(state: DraftState): readonly Detail[] | undefined {
  const list = { field: "details", entries: state.draft.details, limit: MAX_HIGHLIGHTS_OR_DETAILS };
  return readList(state, list, (raw) => readDetail(state, raw));
}

function readDetail(state: DraftState, raw: Detail): Detail | undefined {
  const section = raw.section === undefined ? undefined : cleanText(state, "details", raw.section);
  const name = cleanText(state, "details", raw.name);
  const value = cleanText(state, "details", raw.value);
  // A name without a value is an attribute the shop has not filled in: nothing is lost, so there is no warning.
  if (value === undefined) return undefined;
  if (name !== undefined) return section === undefined ? { name, value } : { section, name, value };
  const dropped = { value: raw.value, problem: "has no name" };
  return dropWithWarning(state, "incomplete_value", "details", dropped);
}

/** An item without a link is stored. OpenAI and Google will refuse it, and the list of refusals says so. */
export function readLink(state: DraftState): string | undefined {
  const text = readField(state, "link");
  if (text !== undefined) return readUrl(state, "link", text);
  warn(state, "missing_link", "link", "The item has no link; OpenAI and Google will refuse it.");
  return undefined;
}

export function readImages(state: DraftState): readonly string[] | undefined {
  const main = readField(state, "image");
  const more = state.draft.additionalImages ?? [];
  const images: string[] = [];
  if (main !== undefined) addUrl(state, "image", main, images);
  for (const text of limitEntries(state, "additionalImages", more, MAX_IMAGES - 1))
    addUrl(state, "additionalImages", text, images);
  return images.length === 0 ? undefined : images;
}

export function readVideos(state: DraftState): readonly string[] | undefined {
  const videos: string[] = [];
  for (const text of limitEntries(state, "videos", state.draft.videos ?? [], MAX_VIDEOS))
    addUrl(state, "videos", text, videos);
  return videos.length === 0 ? undefined : videos;
}

function addUrl(state: DraftState, field: string, text: string, urls: string[]): void {
  const url = isBlank(text) ? undefined : readUrl(state, field, text);
  if (url !== undefined && !urls.includes(url)) urls.push(url);
}
