/**
 * From the values of a file to a row. OpenAI reads some fields under several names: the first that has a value counts,
 * and another one that disagrees is reported. A delimited file has only texts; in JSON each kind of field has its own
 * type, and a value of another type is reported. Absent, null and blank values are not in the row.
 */
import { isJsonObject } from "../../../lib/json-object.ts";
import { shown } from "../../kit/validate/json-records.ts";
import type { CheckedRow } from "../../kit/validate/row.ts";
import { ALIASES, OPENAI_FIELDS, type OpenaiField } from "./names.ts";
import type { OpenaiFindings, OpenaiRule } from "./rules.ts";

/** The value under a name of the file. */
type NamedValues = (name: string) => unknown;

type NamedField = { readonly field: OpenaiField; readonly names: readonly string[] };

export const ALL_FIELDS: readonly NamedField[] = [...OPENAI_FIELDS.values()].map((field) => ({
  field,
  names: ALIASES[field.name] ?? [field.name],
}));

/** The fields that a file with these names can fill; for a file whose rows all have the same names. */
export function fieldsFor(columns: readonly string[]): readonly NamedField[] {
  return ALL_FIELDS.map(({ field, names }) => ({
    field,
    names: names.filter((name) => columns.includes(name)),
  })).filter(({ names }) => names.length > 0);
}

export type RowReading = {
  readonly values: NamedValues;
  readonly fields: readonly NamedField[];
  readonly findings: OpenaiFindings;
  readonly isJson: boolean;
};

export function fillRow(row: CheckedRow, { values, fields, findings, isJson }: RowReading): void {
  for (const { field, names } of fields) {
    const value = names.length === 1 ? values(names[0] ?? "") : firstValue(values, names, findings);
    if (isBlank(value)) continue;
    if (isJson) setJson(value, field, row, findings);
    else setCell(String(value), field, row, findings);
  }
}

function firstValue(values: NamedValues, names: readonly string[], findings: OpenaiFindings): unknown {
  const [first, ...others] = names.filter((name) => !isBlank(values(name)));
  if (first === undefined) return undefined;
  const value = values(first);
  for (const field of others) {
    const other = shown(values(field));
    if (other !== shown(value))
      findings.add("ALIAS", { field, value: other, detail: `\`${first}\` has another value, and counts.` });
  }
  return value;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

const isList = ({ kind }: OpenaiField): boolean => kind === "urls" || kind === "countries";

function setCell(cell: string, field: OpenaiField, row: CheckedRow, findings: OpenaiFindings): void {
  if (field.kind === "object") setObject(parsed(cell), field, row, findings);
  else if (isList(field)) row.lists.set(field.name, cell.split(","));
  else row.texts.set(field.name, cell);
}

/** A text that is not JSON stays a text, which is reported like any other wrong type. */
function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}

/** The rules for a field's object. */
const OBJECT_RULES: Readonly<Record<string, OpenaiRule>> = { dimensions: "DIM", variant_dict: "VD" };

function setObject(value: unknown, { name }: OpenaiField, row: CheckedRow, findings: OpenaiFindings): void {
  const rule = OBJECT_RULES[name] ?? "TYPE";
  if (!isJsonObject(value)) {
    row.unread.add(name);
    findings.add(rule, { field: name, value: shown(value), isMild: true });
    return;
  }
  const entries = new Map<string, string>();
  for (const [key, one] of Object.entries(value)) {
    if (typeof one === "string") entries.set(key, one);
    else findings.add(rule, { field: `${name}.${key}`, value: shown(one), isMild: true });
  }
  row.groupLists.set(name, [entries]);
}

function setJson(value: unknown, field: OpenaiField, row: CheckedRow, findings: OpenaiFindings): void {
  if (field.kind === "object") setObject(value, field, row, findings);
  else if (isList(field)) setJsonList(value, field, row, findings);
  else setJsonText(value, field, row, findings);
}

function setJsonList(value: unknown, field: OpenaiField, row: CheckedRow, findings: OpenaiFindings): void {
  const { name } = field;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    row.lists.set(name, value);
    return;
  }
  findings.add("TYPE", { field: name, value: shown(value), isMild: true });
  if (typeof value === "string") setCell(value, field, row, findings);
  else row.unread.add(name);
}

/** The types of a single value by its kind; the first is the right one, the others are reported and read. */
const TYPES: Readonly<Partial<Record<OpenaiField["kind"], readonly string[]>>> = {
  boolean: ["boolean"],
  integer: ["number", "string"],
};

function setJsonText(value: unknown, field: OpenaiField, row: CheckedRow, findings: OpenaiFindings): void {
  const { name, kind, requirement } = field;
  const types = TYPES[kind] ?? ["string", "number", "boolean"];
  const isReadable = types.includes(typeof value);
  if (isReadable) row.texts.set(name, String(value));
  else if (kind !== "integer") row.unread.add(name);
  if (typeof value === types[0]) return;
  const isFlag = kind === "boolean";
  const isMild = isFlag ? !isEligibilityFlag(name) : isReadable || requirement !== "required";
  findings.add(isFlag ? "BOOL" : "TYPE", { field: name, value: shown(value), isMild });
}

/** The flags that decide whether a row is used at all. */
export function isEligibilityFlag(name: string): boolean {
  return name === "is_eligible_search" || name === "is_eligible_checkout" || name === "is_ads_eligible";
}
