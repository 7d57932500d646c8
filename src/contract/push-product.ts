/**
 * A product as a push sends it, for the OpenAPI document and for those who generate clients from it. Bodies are not
 * checked against it as a whole: they may be larger than memory, and the reader is more tolerant (docs/push.md).
 */
import { Type } from "typebox";
import type { TSchema } from "typebox";

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

const FIELDS = {
  group_id: Text,
  sku: Text,
  gtin: Text,
  mpn: Text,
  brand: Text,
  identifier_exists: Flag,
  group_title: Text,
  short_title: Text,
  description: Type.String({ description: "Text or HTML." }),
  short_description: Text,
  canonical_link: Link,
  mobile_link: Link,
  image: Link,
  sale_price: Price,
  list_price: Price,
  currency: Type.String({ description: "ISO 4217." }),
  sale_window: Type.String({ description: "Two times with a slash between them." }),
  sale_from: Time,
  sale_to: Time,
  price_includes_tax: Flag,
  unit_pricing_measure: Text,
  unit_pricing_base_measure: Text,
  availability: Type.String({ examples: ["in_stock"] }),
  availability_date: Time,
  quantity: Amount,
  expires_at: Time,
  condition: Type.String({ examples: ["new"] }),
  google_category: Type.String({ description: "Number or path of Google's product taxonomy." }),
  color: Text,
  size: Text,
  size_system: Text,
  size_type: Text,
  material: Text,
  pattern: Text,
  gender: Text,
  age_group: Text,
  adult: Flag,
  multipack: Amount,
  is_bundle: Flag,
  is_digital: Flag,
  energy_class: Text,
  min_energy_class: Text,
  max_energy_class: Text,
  weight: Amount,
  weight_unit: Text,
  length: Amount,
  width: Amount,
  height: Amount,
  dimensions_unit: Text,
  shipping_weight: Amount,
  shipping_length: Amount,
  shipping_width: Amount,
  shipping_height: Amount,
  shipping_label: Text,
  accepts_returns: Flag,
  return_days: Amount,
  return_policy_url: Link,
  rating_value: Amount,
  rating_count: Amount,
  custom_label0: Text,
  custom_label1: Text,
  custom_label2: Text,
  custom_label3: Text,
  custom_label4: Text,
  country: Type.String({ description: "ISO 3166-1 alpha-2." }),
  language: Text,
  published: Flag,
  additional_images: Type.Array(Link),
  videos: Type.Array(Link),
  categories: Type.Array(Type.String({ description: "A path.", examples: ["Home > Kitchen > Mugs"] })),
  highlights: texts,
  options: Type.Array(Type.Object({ name: Text, value: Text })),
  details: Type.Array(Type.Object({ section: Type.Optional(Text), name: Text, value: Text })),
  shipping: Type.Array(
    Type.Object({
      country: Text,
      region: Type.Optional(Text),
      postal_code: Type.Optional(Text),
      service: Type.Optional(Text),
      price: Price,
      min_handling: Type.Optional(Amount),
      max_handling: Type.Optional(Amount),
      min_transit: Type.Optional(Amount),
      max_transit: Type.Optional(Amount),
    }),
  ),
  certifications: Type.Array(
    Type.Object({
      authority: Text,
      name: Text,
      code: Type.Optional(Text),
      value: Type.Optional(Text),
    }),
  ),
  google: Type.Record(Text, Type.Unknown(), {
    description: "Attributes that are for Google alone, by Google's names; docs/push.md lists them.",
  }),
  variants: Type.Array(Type.Record(Text, Type.Unknown()), {
    description: "Each becomes an item and has every field of the product that it does not state itself.",
  }),
} as const satisfies Record<string, TSchema>;

const REQUIRED = { title: Text, link: Link, price: Price } as const;

const optional = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Partial(Type.Object(fields)).properties;

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
    description: "Fields that are not known are not used, and counted as `unmapped_column`.",
    examples: [EXAMPLE],
  },
);

const nullable = (fields: Record<string, TSchema>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Type.Optional(Type.Union([field, Type.Null()]))]),
  );

export const PushChange = Type.Object(
  {
    id: Text,
    delete: Type.Optional(Type.Boolean({ description: "True deletes the item." })),
    ...nullable({ ...REQUIRED, ...FIELDS }),
  },
  {
    title: "PushChange",
    additionalProperties: true,
    description:
      "With title, link and price a whole item; without one of them the fields to change, where null clears one.",
    examples: [
      { id: "mug-1", price: "8.00 USD" },
      { id: "mug-2", delete: true },
    ],
  },
);
