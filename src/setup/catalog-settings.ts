/**
 * Reads the settings of a catalog from texts and checks them, by their kinds in `contract/catalog-setting-table.ts`.
 */
import type { CatalogSettings } from "../catalog/settings.ts";
import { CATALOG_SETTINGS, SETTING_NAMES, type SettingKind } from "../contract/catalog-setting-table.ts";
import { COUNTRY_CODES, CURRENCY_CODES } from "../contract/codes.ts";
import type { FieldProblem } from "../errors.ts";
import { ownValue } from "../lib/own-value.ts";
import { camelCase } from "../lib/snake-case.ts";

type SettingKey = keyof CatalogSettings;
type SettingValue = NonNullable<CatalogSettings[SettingKey]>;

type Kind = {
  /** The placeholder of the value in a usage line. */
  readonly placeholder: string;
  /** Undefined if the text cannot be parsed. By default the text is the value. */
  readonly read?: (text: string) => SettingValue | undefined;
  readonly isValid: (value: never) => boolean;
  /** Follows the name of the setting: "must be …". */
  readonly problem: string;
};

const YES_NO: Readonly<Record<string, boolean>> = { yes: true, no: false };

const isCountry = (code: string): boolean => COUNTRY_CODES.includes(code);

const KINDS: Readonly<Record<SettingKind, Kind>> = {
  currency: {
    placeholder: "code",
    isValid: (code: string) => CURRENCY_CODES.includes(code),
    problem: "must be the code of a current currency, three capital letters, such as USD or EUR",
  },
  country: {
    placeholder: "code",
    isValid: isCountry,
    problem: "must be the code of a current country, two capital letters, such as US or DE",
  },
  countries: {
    placeholder: "code,code",
    read: (input) => input.split(",").map((code) => code.trim()),
    isValid: (codes: readonly string[]) => codes.length > 0 && codes.every(isCountry),
    problem: "must be codes of current countries, two capital letters each, such as US,CA",
  },
  language: {
    placeholder: "code",
    isValid: (value: string) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value),
    problem: "must be a language code, such as en or de-AT",
  },
  text: {
    placeholder: "name",
    isValid: (value: string) => value.trim() !== "" && value.length <= 200,
    problem: "must have 1 to 200 characters, not only spaces",
  },
  url: {
    placeholder: "url",
    isValid: (value: string) => /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
    problem: "must be an http or https address in full, such as https://shop.example/",
  },
  days: {
    placeholder: "days",
    read: (input) => (/^\d+$/.test(input) ? Number(input) : undefined),
    isValid: (value: number) => Number.isInteger(value) && value >= 1 && value <= 3650,
    problem: "must be a whole number from 1 to 3650",
  },
  answer: {
    placeholder: "yes|no",
    read: (input) => ownValue(YES_NO, input.toLowerCase()),
    isValid: () => true,
    problem: "must be yes or no",
  },
  incomplete_items: {
    placeholder: "google=leave_out,openai=leave_out",
    read: (input) =>
      Object.fromEntries(input.split(",").map((pair) => pair.split("=").map((part) => part.trim()))),
    // The texts of the command line come here unchecked.
    isValid: (choices: object) =>
      Object.keys(choices).length > 0 &&
      Object.entries(choices).every(
        ([channel, choice]) =>
          ["openai", "google"].includes(channel) && ["write", "leave_out"].includes(choice as string),
      ),
    problem: "must be channels with write or leave_out, such as google=leave_out,openai=write",
  },
};

export const CATALOG_SETTING_KEYS: readonly SettingKey[] = SETTING_NAMES.map(camelCase);

/** The usage line of the setting and what it does, for the options of the command line. */
export const SETTING_OPTIONS = SETTING_NAMES.map((name) => {
  const { kind, help } = CATALOG_SETTINGS[name];
  return { key: camelCase(name), placeholder: KINDS[kind].placeholder, help };
});

const KIND_OF = new Map(SETTING_NAMES.map((name) => [camelCase(name), KINDS[CATALOG_SETTINGS[name].kind]]));

export type SettingTexts = { readonly [K in SettingKey]?: string };

/** Parses settings; what cannot be parsed or is invalid is a problem. */
export function readCatalogSettings(texts: SettingTexts): {
  readonly settings: CatalogSettings;
  readonly problems: readonly FieldProblem[];
} {
  const settings: Partial<Record<SettingKey, SettingValue>> = {};
  const problems: FieldProblem[] = [];
  for (const [key, { read = (text: string) => text, problem }] of KIND_OF) {
    const input = texts[key];
    if (input === undefined) continue;
    const value = read(input);
    if (value === undefined) problems.push({ pointer: key, detail: problem });
    else settings[key] = value;
  }
  const read = settings as CatalogSettings;
  return { settings: read, problems: [...problems, ...settingProblems(read)] };
}

export function settingProblems(settings: CatalogSettings): readonly FieldProblem[] {
  return [...KIND_OF].flatMap(([key, { isValid, problem }]) => {
    const value = settings[key];
    return value === undefined || isValid(value as never) ? [] : [{ pointer: key, detail: problem }];
  });
}
