/**
 * One row, whatever file it came from: single values as text, lists and objects as such. What was in the file but
 * cannot be read as the field's kind is not here; it is reported already.
 */
import type { Findings } from "../../kit/validate/findings.ts";
import { isObject, shown } from "../../kit/validate/json-records.ts";
import type { OpenaiKind } from "../fields.ts";
import { ALIASES, OPENAI_FIELDS, type OpenaiField } from "./names.ts";
import type { OpenaiRule } from "./rules.ts";

export type OpenaiFindings = Findings<OpenaiRule>;

const NONE: ReadonlySet<string> = new Set();

export class OpenaiRow {
  readonly line: number;
  /** Columns the file does not have at all; that is reported once. */
  readonly absent: ReadonlySet<string>;
  readonly texts = new Map<string, string>();
  readonly lists = new Map<string, readonly string[]>();
  readonly objects = new Map<string, ReadonlyMap<string, string>>();
  /** Values that were given and could not be read. */
  readonly unread = new Set<string>();

  constructor(line: number, absent = NONE) {
    this.line = line;
    this.absent = absent;
  }

  text(name: string): string | undefined {
    return this.texts.get(name);
  }

  list(name: string): readonly string[] | undefined {
    return this.lists.get(name);
  }

  object(name: string): ReadonlyMap<string, string> | undefined {
    return this.objects.get(name);
  }

  /** Whether the field has some value, readable or not. */
  has(name: string): boolean {
    return this.texts.has(name) || this.lists.has(name) || this.objects.has(name) || this.unread.has(name);
  }

  isTrue(name: string): boolean {
    return this.texts.get(name) === "true";
  }
}

export type RowCheck = (row: OpenaiRow, findings: OpenaiFindings) => void;

/** A value under a name that is in the file; undefined, null and blank texts are no values. */
export type RawRow = (name: string) => unknown;

export type Given = { readonly field: OpenaiField; readonly raw: unknown };

type Slot = { readonly field: OpenaiField; readonly names: readonly string[] };

const SLOTS: readonly Slot[] = [...OPENAI_FIELDS.values()].map((field) => ({
  field,
  names: ALIASES[field.name] ?? [field.name],
}));

/** The fields that a file with these names can fill; for a file whose rows all have the same names. */
export function slotsFor(names: ReadonlySet<string>): readonly Slot[] {
  return SLOTS.map(({ field, names: all }) => ({
    field,
    names: all.filter((name) => names.has(name)),
  })).filter((slot) => slot.names.length > 0);
}

export function* givenIn(
  raw: RawRow,
  findings: OpenaiFindings,
  slots: readonly Slot[] = SLOTS,
): Generator<Given, void, void> {
  for (const { field, names } of slots) {
    const given = names.length === 1 ? raw(names[0] ?? "") : winner(raw, names, findings);
    if (!isNothing(given)) yield { field, raw: given };
  }
}

function winner(raw: RawRow, names: readonly string[], findings: OpenaiFindings): unknown {
  const [first, ...others] = names.filter((name) => !isNothing(raw(name)));
  if (first === undefined) return undefined;
  const value = raw(first);
  for (const other of others) {
    const given = shown(raw(other));
    if (given === shown(value)) continue;
    const detail = `\`${first}\` says otherwise, and counts.`;
    findings.say("ALIAS", { field: other, value: given, detail });
  }
  return value;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

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
