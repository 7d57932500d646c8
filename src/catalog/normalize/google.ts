/**
 * The attributes that are for Google alone. Each value is brought into the form that Google documents. A value of
 * another form is dropped with a warning, and so is a group that lacks a required part. A word that Google does not
 * document is carried as written: dropping it could put an item live that its merchant has paused or excluded.
 */
import {
  GOOGLE_NAMES,
  GOOGLE_TABLE,
  type GoogleGroup,
  type GoogleName,
  type GoogleRawValue,
  type GoogleValue,
  type GoogleValues,
} from "../google-attributes.ts";
import type { GoogleAttribute, GoogleGroupsAttribute } from "../google-form.ts";
import { isBlank } from "../text.ts";
import { type GoogleContext, readForm } from "./google-forms.ts";
import { firstOf, type DraftState, dropWithWarning, warn } from "./fields.ts";

export function readGoogle(state: DraftState, currency: string): GoogleValues | undefined {
  const { google } = state.draft;
  if (google === undefined) return undefined;
  const values: { -readonly [Name in GoogleName]?: GoogleValue } = {};
  for (const name of GOOGLE_NAMES) {
    const raw = google[name]?.filter(isMeaningful) ?? [];
    if (raw.length === 0) continue;
    const value = readAttribute({ state, field: name, currency }, GOOGLE_TABLE[name], raw);
    if (value !== undefined) values[name] = value;
  }
  return Object.keys(values).length === 0 ? undefined : values;
}

function isMeaningful(value: GoogleRawValue): boolean {
  return typeof value === "string" ? !isBlank(value) : Object.values(value).some((text) => !isBlank(text));
}

/** The text of `structured_title` or `structured_description`, for items that have no plain one. */
export function structuredContent(
  { draft }: DraftState,
  name: "structured_title" | "structured_description",
): string | undefined {
  const [group] = draft.google?.[name] ?? [];
  return typeof group === "object" ? group["content"] : undefined;
}

function readAttribute(
  context: GoogleContext,
  attribute: GoogleAttribute,
  raw: readonly GoogleRawValue[],
): GoogleValue | undefined {
  if (attribute.shape === "groups") return readGroups(context, attribute, raw);
  const { state, field } = context;
  const values: string[] = [];
  for (const value of firstOf(state, field, raw, attribute.shape === "one" ? 1 : attribute.most)) {
    const text =
      typeof value === "string" ? readForm(context, value, attribute.form) : dropGroup(context, value);
    if (text !== undefined && !values.includes(text)) values.push(text);
  }
  if (values.length === 0) return undefined;
  return attribute.shape === "one" ? values[0] : values;
}

function dropGroup({ state, field }: GoogleContext, group: GoogleGroup): undefined {
  const problem = "has parts, and the attribute has none";
  return dropWithWarning(state, "invalid_attribute", field, { value: groupText(group), problem });
}

function groupText(group: GoogleGroup): string {
  return Object.values(group).join(":");
}

function readGroups(
  context: GoogleContext,
  attribute: GoogleGroupsAttribute,
  raw: readonly GoogleRawValue[],
): readonly GoogleGroup[] | undefined {
  const { state, field } = context;
  const { most, longest = Number.POSITIVE_INFINITY } = attribute;
  const groups: GoogleGroup[] = [];
  let length = 0;
  for (const value of firstOf(state, field, raw, most)) {
    const group =
      typeof value === "string"
        ? dropUnsplit(context, attribute, value)
        : readGroup(context, attribute, value);
    if (group === undefined) continue;
    length += groupText(group).length;
    if (length > longest) {
      const message = `${field} has more than ${longest} characters; ${groups.length} of ${raw.length} values are kept.`;
      warn(state, "too_many_values", field, message);
      break;
    }
    groups.push(group);
  }
  return groups.length === 0 ? undefined : groups;
}

function dropUnsplit(
  { state, field }: GoogleContext,
  { parts }: GoogleGroupsAttribute,
  value: string,
): undefined {
  const header = `${field}(${Object.keys(parts).join(":")})`;
  const problem = `cannot be split into its parts; name those you use in the column's header, as in ${header}, and quote values that have a colon or a comma`;
  return dropWithWarning(state, "invalid_attribute", field, { value, problem });
}

function readGroup(
  context: GoogleContext,
  { parts, anyOf, exclusive }: GoogleGroupsAttribute,
  raw: GoogleGroup,
): GoogleGroup | undefined {
  const group: Record<string, string> = {};
  for (const [name, { form, isRequired }] of Object.entries(parts)) {
    const text = raw[name] ?? "";
    const part = { ...context, field: `${context.field}.${name}` };
    const value = isBlank(text) ? undefined : readForm(part, text, form);
    if (value !== undefined) group[name] = value;
    else if (isRequired) return dropIncomplete(context, name, raw);
  }
  if (anyOf?.every((name) => group[name] === undefined) === true)
    return dropIncomplete(context, anyOf.join(" or "), raw);
  if (exclusive.filter((name) => group[name] !== undefined).length > 1)
    return dropContradictory(context, exclusive, raw);
  warnOfUnknownParts(context, parts, raw);
  return Object.keys(group).length === 0 ? undefined : group;
}

function dropIncomplete({ state, field }: GoogleContext, part: string, group: GoogleGroup): undefined {
  const problem = `lacks a usable ${part}`;
  return dropWithWarning(state, "incomplete_value", field, { value: groupText(group), problem });
}

function dropContradictory(
  { state, field }: GoogleContext,
  exclusive: readonly string[],
  group: GoogleGroup,
): undefined {
  const problem = `has more than one of ${exclusive.join(", ")}`;
  return dropWithWarning(state, "invalid_attribute", field, { value: groupText(group), problem });
}

function warnOfUnknownParts(
  { state, field }: GoogleContext,
  parts: GoogleGroupsAttribute["parts"],
  raw: GoogleGroup,
): void {
  const problem = "is not a part that Google documents";
  for (const [name, text] of Object.entries(raw)) {
    if (!Object.hasOwn(parts, name) && !isBlank(text))
      dropWithWarning(state, "invalid_attribute", field, { value: name, problem });
  }
}
