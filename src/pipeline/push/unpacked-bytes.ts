/**
 * Decompresses a pushed body and enforces its size limits, with messages that say what to do: send a body that is too
 * large in parts, send one with a suspicious compression ratio uncompressed.
 */
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { type Coding, receivedBytes, type ReceiveLimits } from "../../lib/formats/received-bytes.ts";

export async function* unpackedBytes(
  source: AsyncIterable<Uint8Array>,
  coding: Coding,
  limits: ReceiveLimits,
): AsyncGenerator<Uint8Array, void, void> {
  const sent = { bytes: 0 };
  try {
    yield* receivedBytes(counted(source, sent), coding, limits);
  } catch (error) {
    if (!(error instanceof FormatError) || error.kind !== "too_large") throw error;
    const isPacked = coding !== "identity" && sent.bytes <= limits.maxSentBytes;
    throw isPacked && ratioCap(sent.bytes, limits) < limits.maxUnpackedBytes
      ? ratioTooHigh(limits, error)
      : tooLarge(error);
  }
}

/** How many bytes the compression ratio allows for what was sent. */
const ratioCap = (sentBytes: number, { ratioFromBytes, maxUnpackRatio }: ReceiveLimits): number =>
  Math.max(ratioFromBytes, sentBytes * maxUnpackRatio);

const ratioTooHigh = ({ maxUnpackRatio }: ReceiveLimits, cause: FormatError): AppError =>
  new AppError(
    "body_too_large",
    `The body unpacks to more than ${maxUnpackRatio} times its compressed size. Nothing was changed; send it without Content-Encoding.`,
    { cause },
  );

const tooLarge = (cause: FormatError): AppError =>
  new AppError("body_too_large", `${cause.message} Nothing was changed; send less at once, by PATCH.`, {
    cause,
  });

async function* counted(
  source: AsyncIterable<Uint8Array>,
  sent: { bytes: number },
): AsyncGenerator<Uint8Array, void, void> {
  for await (const bytes of source) {
    sent.bytes += bytes.length;
    yield bytes;
  }
}
