/** Pushing to the catalog: what a caller may say about a push. The products themselves are read as they stream in. */
import { Type } from "typebox";
import type { Static } from "typebox";

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
export type PushQuery = Static<typeof PushQuery>;

export const PushHeaders = Type.Object({
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
export type PushHeaders = Static<typeof PushHeaders>;

const PRODUCT = {
  id: "mug-1",
  title: "Blue mug",
  link: "https://shop.example/p/mug-1",
  image: "https://shop.example/i/mug-1.jpg",
  price: "9.50 USD",
  availability: "in_stock",
};

const fields = "docs/push.md lists the fields.";

/** Not checked as one value: a body may be larger than memory. Each product is checked on its own, by the run. */
export const PushBody = {
  description: "The products.",
  content: {
    "application/json": {
      schema: Type.Unknown({
        description: `An object with the list under products, or the list itself; exactly one list. ${fields}`,
        examples: [{ products: [PRODUCT] }],
      }),
    },
    ...Object.fromEntries(
      JSON_LINES_TYPES.map((type) => [
        type,
        { schema: Type.Unknown({ description: `One product a line. ${fields}`, examples: [PRODUCT] }) },
      ]),
    ),
  },
};
