/** The catalog's name and settings: what feeds need to know about the shop and items may lack. */
import { Type } from "./type.ts";
import { Data, DateTime, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const text = (description: string, examples: readonly string[]) =>
  Nullable(Type.String({ maxLength: 2_000, pattern: "^[^\\u0000]*$", description, examples: [...examples] }));
const yesNo = (description: string) => Nullable(Type.Boolean({ description }));

const IncompleteItems = Type.Enum(["write", "leave_out"], { title: "IncompleteItems" });

/** One entry for each setting that the command line can set; null: not set. */
export const SETTINGS = {
  currency: text(
    "Currency of prices without one, ISO 4217. A catalog always has one; null is that of its country.",
    ["USD"],
  ),
  country: text("Where the shop sells, ISO 3166-1.", ["US"]),
  language: text("Language of the texts.", ["en"]),
  seller_name: text("Who sells. The catalog's name unless set.", ["Kiln & Co."]),
  default_brand: text("Brand of items without one.", ["Kiln"]),
  store_url: text("The shop's address.", ["https://shop.example"]),
  privacy_policy_url: text("The shop's privacy policy.", ["https://shop.example/privacy"]),
  terms_url: text("The shop's terms of service.", ["https://shop.example/terms"]),
  return_policy_url: text("The shop's return policy.", ["https://shop.example/returns"]),
  accepts_returns: yesNo("Whether the shop accepts returns."),
  return_days: Nullable(
    Type.Integer({ minimum: 1, maximum: 3_650, description: "How many days after the purchase." }),
  ),
  target_countries: Nullable(
    Type.Array(Type.String(), {
      maxItems: 300,
      description: "Countries it sells to, ISO 3166-1.",
      examples: [["US", "CA"]],
    }),
  ),
  eligible_for_search: yesNo("Whether OpenAI may show the items. Yes unless set."),
  eligible_for_checkout: yesNo("Whether OpenAI may sell the items. No unless set."),
  eligible_for_ads: yesNo("Whether OpenAI may advertise the items."),
  incomplete_items: Nullable(
    Type.Partial(Type.Object({ openai: IncompleteItems, google: IncompleteItems }), {
      additionalProperties: false,
      minProperties: 1,
      description:
        "By channel, what happens to items that the channel will refuse: `write` (the default) puts them into the files all the same, `leave_out` leaves them out.",
      examples: [{ google: "leave_out" }],
    }),
  ),
  escape_formulas: yesNo(
    "Whether cells that begin with = + - @ get an apostrophe, for files that are opened in a spreadsheet. No unless set.",
  ),
};

const Settings = Type.Object(SETTINGS, { title: "CatalogSettings" });
export type Settings = Wire<typeof Settings>;

export const ChangedSettings = Type.Partial(Type.Object(SETTINGS), {
  title: "ChangedCatalogSettings",
  additionalProperties: false,
  minProperties: 1,
  description: "Only those that change; null clears one.",
  examples: [{ currency: "EUR", default_brand: null }],
});
export type ChangedSettings = Wire<typeof ChangedSettings>;

export const ChangeCatalog = Type.Object(
  {
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$" }),
    ),
    settings: Type.Optional(ChangedSettings),
  },
  { title: "ChangeCatalog", additionalProperties: false, minProperties: 1 },
);

export const CatalogSettingsAnswer = Data(
  Type.Object(
    {
      id: Uuid,
      slug: Type.String({ description: "Its name in feed URLs. It cannot be changed." }),
      name: Type.String({ description: "Its name for people." }),
      settings: Settings,
      item_count: Type.Integer(),
      created_at: DateTime,
    },
    { title: "Catalog" },
  ),
  "The catalog with all of its settings.",
);
