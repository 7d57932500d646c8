/** Pushing to the catalog: what a caller may say about a push. The products themselves are read as they stream in. */
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { PushChange, PushProduct } from "./push-product.ts";
import type { Wire } from "./shapes.ts";
import { PREFER_HEADER } from "./syncs.ts";

export const JSON_LINES_TYPES = [
  "application/x-ndjson",
  "application/jsonl",
  "application/x-jsonlines",
] as const;

export const PUSH_TYPES: readonly string[] = ["application/json", ...JSON_LINES_TYPES];

/** The same for a person who sent another one. */
export const WANTED_TYPES = `JSON (Content-Type: application/json) or as JSON Lines (${JSON_LINES_TYPES.join(", ")})`;

/** An update says by name what it deletes, so there is nothing to guard. */
export const UpdateQuery = Type.Object({}, { additionalProperties: false });

export const PushQuery = Type.Object(
  {
    max_removed_ratio: Type.Optional(
      Type.String({
        pattern: "^(0(\\.[0-9]{1,6})?|1(\\.0{1,6})?)$",
        description:
          "The largest share of the pushed items that a replacement may remove, 0 to 1; 0.5 unless told. It guards catalogs of 10 pushed items or more. A replacement of which every item was rejected removes nothing, whatever the size, unless this is 1.",
        examples: ["1"],
      }),
    ),
  },
  { additionalProperties: false },
);

export const PushHeaders = Type.Object({
  ...PREFER_HEADER,
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "^[ -~]+$",
      description:
        "A name for this request, kept for 24 hours: sent again with the same body it answers as the first time and changes nothing.",
    }),
  ),
});
export type PushHeaders = Wire<typeof PushHeaders>;

/** Not checked as one value: a body may be larger than memory. Each product is checked on its own, by the run. */
const bodyOf = (description: string, product: TSchema) => ({
  description,
  content: {
    "application/json": {
      schema: Type.Union([Type.Object({ products: Type.Array(product) }), Type.Array(product)], {
        description: "An object with the list under `products`, or the list itself; exactly one list.",
      }),
    },
    ...Object.fromEntries(JSON_LINES_TYPES.map((type) => [type, { schema: product }])),
  },
});

export const ReplaceBody = bodyOf("All products; as JSON Lines one product a line.", PushProduct);
export const UpdateBody = bodyOf(
  "The products to add, change or delete; as JSON Lines one a line.",
  PushChange,
);
