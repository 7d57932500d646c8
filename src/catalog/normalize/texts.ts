/** What the item is called and what is said of it. */
import type { Detail } from "../item.ts";
import {
  cleanText,
  DESCRIPTION_LIMIT,
  firstOf,
  type Intake,
  type ItemUnderWay,
  leaveOut,
  type Needed,
  put,
  reject,
  textOf,
  TITLE_LIMIT,
} from "./intake.ts";

/** Google takes up to 100 highlights and details; twice that is room for what the feeds will choose from. */
const MOST_HIGHLIGHTS = 200;
const MOST_DETAILS = 200;

export function readTitle(intake: Intake): Needed<string> {
  const title = textOf(intake, "title", TITLE_LIMIT);
  if (title === undefined) return reject(intake, "missing_title", "title", "The item has no title.");
  return { kind: "valid", value: title };
}

export function fillTexts(item: ItemUnderWay, intake: Intake): void {
  put(item, "groupTitle", textOf(intake, "groupTitle", TITLE_LIMIT));
  put(item, "shortTitle", textOf(intake, "shortTitle", TITLE_LIMIT));
  put(item, "description", readDescription(intake));
  put(item, "highlights", readHighlights(intake));
  put(item, "details", readDetails(intake));
}

/** Shops that fill in only the short description mean it as the description. */
function readDescription(intake: Intake): string | undefined {
  return (
    textOf(intake, "description", DESCRIPTION_LIMIT) ?? textOf(intake, "shortDescription", DESCRIPTION_LIMIT)
  );
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
