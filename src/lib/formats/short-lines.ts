/** Passes bytes on unchanged, and fails at the first line that is longer than `maxLineBytes`. */
import { FormatError } from "./format-error.ts";

const NEWLINE = 10;

export async function* shortLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let open = 0;
  for await (const bytes of source) {
    const last = bytes.lastIndexOf(NEWLINE);
    // Lines that end within the piece are not looked at: a piece is shorter than a line may be.
    open = last === -1 ? open + bytes.length : bytes.length - last - 1;
    if (open > maxLineBytes)
      throw new FormatError("too_large", `A line has more than ${maxLineBytes} bytes.`);
    yield bytes;
  }
}
