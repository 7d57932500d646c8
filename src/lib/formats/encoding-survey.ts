/**
 * Reads a whole file once to find out its encoding: how much of it is UTF-8, and a sample of its words with bytes
 * outside ASCII.
 */
import { isAscii, isUtf8 } from "node:buffer";

export type EncodingSurvey = {
  /** Characters outside ASCII that are valid UTF-8, and places where bytes cannot be UTF-8. */
  readonly valid: number;
  readonly invalid: number;
  /** Words with bytes outside ASCII, from the whole file, separated by line feeds. */
  readonly words: Uint8Array;
  /** The code of a currency that stands beside amounts or in cells of its own most often. */
  readonly currency: string | undefined;
};

export async function surveyEncoding(chunks: AsyncIterable<Uint8Array>): Promise<EncodingSurvey> {
  const words = new WordSample();
  const codes = new Map<string, number>();
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
    words.add(chunk);
    for (const [, code = ""] of Buffer.from(chunk).toString("latin1").matchAll(CURRENCY))
      codes.set(code, (codes.get(code) ?? 0) + 1);
    if (carried.length === 0 && !wasInvalid && isAscii(chunk)) continue;
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = bytes.length - unfinishedTail(bytes);
    carried = bytes.slice(whole);
    count(bytes.subarray(0, whole));
  }
  count(carried);
  const [currency] = [...codes.entries()].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return { valid, invalid, words: words.bytes(), currency };
}

/** Words of the same letters, as in "TRY IT", stand neither beside a number nor alone in a cell. */
const CURRENCY =
  /(?:\d ?|[>,;|"\t])(PLN|CZK|HUF|RON|TRY|RUB|UAH|RSD|SEK|NOK|DKK|ISK|ILS|JPY|CNY|KRW|TWD|THB|BRL)(?=[<,;|"\t\r\n])/g;

/** More words say no more about the encoding. */
const MAX_SAMPLE_BYTES = 32_768;
/** Longer words, such as sentences in Chinese, are cut. */
const MAX_WORD_BYTES = 1_000;

/** No encoding uses the bytes below 0x30 and from ":" to "?" inside a character. */
const isSeparator = (byte: number): boolean => byte < 0x30 || (byte >= 0x3a && byte <= 0x3f);

/** Words of the whole file, evenly. */
class WordSample {
  private words: Uint8Array[] = [];
  private total = 0;
  private stride = 1;
  private seen = 0;
  private word: number[] = [];
  private isOutsideAscii = false;

  add(chunk: Uint8Array): void {
    // Of an ASCII chunk only the last word counts: it may go on outside ASCII in the next chunk.
    const start = this.word.length === 0 && isAscii(chunk) ? chunk.findLastIndex(isSeparator) + 1 : 0;
    for (const byte of chunk.subarray(start)) {
      if (isSeparator(byte)) this.endWord();
      else if (this.word.length < MAX_WORD_BYTES) {
        this.word.push(byte);
        this.isOutsideAscii ||= byte >= 0x80;
      }
    }
  }

  bytes(): Uint8Array {
    this.endWord();
    return Buffer.concat(this.words.flatMap((word) => [word, Buffer.from("\n")]));
  }

  private endWord(): void {
    if (this.isOutsideAscii && this.seen++ % this.stride === 0) this.keep(Uint8Array.from(this.word));
    this.word = [];
    this.isOutsideAscii = false;
  }

  private keep(word: Uint8Array): void {
    this.words.push(word);
    this.total += word.length + 1;
    if (this.total <= MAX_SAMPLE_BYTES) return;
    // Every second word of what was read, and from now on.
    this.words = this.words.filter((_, index) => index % 2 === 0);
    this.total = this.words.reduce((sum, { length }) => sum + length + 1, 0);
    this.stride *= 2;
  }
}

/**
 * Returns the length of the UTF-8 sequence at `i`, or 0 if the bytes there are not UTF-8, such as overlong forms and
 * surrogates.
 */
export function sequenceLength(bytes: Uint8Array, i: number): number {
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
