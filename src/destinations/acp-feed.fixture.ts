/**
 * The objects of the Agentic Commerce Protocol's Feed API, release 2026-04-17, as its schemas describe them: no object
 * takes properties that it does not name.
 */
import { Type } from "typebox";
import type { TProperties } from "typebox";

const strict = <P extends TProperties>(properties: P, options = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });
const text = Type.String();
const uri = Type.String({ format: "uri" });
const maybe = Type.Optional;

const price = strict({
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
});
const description = strict(
  { plain: maybe(text), html: maybe(text), markdown: maybe(text) },
  { minProperties: 1 },
);
const media = Type.Array(
  strict({
    type: text,
    url: uri,
    alt_text: maybe(text),
    width: maybe(Type.Integer()),
    height: maybe(Type.Integer()),
  }),
);
const seller = strict({
  name: maybe(text),
  links: maybe(Type.Array(strict({ type: text, url: uri, title: maybe(text) }))),
});

const variant = strict({
  id: text,
  title: text,
  description: maybe(description),
  url: maybe(uri),
  barcodes: maybe(Type.Array(strict({ type: text, value: text }))),
  price: maybe(price),
  list_price: maybe(price),
  availability: maybe(strict({ available: maybe(Type.Boolean()), status: maybe(text) })),
  categories: maybe(Type.Array(strict({ value: text, taxonomy: maybe(text) }))),
  condition: maybe(Type.Array(text)),
  variant_options: maybe(Type.Array(strict({ name: text, value: text }))),
  media: maybe(media),
  seller: maybe(seller),
  marketplace: maybe(seller),
});

const AcpProduct = strict({
  id: text,
  title: maybe(text),
  description: maybe(description),
  url: maybe(uri),
  media: maybe(media),
  variants: Type.Array(variant),
});
export const AcpFeedMetadata = strict({
  id: text,
  target_country: maybe(Type.String({ pattern: "^[A-Z]{2}$" })),
  updated_at: maybe(Type.String({ format: "date-time" })),
});
/** With at least one product, as the text of the API asks. */
export const AcpUpsert = strict({ products: Type.Array(AcpProduct, { minItems: 1 }) });
