/** The texts of the settings of a catalog. Every setting of the API has a label and a sentence about its effect. */
import type { Settings } from "../../../src/contract/catalog-settings.ts";

type SettingText = {
  readonly label: string;
  /** What it changes in the feeds. */
  readonly help: string;
};

const fields: Readonly<Record<keyof Settings, SettingText>> = {
  currency: {
    label: "Currency",
    help: "For prices without a currency.",
  },
  country: {
    label: "Country",
    help: "Where the shop sells. Shipping rates without a country are for it, and the return policy applies there.",
  },
  language: {
    label: "Language",
    help: "The language of titles and descriptions, such as en or de-AT. In the file for your own page.",
  },
  target_countries: {
    label: "Sells to",
    help: "The countries the shop sells to. In the OpenAI feed, and where the return policy applies.",
  },
  seller_name: {
    label: "Seller",
    help: "Who sells, as customers know you. In every feed that names a seller; the name of the catalog unless set.",
  },
  default_brand: {
    label: "Brand of items without one",
    help: "Leave it empty if the shop sells several brands: a wrong brand is worse than none.",
  },
  store_url: {
    label: "Address of the shop",
    help: "In every feed that names the shop. Relative links of products start here.",
  },
  privacy_policy_url: {
    label: "Privacy policy",
    help: "The address of the page. OpenAI requires it for checkout.",
  },
  terms_url: { label: "Terms of service", help: "The address of the page. OpenAI requires it for checkout." },
  return_policy_url: {
    label: "Return policy",
    help: "The address of the page. In the OpenAI feed and in the file for your own page, for items without a policy of their own.",
  },
  accepts_returns: {
    label: "Accepts returns",
    help: "Whether customers may return what they bought. For items without a policy of their own.",
  },
  return_days: { label: "Days to return", help: "How many days after the purchase, 1 to 3650." },
  eligible_for_search: {
    label: "OpenAI may show the items",
    help: "In search results of ChatGPT. Yes unless set.",
  },
  eligible_for_checkout: {
    label: "OpenAI may sell the items",
    help: "In ChatGPT itself. No unless set; it needs both policies above and an agreement with OpenAI.",
  },
  eligible_for_ads: { label: "OpenAI may advertise the items", help: "Not in the feed unless set." },
  incomplete_items: {
    label: "Incomplete items",
    help: "Items that a platform will refuse are in the files all the same, so that its own report names them. You can leave them out instead.",
  },
  escape_formulas: {
    label: "Protect spreadsheets",
    help: "Cells that begin with = + - @ get an apostrophe, for people who open a feed in a spreadsheet. Channels would show the apostrophe: no unless set.",
  },
};

export const settingTexts = {
  title: "Settings",
  name: "Name of the catalog",
  nameHelp: "For people. The feed URLs do not change with it.",
  slug: "Name in feed URLs",
  created: "Created",
  groups: {
    selling: "Selling",
    policies: "Policies",
    openai: "OpenAI",
    files: "Files",
  },
  fields,
  countries: {
    chosen: (label: string) => `${label}: chosen countries`,
    choose: "Choose a country…",
    add: "Add",
    remove: (country: string) => `Remove ${country}`,
    count: (count: number) => (count === 0 ? "No country is chosen." : `Chosen countries: ${count}.`),
  },
  incompleteItems: {
    "": "Write them into every file",
    openai: "Leave them out of the files for OpenAI",
    google: "Leave them out of the file for Google",
    "openai,google": "Leave them out of both",
  },
  answers: { "": "Not set", true: "Yes", false: "No" },
  save: "Save the changes",
  unchanged: "Nothing was changed yet.",
  effect:
    "After saving, the feeds are rendered with the new settings, and the next sync of each source reads everything again.",
  saved: "Saved. The feeds are rendered with the new settings now.",
  savedName: "Saved.",
  rendered: "Saved, and the feeds were rendered with the new settings.",
  seeFeeds: "See the feeds",
  remove: {
    title: "Remove the catalog",
    note: "Deletes its items, sources, keys, webhooks, history and feeds, for good. The feed URLs stop working at once.",
    label: "Remove this catalog",
    dialogTitle: (name: string) => `Remove “${name}”?`,
    confirm: "Remove for good",
    text: (items: string) =>
      `Its items (${items}), sources, keys, webhooks, history and feeds are deleted. Feed URLs and keys stop working at once. This cannot be undone.`,
    type: (slug: string) => `Type ${slug} to confirm`,
  },
} as const;
