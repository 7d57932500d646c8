/** What the item is called and what is said of it. */
import { GOOGLE_LIMITS } from "../google-limits.ts";
import type { Detail } from "../item.ts";
import { structuredContent } from "./google.ts";
import {
  cleanLines,
  cleanText,
  DESCRIPTION_LIMIT,
  firstOf,
  type Intake,
  type ItemUnderWay,
  leaveOut,
  linesOf,
  type Needed,
  put,
  reject,
  textOf,
  TITLE_LIMIT,
  warn,
} from "./intake.ts";

/** Google takes up to 100 highlights and details; twice that is room for what the feeds will choose from. */
const MOST_HIGHLIGHTS = 200;
const MOST_DETAILS = 200;

export function readTitle(intake: Intake): Needed<string> {
  const title = plainOrStructured(intake, "title", TITLE_LIMIT);
  if (title === undefined) return reject(intake, "missing_title", "title", "The item has no title.");
  warnOfCut(intake, "title", title);
  return { kind: "valid", value: title };
}

/** OpenAI and Google show the beginning of a longer text. The catalog keeps the whole; their feeds cut it. */
function warnOfCut(intake: Intake, field: "title" | "description", text: string): void {
  const limit = GOOGLE_LIMITS[field];
  // A text has at most as many characters as UTF-16 units, so most need no counting.
  if (text.length <= limit || Array.from(text).length <= limit) return;
  warn(
    intake,
    "cut_in_feeds",
    field,
    `${field} has more than ${limit} characters; feeds show its beginning.`,
  );
}

export function fillTexts(item: ItemUnderWay, intake: Intake): void {
  put(item, "groupTitle", textOf(intake, "groupTitle", TITLE_LIMIT));
  put(item, "shortTitle", textOf(intake, "shortTitle", TITLE_LIMIT));
  const description = readDescription(intake);
  if (description !== undefined) warnOfCut(intake, "description", description);
  put(item, "description", description);
  put(item, "highlights", readHighlights(intake));
  put(item, "details", readDetails(intake));
}

/** Shops that fill in only the short description mean it as the description. */
function readDescription(intake: Intake): string | undefined {
  return (
    plainOrStructured(intake, "description", DESCRIPTION_LIMIT) ??
    linesOf(intake, "shortDescription", DESCRIPTION_LIMIT)
  );
}

/** Google takes a structured title or description instead of the plain one; whatever else shows the item takes its text. */
function plainOrStructured(
  intake: Intake,
  field: "title" | "description",
  limit: number,
): string | undefined {
  const name = `structured_${field}` as const;
  const clean = field === "title" ? cleanText : cleanLines;
  const own = intake.draft[field];
  const plain = own === undefined ? undefined : clean(intake, field, own, limit);
  const raw = structuredContent(intake, name);
  if (raw === undefined) return plain;
  const structured = clean(intake, name, raw, limit);
  if (plain !== undefined && structured !== undefined && plain !== structured)
    warn(
      intake,
      "structured_text_used",
      field,
      `${field} is not the text of ${name}; gmc.tsv carries ${name}.`,
    );
  return plain ?? structured;
}

function readHighlights(intake: Intake): readonly string[] | undefined {
  const { highlights } = intake.draft;
  if (highlights === undefined) return undefined;
  const kept: string[] = [];
  for (const raw of firstOf(intake, "highlights", highlights, MOST_HIGHLIGHTS)) {
    const text = cleanText(intake, "highlights", raw);
    if (text !== undefined) kept.push(text);
  }
  return kept.length === 0 ? undefined : kept;
}

function readDetails(intake: Intake): readonly Detail[] | undefined {
  const { details } = intake.draft;
  if (details === undefined) return undefined;
  const kept: Detail[] = [];
  for (const raw of firstOf(intake, "details", details, MOST_DETAILS)) {
    const detail = readDetail(intake, raw);
    if (detail !== undefined) kept.push(detail);
  }
  return kept.length === 0 ? undefined : kept;
}

function readDetail(intake: Intake, raw: Detail): Detail | undefined {
  const section = raw.section === undefined ? undefined : cleanText(intake, "details", raw.section);
  const name = cleanText(intake, "details", raw.name);
  const value = cleanText(intake, "details", raw.value);
  if (name === undefined && value === undefined) return undefined;
  if (name === undefined)
    return leaveOut(intake, "incomplete_value", "details", { value: raw.value, problem: "has no name" });
  // A name without a value is an attribute the shop has not filled in: nothing is lost, so nothing is said.
  if (value === undefined) return undefined;
  return section === undefined ? { name, value } : { section, name, value };
}
