/** Recognizes a file by its first bytes: compression that we undo, and formats that we refuse by name. */
import { FormatError } from "./format-error.ts";

export type Packing = "gzip" | "zip" | "zstd";

/** How many first bytes `packingOf` needs. */
export const MAGIC_BYTES = 8;

/** The first bytes in hexadecimal, and what they mean. */
const PACKINGS: readonly (readonly [string, Packing])[] = [
  ["1f8b", "gzip"],
  ["504b0304", "zip"],
  // An empty archive begins with its end record.
  ["504b0506", "zip"],
  ["28b52ffd", "zstd"],
];
const REFUSED: readonly (readonly [string, string])[] = [
  ["425a68", "bzip2 compression"],
  ["fd377a585a00", "xz compression"],
  ["377abcaf271c", "a 7-Zip archive"],
  ["526172211a07", "a RAR archive"],
  ["d0cf11e0a1b11ae1", "an Excel 97 workbook"],
  ["255044462d", "a PDF document"],
  ["50415231", "a Parquet file"],
];

/** Null for anything else. Throws `unsupported` for a format that is refused. */
export function packingOf(head: Uint8Array): Packing | null {
  const hex = Buffer.from(head.subarray(0, MAGIC_BYTES)).toString("hex");
  const isHead = ([magic]: readonly [string, string]): boolean => hex.startsWith(magic);
  const [, refused] = REFUSED.find(isHead) ?? [];
  if (refused !== undefined) {
    throw new FormatError("unsupported", `The file is ${refused}; use plain text, gzip, zip or zstd.`);
  }
  return PACKINGS.find(isHead)?.[1] ?? null;
}
