/**
 * Reads a finished feed and lists its problems. The validators use the field tables and not the renderers, so that they
 * can check the renderers. The file streams through, and the memory is bounded.
 */
import { decodeStrictly, type Misencoded } from "./kit/validate/decode.ts";
import { Findings, type FindingSummary } from "./kit/validate/findings.ts";
import { type ChannelFile, VALIDATORS } from "./registry.ts";

export type ValidateOptions = {
  readonly format: ChannelFile;
  /** The moment at which dates are past or to come. */
  readonly now: Date;
  /** How many problems are listed; all are counted. */
  readonly most?: number;
};

export type ValidationReport = FindingSummary & {
  readonly format: ChannelFile;
  /** Rows that could be read as such; products in JSON-LD. */
  readonly rows: number;
  /** How long the file is, unpacked. */
  readonly bytes: number;
};

const MAX_LISTED = 1_000;

const ENCODING_DETAILS = {
  mark: "The file begins with a byte order mark.",
  bytes: "From this line on there are bytes that are not UTF-8.",
  "utf-16": "The file is UTF-16.",
} as const;

export async function validateFeed(
  chunks: AsyncIterable<Uint8Array>,
  { format, now, most = MAX_LISTED }: ValidateOptions,
): Promise<ValidationReport> {
  const validator = VALIDATORS.get(format);
  if (validator === undefined) throw new Error(`${format} has no validator`);
  const { rules, open, encodingRule, allowsMark = false } = validator;
  const findings = new Findings(rules, most);
  const reader = open(findings, now);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const misencoded: Misencoded = (what, line) => {
    if (what === "mark" && allowsMark) return;
    const detail = ENCODING_DETAILS[what];
    findings.addAt({ line, itemId: null }, encodingRule, { detail, isMild: what === "mark" });
  };
  for await (const text of decodeStrictly(counted(), misencoded)) reader.push(text);
  reader.end(bytes);
  return { format, rows: reader.rows(), bytes, ...findings.summary() };
}
