/**
 * Decodes bytes to text, strictly: all formats are UTF-8, except XML that declares another encoding. Bytes that are not
 * UTF-8 are reported once, with their line, and are then read as well as possible, so that one bad byte does not hide
 * the problems after it.
 */
import { isUtf8 } from "node:buffer";
import { unfinishedTail } from "../../../lib/formats/encoding-survey.ts";
import { NEWLINE } from "../../../lib/char-codes.ts";

export type Misencoded = (what: "mark" | "bytes" | "utf-16", line: number) => void;

/** Longer than any declaration in practice. */
const DECLARATION_BYTES = 128;
const DECLARED = /^<\?xml[^>]{0,60}\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

const MARK = "\uFEFF";

export async function* decodeStrictly(
  chunks: AsyncIterable<Uint8Array>,
  misencoded: Misencoded,
): AsyncGenerator<string, void, void> {
  let decoder: Decoder | null = null;
  let waiting: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    waiting = new Uint8Array();
    // A byte order mark takes two bytes to see, an XML declaration more.
    if (decoder === null && bytes.length < DECLARATION_BYTES) {
      waiting = bytes;
      continue;
    }
    decoder ??= decoderFor(bytes, misencoded);
    const text = decoder(bytes, false);
    if (text !== "") yield text;
  }
  decoder ??= decoderFor(waiting, misencoded);
  const text = decoder(waiting, true);
  if (text !== "") yield text;
}

type Decoder = (bytes: Uint8Array, isLast: boolean) => string;

function decoderFor(head: Uint8Array, misencoded: Misencoded): Decoder {
  const label = head[0] === 0xff && head[1] === 0xfe ? "utf-16le" : "utf-16be";
  if (label === "utf-16be" && !(head[0] === 0xfe && head[1] === 0xff))
    return declaredDecoder(head) ?? utf8Decoder(misencoded);
  misencoded("utf-16", 1);
  const decoder = new TextDecoder(label);
  return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast });
}

/** For XML that declares another encoding than UTF-8; null for anything else, and for an unknown encoding. */
function declaredDecoder(head: Uint8Array): Decoder | null {
  const [, declared] =
    DECLARED.exec(Buffer.from(head.subarray(0, DECLARATION_BYTES)).toString("latin1")) ?? [];
  if (declared === undefined || /^utf-?(?:8|16)/i.test(declared)) return null;
  try {
    const decoder = new TextDecoder(declared);
    return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast });
  } catch {
    return null;
  }
}

function utf8Decoder(misencoded: Misencoded): Decoder {
  let carried: Uint8Array = new Uint8Array();
  let isFirst = true;
  let line = 1;
  let isReported = false;

  return (chunk, isLast) => {
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = isLast ? bytes.length : bytes.length - unfinishedTail(bytes);
    carried = bytes.slice(whole);
    const body = bytes.subarray(0, whole);
    if (!isReported && !isUtf8(body)) {
      isReported = true;
      misencoded("bytes", firstBadLine(body, line));
    }
    if (!isReported) line += linesIn(body);
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
    if (!isFirst || text === "") return text;
    isFirst = false;
    if (!text.startsWith(MARK)) return text;
    misencoded("mark", 1);
    return text.slice(MARK.length);
  };
}

function linesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function firstBadLine(bytes: Uint8Array, firstLine: number): number {
  let line = firstLine;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    if (!isUtf8(bytes.subarray(start, end))) return line;
    line += 1;
    start = end + 1;
  }
  return line;
}
