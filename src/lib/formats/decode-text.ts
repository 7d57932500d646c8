/**
 * Decodes bytes to text, by byte order mark, setting, zero bytes of UTF-16, then declaration. A file declared as UTF-8,
 * ASCII or Latin-1, or not at all, is read as UTF-8 until a byte is not valid; then the whole file is surveyed. So one
 * broken character does not garble a UTF-8 file, and another encoding is recognized wherever its first letter outside
 * ASCII is.
 */
import { isUtf8 } from "node:buffer";
import { type CatalogHints, type DetectedEncoding, detectEncoding } from "./detect-encoding.ts";
import { type EncodingSurvey, sequenceLength, unfinishedTail } from "./encoding-survey.ts";

export type DecodeOptions = {
  /** What the sender or the file itself says. */
  readonly declared: string | null;
  /** What a person has set; it is stronger than a declaration. */
  readonly set?: string | null;
  /** Of the catalog. The currency counts if the file names none. */
  readonly hints?: CatalogHints;
  /** Called at most once, at the first byte that is not UTF-8. */
  readonly survey: () => Promise<EncodingSurvey>;
  /** Gets an encoding that was guessed, or null for UTF-8 with invalid bytes. */
  readonly onGuess?: (guess: DetectedEncoding | null) => void;
};

/** Enough for a byte order mark, an XML declaration and the pattern of zero bytes. */
const HEAD_BYTES = 1024;

/** Labels that shops use loosely; the bytes decide. */
const LOOSE = new Set(["utf-8", "windows-1252"]);

export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<string, void, void> {
  let decode: ((bytes: Uint8Array, isLast: boolean) => Promise<string>) | null = null;
  let waiting: Uint8Array = new Uint8Array();
  let isFirst = true;
  // Some writers put two byte order marks.
  const clean = (text: string): string => {
    const cleaned = isFirst ? text.replace(/^\uFEFF+/, "") : text;
    isFirst &&= text === "";
    return cleaned;
  };
  for await (const chunk of chunks) {
    const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    if (decode === null && bytes.length < HEAD_BYTES) {
      waiting = bytes;
      continue;
    }
    waiting = new Uint8Array();
    decode ??= decoderFor(bytes, options);
    const text = clean(await decode(bytes, false));
    if (text !== "") yield text;
  }
  decode ??= decoderFor(waiting, options);
  const text = clean(await decode(waiting, true));
  if (text !== "") yield text;
}

function decoderFor(head: Uint8Array, options: DecodeOptions) {
  const found = byMark(head) ?? known(options.set ?? null);
  const encoding = found ?? byZeroBytes(head) ?? known(declaredInXml(head) ?? options.declared);
  if (encoding === null || (found !== encoding && LOOSE.has(encoding)) || encoding === "utf-8")
    return looseDecoder(options);
  const decoder = new TextDecoder(encoding);
  return (bytes: Uint8Array, isLast: boolean): Promise<string> =>
    Promise.resolve(decoder.decode(bytes, { stream: !isLast }));
}

function byMark(head: Uint8Array): string | null {
  const hex = Buffer.from(head.subarray(0, 3)).toString("hex");
  if (hex === "efbbbf") return "utf-8";
  if (hex.startsWith("fffe")) return "utf-16le";
  return hex.startsWith("feff") ? "utf-16be" : null;
}

/** UTF-16 without a byte order mark: markup and digits make every second byte zero, always on the same side. */
function byZeroBytes(head: Uint8Array): string | null {
  const pairs = Math.min(head.length, HEAD_BYTES) >> 1;
  let high = 0;
  let low = 0;
  for (let i = 0; i < pairs; i += 1) {
    if (head[2 * i] === 0) high += 1;
    if (head[2 * i + 1] === 0) low += 1;
  }
  if (pairs < 2 || Math.max(high, low) < pairs * 0.4) return null;
  if (high < low * 0.1) return "utf-16le";
  return low < high * 0.1 ? "utf-16be" : null;
}

function declaredInXml(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, HEAD_BYTES)).toString("latin1");
  return /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']/.exec(start)?.[1] ?? null;
}

/** A name that the platform knows. */
export const isEncoding = (label: string): boolean => /^utf-?16/i.test(label) || known(label) !== null;

/** The platform's own name for a label, or null for one it does not know. UTF-16 would have shown in the bytes. */
function known(label: string | null): string | null {
  if (label === null) return null;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith("utf-16") ? null : encoding;
  } catch {
    return null;
  }
}

function looseDecoder(options: DecodeOptions) {
  let fallback: TextDecoder | null = null;
  let carried: Uint8Array = new Uint8Array();

  return async (chunk: Uint8Array, isLast: boolean): Promise<string> => {
    if (fallback !== null) return fallback.decode(chunk, { stream: !isLast });
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = isLast ? bytes.length : bytes.length - unfinishedTail(bytes);
    carried = bytes.subarray(whole);
    const body = bytes.subarray(0, whole);
    if (isUtf8(body)) return utf8(body);
    const guess = guessOf(await options.survey(), options);
    const bad = firstInvalid(body);
    fallback = new TextDecoder(guess?.encoding ?? "utf-8", { ignoreBOM: true });
    options.onGuess?.(guess);
    return utf8(body.subarray(0, bad)) + fallback.decode(bytes.subarray(bad), { stream: !isLast });
  };
}

/** Null for UTF-8: other encodings hardly ever make valid sequences by chance, and broken places in UTF-8 are few. */
function guessOf(
  { valid, invalid, words, currency }: EncodingSurvey,
  options: DecodeOptions,
): DetectedEncoding | null {
  return valid > 0 && valid >= invalid
    ? null
    : detectEncoding(words, { ...options.hints, ...(currency !== undefined && { currency }) });
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function firstInvalid(bytes: Uint8Array): number {
  let i = 0;
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length === 0) return i;
    i += length;
  }
  return i;
}
