/** What becomes of the value of one field in one file. */
import type { ExplainedColumn, FieldInFile } from "../../contract/explain.ts";
import type { Channel } from "../../channels/channel.ts";
import type { TextLimit } from "../../channels/kit/field-table.ts";
import { CHANNELS, type FeedFile } from "../../channels/registry.ts";
import { shown } from "../../enrich/changed-fields.ts";
import type { FieldText } from "../../enrich/rules/fields.ts";
import { lengthOf } from "../../lib/text-length.ts";
import type { FileColumns } from "../columns/columns.ts";
import type { Origin } from "../columns/origins.ts";
import { placesOf } from "./places.ts";

export function fieldInFile(field: string, value: FieldText, found: FileColumns): FieldInFile {
  const { file, refusal, texts, origins } = found;
  const columns = [...texts].flatMap(([column, text]) => {
    const origin = origins.get(column);
    return origin?.fields.has(field) === true ? [explained({ file, column, text, origin }, value)] : [];
  });
  const places = placesFor(field, found);
  const isExcluded = refusal?.isWritten === false;
  const outcome = outcomeOf({ isExcluded, columns, value, places });
  const message = isExcluded ? refusal.message : MESSAGES[outcome](columns, places);
  const isEmpty = outcome === "not_written" || outcome === "no_value";
  return { file, outcome, message, columns, empty_columns: isEmpty ? places : [] };
}

/** Columns that could have the field and do not: of this item, or of any. */
function placesFor(field: string, { file, texts, empty }: FileColumns): readonly string[] {
  return empty.get(field) ?? placesOf(file, field).filter((column) => !texts.has(column));
}

type Outcome = FieldInFile["outcome"];

function outcomeOf(about: {
  readonly isExcluded: boolean;
  readonly columns: readonly ExplainedColumn[];
  readonly value: FieldText;
  readonly places: readonly string[];
}): Outcome {
  if (about.isExcluded) return "excluded";
  if (about.columns.length > 0) return "written";
  if (about.places.length === 0) return "not_in_file";
  return about.value === undefined ? "no_value" : "not_written";
}

const MESSAGES: Readonly<
  Record<Outcome, (columns: readonly ExplainedColumn[], places: readonly string[]) => string>
> = {
  written: (columns) => columns.map(sentence).join(" "),
  excluded: () => "The item is not in the file.",
  not_written: (_, places) =>
    `The file leaves the value out: ${places.join(", ")} cannot have it, or not next to the other values of the item.`,
  no_value: () => "The item has no value.",
  not_in_file: () => "The file has no place for this field.",
};

function sentence({ column, form, cut_to: cutTo, limit, fields }: ExplainedColumn): string {
  const cut = cutTo === null ? "" : `, cut to ${cutTo} characters (the limit is ${limit ?? cutTo})`;
  return `${column}: ${SAID[form](fields)}${cut}.`;
}

const SAID: Readonly<Record<ExplainedColumn["form"], (fields: readonly string[]) => string>> = {
  as_is: () => "as it is",
  cut: () => "its beginning",
  mapped: () => "in another form",
  combined: (fields) => `made of ${fields.join(", ")}`,
  conditional: () => "is there because of this field",
  default: () => "from the catalog's settings",
};

type LocatedField = {
  readonly file: FeedFile;
  readonly column: string;
  readonly text: string;
  readonly origin: Origin;
};

function explained({ file, column, text, origin }: LocatedField, value: FieldText): ExplainedColumn {
  const limit = limitOf(file, column);
  const isCut = typeof value === "string" && wasCut(value, text, limit);
  return {
    column,
    text,
    form: formOf(value, text, { origin, isCut }),
    cut_to: isCut ? lengthOf(text) : null,
    limit: limit?.codePoints ?? null,
    fields: [...origin.fields],
  };
}

function formOf(
  value: FieldText,
  text: string,
  { origin, isCut }: { readonly origin: Origin; readonly isCut: boolean },
): ExplainedColumn["form"] {
  if (origin.isConditional) return "conditional";
  if (value === undefined) return "default";
  if (isSameText(value, text)) return "as_is";
  if (isCut && shown(value)?.startsWith(text) === true) return "cut";
  return origin.fields.size > 1 ? "combined" : "mapped";
}

const isSameText = (value: string | readonly string[], text: string): boolean =>
  typeof value === "string" ? value === text : [value.join(","), JSON.stringify(value)].includes(text);

/** The names of columns with parts are followed by the parts in brackets. */
function limitOf(file: FeedFile, column: string): TextLimit | undefined {
  const { fieldTable }: Channel = CHANNELS[file];
  return "fields" in fieldTable ? fieldTable.fields[column.replace(/\(.*$/s, "")]?.limit : undefined;
}

/** Whether the text has only the beginning of the value, because all of it would have been too long. */
function wasCut(value: string, text: string, limit: TextLimit | undefined): boolean {
  if (limit?.over !== "cut") return false;
  let shared = 0;
  while (shared < value.length && value[shared] === text[shared]) shared += 1;
  // Options that follow a title take up to half of it.
  const isBeginning = shared * 3 >= limit.codePoints;
  return isBeginning && lengthOf(text) + lengthOf(value.slice(shared)) > limit.codePoints;
}
