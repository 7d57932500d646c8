/**
 * Columns that name the language of their texts, such as `name_ua`, and the question which of several is to be read.
 */
import type { RecordResult } from "../source.ts";

/**
 * Columns that name their language: `name_ua`, `description_ru`. Codes that are words or abbreviations as well
 * (`name_no`, `name_id`) are not among them.
 */
const LOCALIZED =
  /^(name|title|product_name|description)_(ar|bg|cs|cz|da|de|el|en|es|et|fi|fr|gr|he|hr|hu|it|ja|ko|kz|lt|lv|nl|pl|pt|ro|ru|sk|sl|sr|sv|tr|ua|uk|zh)$/;
/** Shops also use the code of the country. */
const LANGUAGE_OF_COUNTRY: ReadonlyMap<string, string> = new Map([
  ["ua", "uk"],
  ["cz", "cs"],
  ["gr", "el"],
  ["kz", "kk"],
]);

export type LocalizedName = { readonly field: "title" | "description"; readonly language: string };

export function localizedName(name: string): LocalizedName | undefined {
  const [, base, code = ""] = LOCALIZED.exec(name) ?? [];
  if (base === undefined) return undefined;
  const field = base === "description" ? "description" : "title";
  return { field, language: LANGUAGE_OF_COUNTRY.get(code) ?? code };
}

/** Asks for the language, if the file has the field in several and no plain column for it. */
export function languageQuestion(
  names: readonly string[],
  field: LocalizedName["field"],
): string | undefined {
  const localized = names.filter(
    (name) => localizedName(name.trim().replace(/^g:/i, "").toLowerCase())?.field === field,
  );
  const [first] = localized;
  if (first === undefined || localized.length < 2) return undefined;
  return `The file has the ${field} in several languages (${localized.map((name) => JSON.stringify(name)).join(", ")}) and none is that of the catalog. Set the catalog's language to one of them, or map a column, e.g. "${first} = ${field}".`;
}

/** A text in several languages, of which none is the catalog's, is not read. `has` says whether a field is fed. */
export function languageNotes(
  names: readonly string[],
  has: (field: LocalizedName["field"]) => boolean,
): RecordResult[] {
  return (["title", "description"] as const).flatMap((field) => {
    const message = has(field) ? undefined : languageQuestion(names, field);
    return message === undefined ? [] : [{ kind: "warning", code: "missing_column", message }];
  });
}
