/** One setting of the catalog as a field of a form, and the values of the form as the API takes them. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import {
  CATALOG_SETTINGS,
  SETTING_NAMES,
  type SettingKind as Kind,
  type SettingName,
} from "../../../src/contract/catalog-setting-table.ts";
import type { Settings } from "../../../src/contract/catalog-settings.ts";
import { countries, currencies } from "../codes.ts";
import { settingTexts as t } from "../messages/settings.ts";
import { CountriesField, joinCodes, splitCodes } from "./countries-field.tsx";
import { SelectField, TextField } from "./fields.tsx";
import { enteredText } from "./form.tsx";
import type { SelectOption } from "./fields.tsx";

type Value = Settings[SettingName];

type Group = keyof typeof t.groups;
const groupOf = (name: SettingName): Group => {
  if (name === "escape_formulas" || name === "incomplete_items") return "files";
  if (name.startsWith("eligible_for_")) return "openai";
  return /_policy_url$|^terms_|return/.test(name) ? "policies" : "selling";
};
export const SETTING_GROUPS = (Object.keys(t.groups) as readonly Group[]).map((group) => ({
  title: t.groups[group],
  names: SETTING_NAMES.filter((name) => groupOf(name) === group),
}));

function asText(value: Value): string {
  if (Array.isArray(value)) return joinCodes(value);
  return value !== null && typeof value === "object" ? leftOutChannels(value) : String(value ?? "");
}

/** The channels whose incomplete items are left out, as the choices of the field name them. */
const leftOutChannels = (value: object): string =>
  ["openai", "google"].filter((channel) => Reflect.get(value, channel) === "leave_out").join(",");

const asEntered = (text: string): string => text;

/** A number that cannot be read stays a text: the API says what is wrong with it. */
const PARSERS: Readonly<Record<Kind, (text: string) => unknown>> = {
  text: asEntered,
  language: asEntered,
  currency: asEntered,
  country: asEntered,
  url: asEntered,
  days: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  countries: splitCodes,
  answer: (text) => text === "true",
  incomplete_items: (text) => Object.fromEntries(splitCodes(text).map((channel) => [channel, "leave_out"])),
};

/** Those of the settings that the form has changed; null clears one. */
export function changedSettings(form: FormData, before: Settings): Readonly<Record<string, unknown>> {
  const changed = SETTING_NAMES.flatMap((name) => {
    const text = enteredText(form, name);
    if (text === asText(before[name])) return [];
    return [[name, text === "" ? null : PARSERS[CATALOG_SETTINGS[name].kind](text)] as const];
  });
  return Object.fromEntries(changed);
}

/** The choices of those settings that have some. A stored code that is no longer in use stays one. */
function choicesOf(kind: Kind, stored: string): readonly SelectOption[] | null {
  if (kind === "answer") return Object.entries(t.answers);
  if (kind === "incomplete_items") return Object.entries(t.incompleteItems);
  if (kind !== "currency" && kind !== "country") return null;
  const codes = kind === "currency" ? currencies() : countries();
  const isListed = stored === "" || codes.some(([code]) => code === stored);
  return [["", t.answers[""]], ...(isListed ? [] : [[stored, stored] as const]), ...codes];
}

export function SettingField({
  name,
  value,
}: {
  readonly name: SettingName;
  readonly value: Value;
}): JSX.Element {
  const { kind, label, help } = CATALOG_SETTINGS[name];
  const field = { label, help, pointer: `/settings/${name}`, name, defaultValue: asText(value) };
  const choices = useMemo(() => choicesOf(kind, field.defaultValue), [kind, field.defaultValue]);
  if (kind === "countries") return <CountriesField {...field} />;
  if (choices) return <SelectField {...field} class={kind === "answer" ? "short" : ""} options={choices} />;
  return (
    <TextField
      {...field}
      class={kind === "language" || kind === "days" ? "short" : ""}
      inputMode={kind === "days" ? "numeric" : kind === "url" ? "url" : "text"}
      maxLength={2000}
    />
  );
}
