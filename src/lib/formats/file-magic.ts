/** Recognizes a file by its first bytes: compression that we undo, and formats that we refuse by name. */
import { FormatError } from "./format-error.ts";

export type Packing = "gzip" | "zip" | "zstd";

/** How many first bytes `packingOf` needs. */
export const MAGIC_BYTES = 8;

const PACKINGS: readonly { readonly packing: Packing; readonly magic: string }[] = [
  { packing: "gzip", magic: "1f8b" },
  { packing: "zip", magic: "504b0304" },
  // An empty archive begins with its end record.
  { packing: "zip", magic: "504b0506" },
  { packing: "zstd", magic: "28b52ffd" },
];

const REFUSED: readonly { readonly name: string; readonly magic: string }[] = [
  { name: "bzip2 compression", magic: "425a68" },
  { name: "xz compression", magic: "fd377a585a00" },
  { name: "a 7-Zip archive", magic: "377abcaf271c" },
  { name: "a RAR archive", magic: "526172211a07" },
  { name: "an Excel 97 workbook", magic: "d0cf11e0a1b11ae1" },
  { name: "a PDF document", magic: "255044462d" },
  { name: "a Parquet file", magic: "50415231" },
];

/** Null for anything else. Throws `unsupported` for a format that is refused. */
export function packingOf(head: Uint8Array): Packing | null {
  const hex = Buffer.from(head.subarray(0, MAGIC_BYTES)).toString("hex");
  const refused = REFUSED.find(({ magic }) => hex.startsWith(magic));
  if (refused !== undefined) {
    throw new FormatError("unsupported", `The file is ${refused.name}; use plain text, gzip, zip or zstd.`);
  }
  return PACKINGS.find(({ magic }) => hex.startsWith(magic))?.packing ?? null;
}
