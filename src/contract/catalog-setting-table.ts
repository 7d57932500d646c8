/**
 * Every setting of a catalog, declared once: its kind, its label in the console, what it does, and an example. The
 * schemas of the API, the options of the command line, the checks and the form of the console come from this table. It
 * imports nothing, for the browser.
 */
export type SettingKind =
  | "currency"
  | "country"
  | "countries"
  | "language"
  | "text"
  | "url"
  | "days"
  | "answer"
  | "incomplete_items";

type Setting = {
  readonly kind: SettingKind;
  readonly label: string;
  readonly help: string;
  readonly example?: unknown;
};

const policy = (label: string, help: string, page: string) =>
  ({ kind: "url", label, help, example: `https://shop.example/${page}` }) as const;
const answer = (label: string, help: string) => ({ kind: "answer", label, help }) as const;

export const CATALOG_SETTINGS = {
  currency: {
    kind: "currency",
    label: "Currency",
    help: "Currency of prices without one, ISO 4217. A catalog always has one; without a value it is that of its country.",
    example: "USD",
  },
  country: {
    kind: "country",
    label: "Country",
    help: "Where the shop sells, ISO 3166-1. Shipping rates without a country are for it, and the return policy applies there.",
    example: "US",
  },
  language: {
    kind: "language",
    label: "Language",
    help: "Language of titles and descriptions, such as en or de-AT. In the file for your own page.",
    example: "en",
  },
  target_countries: {
    kind: "countries",
    label: "Sells to",
    help: "Countries the shop sells to, ISO 3166-1. In the OpenAI feed, and where the return policy applies.",
    example: ["US", "CA"],
  },
  seller_name: {
    kind: "text",
    label: "Seller",
    help: "Who sells, as customers know you. In every feed that names a seller; the name of the catalog unless set.",
    example: "Kiln & Co.",
  },
  default_brand: {
    kind: "text",
    label: "Brand of items without one",
    help: "Brand of items without one. Leave it empty if the shop sells several brands: a wrong brand is worse than none.",
    example: "Kiln",
  },
  store_url: {
    kind: "url",
    label: "Address of the shop",
    help: "The shop's address. In every feed that names the shop. Relative links of products start here.",
    example: "https://shop.example",
  },
  privacy_policy_url: policy(
    "Privacy policy",
    "The shop's privacy policy, the address of the page. OpenAI requires it for checkout.",
    "privacy",
  ),
  terms_url: policy(
    "Terms of service",
    "The shop's terms of service, the address of the page. OpenAI requires it for checkout.",
    "terms",
  ),
  return_policy_url: policy(
    "Return policy",
    "The shop's return policy, the address of the page. In the OpenAI feed and in the file for your own page, for items without a policy of their own.",
    "returns",
  ),
  accepts_returns: answer(
    "Accepts returns",
    "Whether the shop accepts returns. For items without a policy of their own.",
  ),
  return_days: {
    kind: "days",
    label: "Days to return",
    help: "How many days after the purchase items may be returned, 1 to 3650.",
  },
  eligible_for_search: answer(
    "OpenAI may show the items",
    "Whether OpenAI may show the items in search results of ChatGPT. Yes unless set.",
  ),
  eligible_for_checkout: answer(
    "OpenAI may sell the items",
    "Whether OpenAI may sell the items in ChatGPT itself. No unless set; it needs both policies above and an agreement with OpenAI.",
  ),
  eligible_for_ads: answer(
    "OpenAI may advertise the items",
    "Whether OpenAI may advertise the items. Not in the feed unless set.",
  ),
  incomplete_items: {
    kind: "incomplete_items",
    label: "Incomplete items",
    help: "What happens to items that a platform will refuse: they are in the files all the same (`write`), so that its own report names them, or are left out (`leave_out`). Write unless set.",
    example: { google: "leave_out" },
  },
  escape_formulas: answer(
    "Protect spreadsheets",
    "Whether cells that begin with = + - @ get an apostrophe, for people who open a feed in a spreadsheet. Channels would show the apostrophe: no unless set.",
  ),
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof CATALOG_SETTINGS;
export const SETTING_NAMES = Object.keys(CATALOG_SETTINGS) as readonly SettingName[];
