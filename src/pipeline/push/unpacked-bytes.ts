/**
 * The bytes of a pushed body, unpacked, and the limits on the body as a whole in words that help: one that is too
 * large can be sent in parts, one that unpacks too well can be sent as it is.
 */
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { receivedBytes } from "../../lib/formats/received-bytes.ts";
import type { Coding, ReceiveLimits } from "../../lib/formats/received-bytes.ts";

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
      ? unpacksTooWell(limits, error)
      : tooLarge(error);
  }
}

/** As much as may come out for what was sent: whichever cap is the smaller one was passed. */
const ratioCap = (sentBytes: number, { ratioFromBytes, maxUnpackRatio }: ReceiveLimits): number =>
  Math.max(ratioFromBytes, sentBytes * maxUnpackRatio);

const unpacksTooWell = ({ maxUnpackRatio }: ReceiveLimits, cause: FormatError): AppError =>
  new AppError(
    "body_too_large",
    `The body unpacks to more than ${maxUnpackRatio} times what was sent, as no catalog does. Nothing was changed; send it without Content-Encoding.`,
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
