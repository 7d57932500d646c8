/** Destinations: where the files of a catalog are delivered. */
import { Type } from "typebox";
import { integer, text } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

/** What a destination is sent. */
export const FileFormat = Type.Enum(
  [
    "acp.csv.gz",
    "acp.tsv.gz",
    "acp.jsonl.gz",
    "acp.csv",
    "acp.tsv",
    "acp.jsonl",
    "acp.json",
    "acp-feed",
    "gmc.tsv.gz",
    "gmc.tsv",
    "jsonld.json",
  ],
  {
    title: "FileFormat",
    description:
      "The rows of OpenAI (`acp`) or Google (`gmc`) in a format and a compression; `acp-feed`: metadata.json and products.jsonl of the Agentic Commerce Protocol.",
  },
);
export type FileFormat = Wire<typeof FileFormat>;

/** Why a delivery to a destination failed. */
export const DELIVERY_ERRORS = [
  "blocked",
  "unreachable",
  "timeout",
  "interrupted",
  "protocol",
  "host_key_unconfirmed",
  "host_key_changed",
  "unauthorized",
  "folder_missing",
  "refused",
  "rename_refused",
  "full",
  "write_failed",
  "size_differs",
  "redirect",
  "http",
  "feed_missing",
  "settings",
] as const;
export type DeliveryErrorCode = (typeof DELIVERY_ERRORS)[number];

export const DeliveredFile = Type.Object(
  {
    name: Type.String({ examples: ["products-0001.csv.gz"] }),
    bytes: integer("As sent, and as the destination has them."),
    sha256: text("Of the bytes sent, in hex."),
  },
  { title: "DeliveredFile" },
);
export type DeliveredFile = Wire<typeof DeliveredFile>;
