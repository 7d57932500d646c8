/**
 * Every setting of a catalog: how it is written as text, when it is right, and the sentence that explains it. The
 * command line's options come from this table, and so will forms.
 */
import { isCurrency } from "../catalog/currency.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { FieldProblem } from "../errors.ts";

type Value = string | number | boolean | readonly string[];

type Entry<T extends Value> = {
  /** What stands for the value in a usage line. */
  readonly placeholder: string;
  readonly help: string;
  /** Undefined if the text is no such value. */
  readonly read: (text: string) => T | undefined;
  readonly isRight: (value: T) => boolean;
  readonly complaint: string;
};

type SettingKey = keyof CatalogSettings;

const text = (help: string, placeholder: string): Entry<string> => ({
  placeholder,
  help,
  read: (given) => given,
  isRight: (value) => value.trim() !== "" && value.length <= 200,
  complaint: "must have 1 to 200 characters",
});

const address = (help: string): Entry<string> => ({
  placeholder: "url",
  help,
  read: (given) => given,
  isRight: (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  complaint: "must be an http or https address",
});

const YES_NO: Readonly<Record<string, boolean>> = { yes: true, no: false };

const yesNo = (help: string): Entry<boolean> => ({
  placeholder: "yes|no",
  help,
  read: (given) => YES_NO[given.toLowerCase()],
  isRight: () => true,
  complaint: "must be yes or no",
});

const isCountry = (code: string): boolean => /^[A-Z]{2}$/.test(code);

export const CATALOG_SETTINGS: { readonly [K in SettingKey]-?: Entry<NonNullable<CatalogSettings[K]>> } = {
  currency: {
    ...text("currency of prices that name none, e.g. USD", "code"),
    isRight: isCurrency,
    complaint: "must be an ISO 4217 code such as USD",
  },
  country: {
    ...text("where the shop sells, e.g. US", "code"),
    isRight: isCountry,
    complaint: "must be an ISO 3166-1 code such as US",
  },
  language: {
    ...text("language of the texts, e.g. en", "code"),
    isRight: (value) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value),
    complaint: "must be a language code such as en or de-AT",
  },
  sellerName: text("who sells; the catalog's name if not given", "name"),
  defaultBrand: text("brand of items that name none", "name"),
  storeUrl: address("the shop's address"),
  privacyPolicyUrl: address("the shop's privacy policy"),
  termsUrl: address("the shop's terms of service"),
  returnPolicyUrl: address("the shop's return policy"),
  acceptsReturns: yesNo("whether the shop takes returns"),
  returnDays: {
    placeholder: "days",
    help: "days within which it takes them",
    read: (given) => (/^\d+$/.test(given) ? Number(given) : undefined),
    isRight: (value) => Number.isInteger(value) && value >= 1 && value <= 3650,
    complaint: "must be a whole number from 1 to 3650",
  },
  targetCountries: {
    placeholder: "codes",
    help: "countries it sells to, separated by commas",
    read: (given) => given.split(",").map((code) => code.trim()),
    isRight: (codes) => codes.length > 0 && codes.every(isCountry),
    complaint: "must be ISO 3166-1 codes such as US,CA",
  },
  eligibleForSearch: yesNo("whether OpenAI may show the items; yes if not given"),
  eligibleForCheckout: yesNo("whether OpenAI may sell the items; no if not given"),
  eligibleForAds: yesNo("whether OpenAI may advertise the items"),
  escapeFormulas: yesNo(
    "whether cells that begin with = + - @ get an apostrophe, for files that people open in a spreadsheet; no if not given",
  ),
};

export const CATALOG_SETTING_KEYS = Object.keys(CATALOG_SETTINGS) as readonly SettingKey[];

export type SettingTexts = { readonly [K in SettingKey]?: string };

/** Settings from texts; what cannot be read, or is read and wrong, is a problem. */
export function readCatalogSettings(texts: SettingTexts): {
  readonly settings: CatalogSettings;
  readonly problems: readonly FieldProblem[];
} {
  const settings: Partial<Record<SettingKey, Value>> = {};
  const problems: FieldProblem[] = [];
  for (const key of CATALOG_SETTING_KEYS) {
    const given = texts[key];
    if (given === undefined) continue;
    const value = entryOf(key).read(given);
    if (value === undefined) problems.push({ pointer: key, detail: entryOf(key).complaint });
    else settings[key] = value;
  }
  const read = settings as CatalogSettings;
  return { settings: read, problems: [...problems, ...settingProblems(read)] };
}

export function settingProblems(settings: CatalogSettings): readonly FieldProblem[] {
  return CATALOG_SETTING_KEYS.flatMap((key) => {
    const value: Value | undefined = settings[key];
    if (value === undefined || entryOf(key).isRight(value)) return [];
    return [{ pointer: key, detail: entryOf(key).complaint }];
  });
}

/** The table knows each value's own type; a walk over all keys cannot. */
const entryOf = (key: SettingKey): Entry<Value> => CATALOG_SETTINGS[key] as unknown as Entry<Value>;
