/**
 * From the names in a file to the fields of a row. OpenAI reads some fields under several names: the winner's value
 * is taken, and another that disagrees is reported.
 */
import { shown } from "../../kit/validate/checks/json.ts";
import { OPENAI_FIELDS, ALIASES, type OpenaiField } from "./names.ts";
import type { OpenaiFindings } from "./row.ts";

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
