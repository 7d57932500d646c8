/**
 * A pushed product, for the OpenAPI document and generated clients. Bodies are not validated against it: they may be
 * larger than memory, and the reader is more tolerant (docs/push.md).
 */
import { Type } from "./type.ts";
import type { TSchema } from "typebox";
import { Nullable } from "./shapes.ts";

const Text = Type.String();
/** Numbers may be sent as text. */
const Amount = Type.Union([Type.String(), Type.Number()]);
const Flag = Type.Union([Type.Boolean(), Type.String()]);
const Link = Type.String({ format: "uri" });
const Price = Type.Union([Type.String(), Type.Number()], {
  description: "With a currency, or in that of `currency` or of the catalog.",
  examples: ["9.50 USD"],
});
const Time = Type.String({ description: "ISO 8601.", examples: ["2026-11-15T06:00:00Z"] });
const texts = Type.Array(Text);

/** Gives several fields the same schema. */
const all = (schema: TSchema, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, schema]));

const optional = (fields: Readonly<Record<string, TSchema>>, wrap = (field: TSchema): TSchema => field) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(wrap(field))]));

const FIELDS: Readonly<Record<string, TSchema>> = {
  ...all(Text, "group_id sku gtin mpn brand group_title short_title short_description language"),
  ...all(Text, "color size size_system size_type material pattern gender age_group"),
  ...all(Text, "energy_class min_energy_class max_energy_class shipping_label"),
  ...all(Text, "unit_pricing_measure unit_pricing_base_measure weight_unit dimensions_unit"),
  ...all(Text, "custom_label0 custom_label1 custom_label2 custom_label3 custom_label4"),
  ...all(Amount, "quantity multipack return_days rating_value rating_count weight length width height"),
  ...all(Amount, "shipping_weight shipping_length shipping_width shipping_height"),
  ...all(Flag, "identifier_exists price_includes_tax adult is_bundle is_digital accepts_returns published"),
  ...all(Link, "canonical_link mobile_link image return_policy_url"),
  ...all(Price, "sale_price list_price"),
  cost: { ...Price, description: "What the shop pays. Rules can use it; it is in no feed." },
  ...all(Time, "sale_from sale_to availability_date expires_at"),
  description: Type.String({ description: "Text or HTML." }),
  currency: Type.String({ description: "ISO 4217." }),
  sale_window: Type.String({ description: "Two times with a slash between them." }),
  availability: Type.String({ examples: ["in_stock"] }),
  delivery_time: Type.String({
    description: "How long it takes until the item is shipped, in words; it becomes the handling time.",
    examples: ["2-4 days"],
  }),
  condition: Type.String({ examples: ["new"] }),
  google_category: Type.String({ description: "Number or path of Google's product taxonomy." }),
  country: Type.String({ description: "ISO 3166-1 alpha-2." }),
  additional_images: Type.Array(Link),
  videos: Type.Array(Link),
  categories: Type.Array(Type.String({ description: "A path.", examples: ["Home > Kitchen > Mugs"] })),
  tags: Type.Array(Text, { description: "The shop's own keywords, for rules; they are in no feed." }),
  highlights: texts,
  options: Type.Array(Type.Object({ name: Text, value: Text })),
  details: Type.Array(Type.Object({ section: Type.Optional(Text), name: Text, value: Text })),
  shipping: Type.Array(
    Type.Object({
      country: Text,
      price: Price,
      ...optional(all(Text, "region postal_code service")),
      ...optional(all(Amount, "min_handling max_handling min_transit max_transit")),
    }),
  ),
  certifications: Type.Array(
    Type.Object({ authority: Text, name: Text, ...optional(all(Text, "code value")) }),
  ),
  google: Type.Record(Text, Type.Unknown(), {
    description: "Attributes only for Google, by Google's names; docs/push.md lists them.",
  }),
  variants: Type.Array(Type.Record(Text, Type.Unknown()), {
    description: "Each becomes an item. Fields that it does not have are those of the product.",
  }),
};

const REQUIRED = { title: Text, link: Link, price: Price } as const;

const EXAMPLE = {
  id: "mug-1",
  title: "Blue mug",
  link: "https://shop.example/p/mug-1",
  image: "https://shop.example/i/mug-1.jpg",
  price: "9.50 USD",
  availability: "in_stock",
};

export const PushProduct = Type.Object(
  { id: Text, ...REQUIRED, ...optional(FIELDS) },
  {
    title: "PushProduct",
    additionalProperties: true,
    description: "Unknown fields are ignored and counted as `unmapped_column`.",
    examples: [EXAMPLE],
  },
);

export const PushChange = Type.Object(
  {
    id: Text,
    delete: Type.Optional(Type.Boolean({ description: "True deletes the item." })),
    mode: Type.Optional(
      Type.Enum(["update", "replace"], {
        default: "update",
        description:
          "`update` changes the fields that are sent. `replace` replaces the whole item: fields that are not sent are cleared.",
      }),
    ),
    ...optional({ ...REQUIRED, ...FIELDS }, Nullable),
  },
  {
    title: "PushChange",
    additionalProperties: true,
    description:
      "The fields to change; null clears a field. An item that is not stored yet is added, and needs title and price.",
    examples: [
      { id: "mug-1", price: "8.00 USD" },
      { id: "mug-2", delete: true },
      { id: "mug-3", title: "Red mug", price: "9.00 USD", mode: "replace" },
    ],
  },
);
