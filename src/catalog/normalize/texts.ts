/** Titles, descriptions, highlights and details. */
import { GOOGLE_LIMITS } from "../google-limits.ts";
import type { Detail } from "../item.ts";
import { structuredContent } from "./google.ts";
import {
  cleanLines,
  cleanText,
  DESCRIPTION_LIMIT,
  firstOf,
  type DraftState,
  type MutableItem,
  dropWithWarning,
  linesField,
  type RequiredValue,
  setField,
  reject,
  textField,
  TITLE_LIMIT,
  warn,
} from "./fields.ts";

/** Google takes up to 100 highlights and details; twice that leaves the feeds a choice. */
const MOST_HIGHLIGHTS = 200;
const MOST_DETAILS = 200;

export function readTitle(state: DraftState): RequiredValue<string> {
  const title = plainOrStructured(state, "title", TITLE_LIMIT);
  if (title === undefined) return reject(state, "missing_title", "title", "The item has no title.");
  warnOfCut(state, "title", title);
  return { kind: "valid", value: title };
}

/** OpenAI and Google show the beginning of a longer text. The catalog keeps the whole; their feeds cut it. */
function warnOfCut(state: DraftState, field: "title" | "description", text: string): void {
  const limit = GOOGLE_LIMITS[field];
  // A text has at most as many characters as UTF-16 units, so most need no counting.
  if (text.length <= limit || Array.from(text).length <= limit) return;
  warn(
    state,
    "cut_in_feeds",
    field,
    `${field} has more than ${limit} characters; the OpenAI and Google feeds carry its beginning. Shorten it, or put what matters first.`,
  );
}

export function fillTexts(item: MutableItem, state: DraftState): void {
  setField(item, "groupTitle", textField(state, "groupTitle", TITLE_LIMIT));
  setField(item, "shortTitle", textField(state, "shortTitle", TITLE_LIMIT));
  const description = readDescription(state);
  if (description !== undefined) warnOfCut(state, "description", description);
  setField(item, "description", description);
  setField(item, "highlights", readHighlights(state));
  setField(item, "details", readDetails(state));
}

/** Shops that fill in only the short description mean it as the description. */
function readDescription(state: DraftState): string | undefined {
  return (
    plainOrStructured(state, "description", DESCRIPTION_LIMIT) ??
    linesField(state, "shortDescription", DESCRIPTION_LIMIT)
  );
}

/** Google takes a structured title or description instead of the plain one; whatever else shows the item takes its text. */
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
  if (plain !== undefined && structured !== undefined && plain !== structured)
    warn(
      state,
      "structured_text_used",
      field,
      `${field} is not the text of ${name}; gmc.tsv carries ${name}. Send one of the two.`,
    );
  return plain ?? structured;
}

function readHighlights(state: DraftState): readonly string[] | undefined {
  const { highlights } = state.draft;
  if (highlights === undefined) return undefined;
  const kept: string[] = [];
  for (const raw of firstOf(state, "highlights", highlights, MOST_HIGHLIGHTS)) {
    const text = cleanText(state, "highlights", raw);
    if (text !== undefined) kept.push(text);
  }
  return kept.length === 0 ? undefined : kept;
}

function readDetails(state: DraftState): readonly Detail[] | undefined {
  const { details } = state.draft;
  if (details === undefined) return undefined;
  const kept: Detail[] = [];
  for (const raw of firstOf(state, "details", details, MOST_DETAILS)) {
    const detail = readDetail(state, raw);
    if (detail !== undefined) kept.push(detail);
  }
  return kept.length === 0 ? undefined : kept;
}

function readDetail(state: DraftState, raw: Detail): Detail | undefined {
  const section = raw.section === undefined ? undefined : cleanText(state, "details", raw.section);
  const name = cleanText(state, "details", raw.name);
  const value = cleanText(state, "details", raw.value);
  if (name === undefined && value === undefined) return undefined;
  if (name === undefined)
    return dropWithWarning(state, "incomplete_value", "details", {
      value: raw.value,
      problem: "has no name",
    });
  // A name without a value is an attribute the shop has not filled in: nothing is lost, so there is no warning.
  if (value === undefined) return undefined;
  return section === undefined ? { name, value } : { section, name, value };
}
