/** The texts of the page of settings. The labels of the settings are in the contract's table. */
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
