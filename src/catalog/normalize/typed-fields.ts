/** Fields that hold something other than text. A value that cannot be read is dropped with a warning. */
import { DATE_PROBLEMS, type DayEdge, parseInstant } from "../dates.ts";
import { parseInteger } from "../decimal.ts";
import type { TextField } from "../draft.ts";
import { YES_NO_WORDS } from "../vocabulary/traits.ts";
import { URL_PROBLEMS, parseUrl } from "../url.ts";
import { meaningOf, type WordTable } from "../words.ts";
import { readField, type DraftState, dropWithWarning } from "./fields.ts";

export function wordField<Meaning>(
  state: DraftState,
  field: TextField,
  table: WordTable<Meaning>,
): Meaning | undefined {
  const text = readField(state, field);
  if (text === undefined) return undefined;
  const meaning = meaningOf(table, text);
  if (meaning !== undefined) return meaning;
  const problem = `is not a known value. Use ${[...new Set(table.values())].join(", ")}`;
  return dropWithWarning(state, "unknown_word", field, { value: text, problem });
}

export function booleanField(state: DraftState, field: TextField): boolean | undefined {
  const word = wordField(state, field, YES_NO_WORDS);
  return word === undefined ? undefined : word === "yes";
}

export function integerField(state: DraftState, field: TextField, least: number): number | undefined {
  const text = readField(state, field);
  return text === undefined ? undefined : readInteger(state, field, text, least);
}

/** A whole number from a list or a group, read under the name of the field it belongs to. */
export function readInteger(
  state: DraftState,
  field: string,
  text: string,
  least: number,
): number | undefined {
  const number = parseInteger(text.trim());
  if (number !== undefined && number >= least) return number;
  const problem = `is not a whole number from ${least} up`;
  return dropWithWarning(state, "invalid_number", field, { value: text, problem });
}

export function instantField(state: DraftState, field: TextField, edge: DayEdge): string | undefined {
  const text = readField(state, field);
  if (text === undefined) return undefined;
  const instant = parseInstant(text, edge);
  if (instant.kind === "valid") return instant.value;
  return dropWithWarning(state, "invalid_date", field, {
    value: text,
    problem: DATE_PROBLEMS[instant.reason],
  });
}

export function urlField(state: DraftState, field: TextField): string | undefined {
  const text = readField(state, field);
  return text === undefined ? undefined : readUrlText(state, field, text);
}

/** A link from a list, read under the name of the field it belongs to. */
export function readUrlText(state: DraftState, field: string, text: string): string | undefined {
  const address = parseUrl(text, state.settings.storeUrl);
  if (address.kind === "valid") return address.value;
  return dropWithWarning(state, "invalid_url", field, {
    value: text,
    problem: URL_PROBLEMS[address.reason],
  });
}
