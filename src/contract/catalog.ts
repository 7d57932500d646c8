/** Pushing to the catalog: headers, query and the body, which is read as a stream. */
import { Type } from "./type.ts";
import type { TSchema } from "typebox";
import { PushChange, PushProduct } from "./push-product.ts";
import { PushGuard } from "./publish-guard.ts";
import { Data, Nullable } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { SAMPLE } from "./samples.ts";
import { PREFER_HEADER } from "./syncs.ts";

export const JSON_LINES_TYPES = [
  "application/x-ndjson",
  "application/jsonl",
  "application/x-jsonlines",
] as const;

/**
 * Files in any format of a feed URL. The format is detected by content, because browsers and shops declare CSV as
 * almost anything (on Windows as `application/vnd.ms-excel`).
 */
export const FILE_TYPES = [
  "text/csv",
  "application/csv",
  "text/tab-separated-values",
  "text/plain",
  "application/xml",
  "text/xml",
  "application/rss+xml",
  "application/atom+xml",
  "application/gzip",
  "application/x-gzip",
  "application/zip",
  "application/x-zip-compressed",
  "application/zstd",
  "application/vnd.ms-excel",
  "application/octet-stream",
] as const;

export const PUSH_TYPES: readonly string[] = ["application/json", ...JSON_LINES_TYPES, ...FILE_TYPES];

/** The wanted types, for an error message. */
export const WANTED_TYPES = `JSON (Content-Type: application/json), as JSON Lines (${JSON_LINES_TYPES.join(", ")}) or as a file (text/csv, text/tab-separated-values, application/xml, application/gzip, application/zip, application/octet-stream)`;

const setting = (description: string, examples: readonly string[]) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 10_000, description, examples: [...examples] }));

/** Settings of a feed URL. With any of them but `decimal_mark` the body is read as a feed, even JSON. */
const FileQuery = {
  format: Type.Optional(
    Type.Enum(["auto", "csv", "tsv", "json", "jsonl", "xml"], {
      description:
        "Reads the body as the file of a feed URL in this format; auto recognizes it by its content.",
    }),
  ),
  store_url: setting("Files only: the shop's address, where relative links start.", ["https://shop.example"]),
  decimal_mark: Type.Optional(
    Type.Enum([".", ","], {
      description:
        "The mark before the decimals of prices that are texts, in files and in JSON. Needed only if prices such as 1.299 can be read two ways and the other prices do not show which; such items are rejected with `ambiguous_price`.",
    }),
  ),
  encoding: setting(
    "Files only: the encoding of the text. Needed only if the file does not say it and letters come out wrong.",
    ["windows-1250"],
  ),
  columns: setting("Files only: the field of each column, as Their name = our_name, separated by ;.", [
    "Artikelnummer = id; Bezeichnung = title",
  ]),
  link_template: setting("Files only: the address of a product's page, with column names in braces.", [
    "https://shop.example/{url_key}.html",
  ]),
};

/** There is no limit on removals, because an update deletes only items that it names. */
export const UpdateQuery = Type.Object({ ...FileQuery, guard: PushGuard }, { additionalProperties: false });

const ReplaceQuery = {
  max_removed_ratio: Type.Optional(
    Type.String({
      pattern: "^(0(\\.[0-9]{1,6})?|1(\\.0{1,6})?)$",
      description:
        "The largest share of the pushed items that a replacement may remove, 0 to 1; default 0.5. It applies to catalogs with 25 pushed items or more. A replacement whose items are all rejected removes nothing.",
      examples: ["1"],
    }),
  ),
  ...FileQuery,
};

export const PushQuery = Type.Object({ ...ReplaceQuery, guard: PushGuard }, { additionalProperties: false });
export type PushQuery = Wire<typeof PushQuery>;

export const PushHeaders = Type.Object({
  ...PREFER_HEADER,
  "idempotency-key": Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "^[ -~]+$",
      description:
        "Identifies this request for 24 hours: if it is sent again with the same body, the answer is the same and nothing changes.",
    }),
  ),
});
export type PushHeaders = Wire<typeof PushHeaders>;

const CSV = "id,title,link,price\nmug-1,Blue mug,https://shop.example/p/mug-1,9.50 USD\n";

const fileSchema = (type: string) =>
  Type.Unknown({
    description:
      "A file in any format that a feed URL may have: CSV, TSV, XML, JSON, JSON Lines or the export of a shop system, plain or compressed with gzip, zip or zstd. The format is detected by content, not by this type; a charset of the type is used. docs/sources/feed-url.md lists the formats.",
    contentMediaType: type,
    ...(type === "text/csv" && { examples: [CSV] }),
  });

/** The body is not validated as a whole, because a body may be larger than memory. The run validates each product. */
const bodyOf = (description: string, product: TSchema) => ({
  description,
  content: {
    "application/json": {
      schema: Type.Union([Type.Object({ products: Type.Array(product) }), Type.Array(product)], {
        description: "An object with the list under `products`, or the list itself; exactly one list.",
      }),
    },
    ...Object.fromEntries(JSON_LINES_TYPES.map((type) => [type, { schema: product }])),
    ...Object.fromEntries(FILE_TYPES.map((type) => [type, { schema: fileSchema(type) }])),
  },
});

export const ReplaceBody = bodyOf("All products; as JSON Lines one product a line.", PushProduct);
export const UpdateBody = bodyOf(
  "The products to add, change or delete; as JSON Lines one a line.",
  PushChange,
);

export const PreviewQuery = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum(["replace", "update"], {
        default: "replace",
        description: "Which push to preview: replace is PUT, update is PATCH.",
      }),
    ),
    ...ReplaceQuery,
  },
  { additionalProperties: false },
);

export const PreviewAnswer = Data(
  Type.Object({
    format: Nullable(
      Type.String({ description: "What the file is.", examples: ["text separated by semicolons"] }),
    ),
    ...SAMPLE,
  }),
  "The first items that a push would store, and their results.",
);
