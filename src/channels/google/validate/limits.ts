/** The limits of the field table, as numbers to check by and as words for sentences. */
import type { Field } from "../../kit/field-table.ts";
import { limitOf, partLimitOf, shownNumber } from "../../kit/limits.ts";
import { GOOGLE_FIELD_TABLE, type GoogleFieldName } from "../fields.ts";

export const FIELDS: Readonly<Record<GoogleFieldName, Field>> = GOOGLE_FIELD_TABLE.fields;

/** `150 characters`. */
export const chars = (name: GoogleFieldName): string => `${shownNumber(limitOf(FIELDS[name]))} characters`;

export const partChars = (name: GoogleFieldName, part: string): string =>
  shownNumber(partLimitOf(FIELDS[name], part));
