/**
 * Reads a finished feed and lists what is wrong with it. The validators know the field tables and not the renderers, so
 * they can check our files and others'. The file streams through; what is kept of it is bounded.
 */
import { decodeStrictly } from "./kit/validate/decode.ts";
import { Collector, type Summary } from "./kit/validate/findings.ts";
import { type ChannelFile, VALIDATORS } from "./registry.ts";

export type ValidateOptions = {
  readonly format: ChannelFile;
  /** The moment at which dates are past or to come. */
  readonly now: Date;
  /** How many problems are listed; all are counted. */
  readonly most?: number;
};

export type Report = Summary & {
  readonly format: ChannelFile;
  /** Rows that could be read as such; products in JSON-LD. */
  readonly rows: number;
  /** How long the file is, unpacked. */
  readonly bytes: number;
};

const MOST_LISTED = 1_000;

export async function validateFeed(
  chunks: AsyncIterable<Uint8Array>,
  { format, now, most = MOST_LISTED }: ValidateOptions,
): Promise<Report> {
  const validator = VALIDATORS.get(format);
  if (validator === undefined) throw new Error(`${format} has no validator`);
  const { rules, open } = validator;
  const collector = new Collector(rules, most);
  const reader = open({ collector, now });
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const text of decodeStrictly(counted(), (what, line) => reader.misencoded(what, line)))
    reader.push(text);
  reader.end(bytes);
  return { format, rows: reader.rows(), bytes, ...collector.summary() };
}
