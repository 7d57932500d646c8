/**
 * Decodes bytes to text, by byte order mark, zero bytes of UTF-16, then declaration. A file declared as UTF-8, ASCII or Latin-1,
 * or not at all, is read as UTF-8 until a byte is not valid; then the valid and invalid sequences of the whole file are counted.
 * So one broken character does not garble a UTF-8 file, and Windows-1252 is recognized wherever its first accented letter is.
 */
import { isAscii, isUtf8 } from "node:buffer";

export type Utf8Evidence = { readonly valid: number; readonly invalid: number };

export type DecodeOptions = {
  readonly declared: string | null;
  /** Counts over the whole file; called at most once, at the first byte that is not UTF-8. */
  readonly survey: () => Promise<Utf8Evidence>;
  /** Called with the encoding if it is not plain UTF-8. */
  readonly onEncoding?: (encoding: string) => void;
};

/** Enough for a byte order mark, an XML declaration and the pattern of zero bytes. */
const HEAD_BYTES = 1024;

/** Labels that shops use loosely; the bytes decide between UTF-8 and Windows-1252. */
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
  const encoding = byMark(head) ?? byZeroBytes(head) ?? known(declaredInXml(head) ?? options.declared);
  if (encoding === null || LOOSE.has(encoding)) return looseDecoder(options);
  options.onEncoding?.(encoding);
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
    const { valid, invalid } = await options.survey();
    // Windows-1252 hardly ever makes a valid sequence by chance, and broken places in UTF-8 are few.
    const isUtf8AfterAll = valid > 0 && valid >= invalid;
    const bad = firstInvalid(body);
    fallback = new TextDecoder(isUtf8AfterAll ? "utf-8" : "windows-1252", { ignoreBOM: true });
    options.onEncoding?.(isUtf8AfterAll ? "utf-8 with invalid bytes" : "windows-1252");
    return utf8(body.subarray(0, bad)) + fallback.decode(bytes.subarray(bad), { stream: !isLast });
  };
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Counts characters beyond ASCII that are valid UTF-8, and places where bytes cannot be any. */
export async function utf8Evidence(chunks: AsyncIterable<Uint8Array>): Promise<Utf8Evidence> {
  let valid = 0;
  let invalid = 0;
  let wasInvalid = false;
  let carried: Uint8Array = new Uint8Array();
  const count = (bytes: Uint8Array): void => {
    for (let i = 0; i < bytes.length; ) {
      const length = sequenceLength(bytes, i);
      if (length > 1) valid += 1;
      // A continuation byte after a broken lead byte is part of the same broken sequence.
      const isContinuation = ((bytes[i] ?? 0) & 0xc0) === 0x80;
      if (length === 0 && !(wasInvalid && isContinuation)) invalid += 1;
      wasInvalid = length === 0;
      i += Math.max(1, length);
    }
  };
  for await (const chunk of chunks) {
    if (carried.length === 0 && !wasInvalid && isAscii(chunk)) continue;
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = bytes.length - unfinishedTail(bytes);
    carried = bytes.slice(whole);
    count(bytes.subarray(0, whole));
  }
  count(carried);
  return { valid, invalid };
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

/** The length of the UTF-8 sequence at `i`, or 0 where there is none. Overlong forms and surrogates are none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const lead = bytes[i] ?? 0;
  if (lead < 0x80) return 1;
  const length = leadLength(lead);
  if (length === 0 || i + length > bytes.length) return 0;
  return isUtf8(bytes.subarray(i, i + length)) ? length : 0;
}

function leadLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/** How many bytes at the end begin a sequence that the next chunk may finish. */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return leadLength(byte) > back ? back : 0;
  }
  return 0;
}
