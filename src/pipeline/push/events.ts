/** Reads the events of a stored push, from its body or its chunks. */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { RECORD_LIMITS } from "../../sources/product-record/limits.ts";
import { type PushEvent, readPush } from "../../sources/push/read.ts";
import type { FileEnding } from "../../sources/source.ts";
import type { Db } from "../../store/db.ts";
import { findChunk, type Push } from "../../store/pushes.ts";
import type { JobDeps } from "../job.ts";
import { withSpool } from "../sync/spool.ts";
import { readPushedFile, spoolBody } from "./file.ts";

export type PushEvents = AsyncGenerator<readonly PushEvent[], void, void>;

/** Returns false if the body has not arrived completely. */
export const isComplete = ({ body, parts }: Pick<Push, "body" | "parts">): boolean =>
  body !== null || parts !== null;

/**
 * Passes the events of a complete push to `work`, and how its file ended once they were read. The settings are those of
 * the catalog.
 */
export async function withEvents<Result>(
  { db, spoolRoot }: Pick<JobDeps, "db" | "spoolRoot">,
  push: Push,
  { currency, language }: Pick<CatalogSettings, "currency" | "language">,
  work: (events: PushEvents, ending: () => FileEnding | undefined) => Promise<Result>,
): Promise<Result> {
  const { format, file, mode } = push;
  const bytes = () => bodyBytes(db, push);
  if (format !== "file")
    return work(
      readPush(() => texts(bytes()), { format, limits: RECORD_LIMITS, currency }),
      () => undefined,
    );
  return withSpool(spoolRoot, async (folder) => {
    const path = await spoolBody(bytes(), folder);
    let ending: FileEnding | undefined;
    const onEnding = (found: FileEnding): void => {
      ending = found;
    };
    const pushed = { charset: null, settings: {}, ...file, path, mode, currency, language, onEnding };
    return work(readPushedFile(pushed), () => ending);
  });
}

const unpack = promisify(zstdDecompress);

async function* bodyBytes(db: Db, { runId, body, parts }: Push): AsyncGenerator<Uint8Array, void, void> {
  if (body !== null) yield body;
  for (let part = 0; part < (parts ?? 0); part += 1) {
    const packed = await findChunk(db, runId, part);
    if (!packed)
      throw new AppError("interrupted", "A part of the body is gone. Nothing was changed; send it again.");
    yield await unpack(packed);
  }
}

/** The text of a JSON body. JSON is UTF-8 (RFC 8259, 8.1), and nothing is guessed here. */
export async function* texts(
  chunks: AsyncIterable<Uint8Array>,
  { isWhole = true } = {},
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    if (isWhole) yield decoder.decode();
  } catch (cause) {
    throw cause instanceof TypeError
      ? new FormatError("malformed", "The body is not UTF-8.", { cause })
      : cause;
  }
}
