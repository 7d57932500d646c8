/** One setting of the catalog as a field of a form, and the values of the form as the API takes them. */
import type { JSX } from "preact";
import type { Settings } from "../../../src/contract/catalog-settings.ts";
import { settingTexts as t } from "../messages/settings.ts";
import { enteredText, Field } from "./form.tsx";

type Kind = "text" | "code" | "url" | "number" | "codes" | "answer";
export type SettingName = keyof Settings;
type Value = Settings[SettingName];

/** Every setting of the API: how it is entered, and where it is on the page. A missing one is a type error. */
const KINDS: Readonly<Record<SettingName, Kind>> = {
  currency: "code",
  country: "code",
  language: "code",
  target_countries: "codes",
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
  escape_formulas: "answer",
};
const NAMES = Object.keys(KINDS) as readonly SettingName[];

type Group = keyof typeof t.groups;
const groupOf = (name: SettingName): Group => {
  if (name === "escape_formulas") return "spreadsheets";
  if (name.startsWith("eligible_for_")) return "openai";
  return /_policy_url$|^terms_|return/.test(name) ? "policies" : "selling";
};
export const SETTING_GROUPS = (Object.keys(t.groups) as readonly Group[]).map((group) => ({
  title: t.groups[group],
  names: NAMES.filter((name) => groupOf(name) === group),
}));

const asText = (value: Value): string => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));

/** A number that cannot be read stays a text: the API says what is wrong with it. */
const PARSERS: Readonly<Record<Kind, (text: string) => unknown>> = {
  text: (text) => text,
  code: (text) => text,
  url: (text) => text,
  number: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  codes: (text) => text.split(/[\s,]+/).filter((code) => code !== ""),
  answer: (text) => text === "true",
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

export function SettingField({
  name,
  value,
  error,
}: {
  readonly name: SettingName;
  readonly value: Value;
  readonly error: string | undefined;
}): JSX.Element {
  const { label, help } = t.fields[name];
  const kind = KINDS[name];
  return (
    <Field label={label} help={help} error={error}>
      {(attributes) =>
        kind === "answer" ? (
          <select {...attributes} name={name} class="short" defaultValue={asText(value)}>
            {Object.entries(t.answers).map(([answer, text]) => (
              <option key={answer} value={answer}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...attributes}
            name={name}
            defaultValue={asText(value)}
            class={kind === "code" || kind === "number" ? "short" : ""}
            inputMode={kind === "number" ? "numeric" : kind === "url" ? "url" : "text"}
            spellcheck={false}
            maxLength={2000}
          />
        )
      }
    </Field>
  );
}
