/** The catalog's name and settings: what feeds need to know about the shop and items may lack. */
import { CATALOG_SETTINGS, SETTING_NAMES, type SettingKind } from "./catalog-setting-table.ts";
import { Type } from "./type.ts";
import { Data, DateTime, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

type SettingDescription = { readonly description: string; readonly examples?: unknown[] };

const text = (about: SettingDescription) =>
  Nullable(Type.String({ maxLength: 2_000, pattern: "^[^\\u0000]*$", ...about }));

const IncompleteItems = Type.Enum(["write", "leave_out"], { title: "IncompleteItems" });

/** The settings are checked further by `setup/catalog-settings.ts`; null: not set. */
const SCHEMAS = {
  currency: text,
  country: text,
  language: text,
  text,
  url: text,
  answer: (about: SettingDescription) => Nullable(Type.Boolean(about)),
  days: (about: SettingDescription) => Nullable(Type.Integer({ minimum: 1, maximum: 3_650, ...about })),
  countries: (about: SettingDescription) => Nullable(Type.Array(Type.String(), { maxItems: 300, ...about })),
  incomplete_items: (about: SettingDescription) =>
    Nullable(
      Type.Partial(Type.Object({ openai: IncompleteItems, google: IncompleteItems }), {
        additionalProperties: false,
        minProperties: 1,
        ...about,
      }),
    ),
} satisfies Readonly<Record<SettingKind, unknown>>;

type Schemas = {
  [Name in keyof typeof CATALOG_SETTINGS]: ReturnType<
    (typeof SCHEMAS)[(typeof CATALOG_SETTINGS)[Name]["kind"]]
  >;
};

const SETTINGS = Object.fromEntries(
  SETTING_NAMES.map((name) => {
    const { kind, help, example } = { example: undefined, ...CATALOG_SETTINGS[name] };
    const about = { description: help, ...(example !== undefined && { examples: [example] }) };
    return [name, SCHEMAS[kind](about)];
  }),
) as Schemas;

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
