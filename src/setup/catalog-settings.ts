/**
 * Every setting of a catalog: how its text is parsed, when it is valid, and its help. The options of the command line
 * come from this table.
 */
import { type CatalogSettings, INCOMPLETE_ITEMS, INCOMPLETE_ITEMS_CHANNELS } from "../catalog/settings.ts";
import { COUNTRY_CODES, CURRENCY_CODES } from "../contract/codes.ts";
import type { FieldProblem } from "../errors.ts";
import { ownValue } from "../lib/own-value.ts";

type Value = string | number | boolean | readonly string[] | NonNullable<CatalogSettings["incompleteItems"]>;

type Entry<T extends Value> = {
  /** The placeholder of the value in a usage line. */
  readonly placeholder: string;
  readonly help: string;
  /** Undefined if the text cannot be parsed. */
  readonly read: (text: string) => T | undefined;
  readonly isValid: (value: T) => boolean;
  /** Follows the name of the setting: "must be …". */
  readonly problem: string;
};

type SettingKey = keyof CatalogSettings;

const text = (help: string, placeholder: string): Entry<string> => ({
  placeholder,
  help,
  read: (input) => input,
  isValid: (value) => value.trim() !== "" && value.length <= 200,
  problem: "must have 1 to 200 characters, not only spaces",
});

const address = (help: string): Entry<string> => ({
  placeholder: "url",
  help,
  read: (input) => input,
  isValid: (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  problem: "must be an http or https address in full, such as https://shop.example/",
});

const YES_NO: Readonly<Record<string, boolean>> = { yes: true, no: false };

const yesNo = (help: string): Entry<boolean> => ({
  placeholder: "yes|no",
  help,
  read: (input) => ownValue(YES_NO, input.toLowerCase()),
  isValid: () => true,
  problem: "must be yes or no",
});

/** The texts of the command line come here unchecked. */
function isIncompleteItems(value: object): boolean {
  const choices = Object.entries(value);
  return (
    choices.length > 0 &&
    choices.every(
      ([channel, choice]) =>
        INCOMPLETE_ITEMS_CHANNELS.some((known) => known === channel) &&
        INCOMPLETE_ITEMS.some((known) => known === choice),
    )
  );
}

const isCountry = (code: string): boolean => COUNTRY_CODES.includes(code);

export const CATALOG_SETTINGS: { readonly [K in SettingKey]-?: Entry<NonNullable<CatalogSettings[K]>> } = {
  currency: {
    ...text("currency of prices without one, e.g. USD", "code"),
    isValid: (code) => CURRENCY_CODES.includes(code),
    problem: "must be the code of a current currency, three capital letters, such as USD or EUR",
  },
  country: {
    ...text("where the shop sells, e.g. US", "code"),
    isValid: isCountry,
    problem: "must be the code of a current country, two capital letters, such as US or DE",
  },
  language: {
    ...text("language of the texts, e.g. en", "code"),
    isValid: (value) => /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value),
    problem: "must be a language code, such as en or de-AT",
  },
  sellerName: text("who sells; default: the catalog's name", "name"),
  defaultBrand: text("brand of items without one", "name"),
  storeUrl: address("the shop's address"),
  privacyPolicyUrl: address("the shop's privacy policy"),
  termsUrl: address("the shop's terms of service"),
  returnPolicyUrl: address("the shop's return policy"),
  acceptsReturns: yesNo("whether the shop accepts returns"),
  returnDays: {
    placeholder: "days",
    help: "how many days after the purchase",
    read: (input) => (/^\d+$/.test(input) ? Number(input) : undefined),
    isValid: (value) => Number.isInteger(value) && value >= 1 && value <= 3650,
    problem: "must be a whole number from 1 to 3650",
  },
  targetCountries: {
    placeholder: "codes",
    help: "countries it sells to, separated by commas",
    read: (input) => input.split(",").map((code) => code.trim()),
    isValid: (codes) => codes.length > 0 && codes.every(isCountry),
    problem: "must be codes of current countries, two capital letters each, such as US,CA",
  },
  eligibleForSearch: yesNo("whether OpenAI may show the items; default: yes"),
  eligibleForCheckout: yesNo("whether OpenAI may sell the items; default: no"),
  eligibleForAds: yesNo("whether OpenAI may advertise the items"),
  incompleteItems: {
    placeholder: "channel=leave_out",
    help: "for openai or google: leave out the items that the channel will refuse, instead of writing them; separated by commas",
    read: (input) =>
      Object.fromEntries(input.split(",").map((pair) => pair.split("=").map((part) => part.trim()))),
    isValid: isIncompleteItems,
    problem: "must be channels with write or leave_out, such as google=leave_out,openai=write",
  },
  escapeFormulas: yesNo(
    "whether cells that begin with = + - @ get an apostrophe, for files that are opened in a spreadsheet; default: no",
  ),
};

export const CATALOG_SETTING_KEYS = Object.keys(CATALOG_SETTINGS) as readonly SettingKey[];

export type SettingTexts = { readonly [K in SettingKey]?: string };

/** Parses settings; what cannot be parsed or is invalid is a problem. */
export function readCatalogSettings(texts: SettingTexts): {
  readonly settings: CatalogSettings;
  readonly problems: readonly FieldProblem[];
} {
  const settings: Partial<Record<SettingKey, Value>> = {};
  const problems: FieldProblem[] = [];
  for (const key of CATALOG_SETTING_KEYS) {
    const input = texts[key];
    if (input === undefined) continue;
    const value = entryOf(key).read(input);
    if (value === undefined) problems.push({ pointer: key, detail: entryOf(key).problem });
    else settings[key] = value;
  }
  const read = settings as CatalogSettings;
  return { settings: read, problems: [...problems, ...settingProblems(read)] };
}

export function settingProblems(settings: CatalogSettings): readonly FieldProblem[] {
  return CATALOG_SETTING_KEYS.flatMap((key) => {
    const value: Value | undefined = settings[key];
    if (value === undefined || entryOf(key).isValid(value)) return [];
    return [{ pointer: key, detail: entryOf(key).problem }];
  });
}

/** The table types each value; a loop over all keys cannot. */
const entryOf = (key: SettingKey): Entry<Value> => CATALOG_SETTINGS[key] as unknown as Entry<Value>;
