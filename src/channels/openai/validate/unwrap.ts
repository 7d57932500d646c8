/**
 * Takes the values of a row out of their file's clothes. A delimited file has only texts; in JSON each kind has a
 * type of its own, and a value of another type is reported here. Absent, null and empty all mean "no value".
 */
import { isObject, shown } from "../../kit/validate/checks/json.ts";
import type { OpenaiKind } from "../fields.ts";
import type { OpenaiField } from "./names.ts";
import type { OpenaiFindings, OpenaiRow } from "./row.ts";
import type { OpenaiRule } from "./rules.ts";

type Unwrap<Raw> = (raw: Raw, field: OpenaiField, into: { row: OpenaiRow; findings: OpenaiFindings }) => void;

const asText: Unwrap<string> = (raw, { name }, { row }) => void row.texts.set(name, raw);

const asList: Unwrap<string> = (raw, { name }, { row }) => void row.lists.set(name, raw.split(","));

/** The rule that speaks for a field's objects. */
function objectRule(name: string): OpenaiRule {
  if (name === "dimensions") return "DIM";
  return name === "variant_dict" ? "VD" : "TYPE";
}

const asObject: Unwrap<unknown> = (raw, { name }, { row, findings }) => {
  const rule = objectRule(name);
  if (!isObject(raw)) {
    row.unread.add(name);
    findings.say(rule, { field: name, value: shown(raw), isMild: true });
    return;
  }
  const entries = new Map<string, string>();
  for (const [key, value] of Object.entries(raw)) {
    if (typeof value === "string") entries.set(key, value);
    else findings.say(rule, { field: `${name}.${key}`, value: shown(value), isMild: true });
  }
  row.objects.set(name, entries);
};

const objectCell: Unwrap<string> = (raw, field, into) => {
  let value: unknown = raw;
  try {
    value = JSON.parse(raw);
  } catch {
    // It stays the text that it is, and that is reported like any other wrong type.
  }
  asObject(value, field, into);
};

const CELLS: Readonly<Record<OpenaiKind, Unwrap<string>>> = {
  text: asText,
  url: asText,
  urls: asList,
  money: asText,
  word: asText,
  boolean: asText,
  integer: asText,
  decimal: asText,
  object: objectCell,
  countries: asList,
};

/** A cell that is not blank. */
export const unwrapCell: Unwrap<string> = (raw, field, into) => CELLS[field.kind](raw, field, into);

const jsonText: Unwrap<unknown> = (raw, field, { row, findings }) => {
  if (typeof raw === "string") {
    row.texts.set(field.name, raw);
    return;
  }
  const canBeRead = typeof raw === "number" || typeof raw === "boolean";
  const isMild = canBeRead || field.requirement !== "required";
  findings.say("TYPE", { field: field.name, value: shown(raw), isMild });
  if (canBeRead) row.texts.set(field.name, String(raw));
  else row.unread.add(field.name);
};

const jsonFlag: Unwrap<unknown> = (raw, { name }, { row, findings }) => {
  if (typeof raw === "boolean") {
    row.texts.set(name, String(raw));
    return;
  }
  row.unread.add(name);
  findings.say("BOOL", { field: name, value: shown(raw), isMild: !isEligibilityFlag(name) });
};

/** The flags that decide whether a row is used at all. */
export function isEligibilityFlag(name: string): boolean {
  return name === "is_eligible_search" || name === "is_eligible_checkout" || name === "is_ads_eligible";
}

const jsonInteger: Unwrap<unknown> = (raw, { name }, { row, findings }) => {
  if (typeof raw !== "number") findings.say("TYPE", { field: name, value: shown(raw), isMild: true });
  if (typeof raw === "number" || typeof raw === "string") row.texts.set(name, String(raw));
};

const jsonList: Unwrap<unknown> = (raw, field, into) => {
  const isList = Array.isArray(raw) && raw.every((one) => typeof one === "string");
  if (isList) {
    into.row.lists.set(field.name, raw);
    return;
  }
  into.findings.say("TYPE", { field: field.name, value: shown(raw), isMild: true });
  if (typeof raw === "string") asList(raw, field, into);
  else into.row.unread.add(field.name);
};

const VALUES: Readonly<Record<OpenaiKind, Unwrap<unknown>>> = {
  text: jsonText,
  url: jsonText,
  urls: jsonList,
  money: jsonText,
  word: jsonText,
  boolean: jsonFlag,
  integer: jsonInteger,
  decimal: jsonText,
  object: asObject,
  countries: jsonList,
};

/** A JSON value that is neither null nor a blank text. */
export const unwrapValue: Unwrap<unknown> = (raw, field, into) => VALUES[field.kind](raw, field, into);
