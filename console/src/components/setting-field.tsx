/** One setting of the catalog as a field of a form, and the values of the form as the API takes them. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Settings } from "../../../src/contract/catalog-settings.ts";
import { countries, currencies } from "../codes.ts";
import { settingTexts as t } from "../messages/settings.ts";
import { CountriesField, joinCodes, splitCodes } from "./countries-field.tsx";
import { SelectField, TextField } from "./fields.tsx";
import { enteredText } from "./form.tsx";
import type { Option } from "./fields.tsx";

type Kind =
  | "text"
  | "code"
  | "url"
  | "number"
  | "answer"
  | "currency"
  | "country"
  | "countries"
  | "incomplete";
export type SettingName = keyof Settings;
type Value = Settings[SettingName];

/** Every setting of the API: how it is entered, and where it is on the page. A missing one is a type error. */
const KINDS: Readonly<Record<SettingName, Kind>> = {
  currency: "currency",
  country: "country",
  language: "code",
  target_countries: "countries",
  seller_name: "text",
  default_brand: "text",
  store_url: "url",
  privacy_policy_url: "url",
  terms_url: "url",
  return_policy_url: "url",
  accepts_returns: "answer",
  return_days: "number",
  eligible_for_search: "answer",
  eligible_for_checkout: "answer",
  eligible_for_ads: "answer",
  incomplete_items: "incomplete",
  escape_formulas: "answer",
};
const NAMES = Object.keys(KINDS) as readonly SettingName[];

type Group = keyof typeof t.groups;
const groupOf = (name: SettingName): Group => {
  if (name === "escape_formulas" || name === "incomplete_items") return "files";
  if (name.startsWith("eligible_for_")) return "openai";
  return /_policy_url$|^terms_|return/.test(name) ? "policies" : "selling";
};
export const SETTING_GROUPS = (Object.keys(t.groups) as readonly Group[]).map((group) => ({
  title: t.groups[group],
  names: NAMES.filter((name) => groupOf(name) === group),
}));

function asText(value: Value): string {
  if (Array.isArray(value)) return joinCodes(value);
  return value !== null && typeof value === "object" ? leftOutChannels(value) : String(value ?? "");
}

/** The channels whose incomplete items are left out, as the choices of the field name them. */
const leftOutChannels = (value: object): string =>
  ["openai", "google"].filter((channel) => Reflect.get(value, channel) === "leave_out").join(",");

/** A number that cannot be read stays a text: the API says what is wrong with it. */
const PARSERS: Readonly<Record<Kind, (text: string) => unknown>> = {
  text: (text) => text,
  code: (text) => text,
  currency: (text) => text,
  country: (text) => text,
  url: (text) => text,
  number: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  countries: splitCodes,
  answer: (text) => text === "true",
  incomplete: (text) => Object.fromEntries(splitCodes(text).map((channel) => [channel, "leave_out"])),
};

/** Those of the settings that the form has changed; null clears one. */
export function changedSettings(form: FormData, before: Settings): Readonly<Record<string, unknown>> {
  const changed = NAMES.flatMap((name) => {
    const text = enteredText(form, name);
    if (text === asText(before[name])) return [];
    return [[name, text === "" ? null : PARSERS[KINDS[name]](text)] as const];
  });
  return Object.fromEntries(changed);
}

/** The choices of those settings that have some. A stored code that is no longer in use stays one. */
function choicesOf(kind: Kind, stored: string): readonly Option[] | null {
  if (kind === "answer") return Object.entries(t.answers);
  if (kind === "incomplete") return Object.entries(t.incompleteItems);
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
  const kind = KINDS[name];
  const field = { ...t.fields[name], pointer: `/settings/${name}`, name, defaultValue: asText(value) };
  const choices = useMemo(() => choicesOf(kind, field.defaultValue), [kind, field.defaultValue]);
  if (kind === "countries") return <CountriesField {...field} />;
  if (choices) return <SelectField {...field} class={kind === "answer" ? "short" : ""} options={choices} />;
  return (
    <TextField
      {...field}
      class={kind === "code" || kind === "number" ? "short" : ""}
      inputMode={kind === "number" ? "numeric" : kind === "url" ? "url" : "text"}
      maxLength={2000}
    />
  );
}
