/**
 * Previews a push: the first items of a body as it would store them. A server receives the
 * beginning of the body, a worker reads it: both with the code of a push. Stores nothing.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Warning } from "../../catalog/finding.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { AppError } from "../../errors.ts";
import { packingOf } from "../../lib/formats/file-magic.ts";
import { FEED_LIMITS } from "../../sources/feed-url/limits.ts";
import { openFeedFile } from "../../sources/feed-url/read-file.ts";
import { RECORD_LIMITS } from "../../sources/product-record/limits.ts";
import { type PushEvent, readPush, toBodyError } from "../../sources/push/read.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import type { Push } from "../../store/pushes.ts";
import type { JobDeps } from "../job.ts";
import { PUSH_ID_OWNERS } from "../sync/merge-staged.ts";
import { collect, type Sampled, type TakeChange, withMerge } from "../sync/sample.ts";
import { withSpool } from "../sync/spool.ts";
import { refuseEmptyFile } from "./apply.ts";
import { texts } from "./events.ts";
import { JSON_NAMES, readOpenFile } from "./file.ts";
import { isPatch, patchedItems, readRemoval } from "./patches.ts";
import { PUSH_LIMITS, type PushLimits } from "./received-bytes.ts";
import { type BodyStart, type PushBody, receiveStart } from "./receive.ts";

/** As much as is read of a feed URL that is tested. */
const MAX_BYTES = FEED_LIMITS.sampleBytes;
/** How long the beginning of a body may take to arrive. */
const RECEIVE_MS = 120_000;

export type PreviewedUpload = Pick<Push, "mode" | "format" | "file" | "maxRemovedRatio"> & BodyStart;

export type Receiving = { readonly limits?: PushLimits; readonly maxBytes?: number };

/** Receives the beginning of a body. */
export async function receiveUpload(
  body: PushBody,
  { limits = PUSH_LIMITS, maxBytes = MAX_BYTES }: Receiving = {},
): Promise<PreviewedUpload> {
  const { mode, format, file, maxRemovedRatio } = body;
  const late = AbortSignal.timeout(RECEIVE_MS);
  const signal = AbortSignal.any([body.signal, late]);
  const start = await receiveStart({ ...body, signal }, limits, maxBytes).catch((error: unknown) => {
    throw late.aborted && !body.signal.aborted ? tooSlow() : error;
  });
  if (!start.isWhole) refuseArchive(start.bytes, maxBytes);
  return { mode, format, file, maxRemovedRatio, ...start };
}

const tooSlow = (): AppError =>
  new AppError(
    "body_incomplete",
    `The beginning of the body took longer than ${RECEIVE_MS / 1000} s to arrive. Nothing was changed; send it again.`,
  );

/** An archive has its list of files at the end. */
function refuseArchive(bytes: Buffer, maxBytes: number): void {
  try {
    if (packingOf(bytes) !== "zip") return;
  } catch (error) {
    throw toBodyError(error);
  }
  throw new AppError(
    "body_too_large",
    `A zip archive of more than ${maxBytes} bytes cannot be previewed. Nothing was changed; push it, or preview the file that is in it.`,
  );
}

/** The answer of a worker. */
export async function previewUpload(
  { db, spoolRoot }: Pick<JobDeps, "db" | "spoolRoot">,
  { catalogId, upload }: { readonly catalogId: string; readonly upload: PreviewedUpload },
  signal: AbortSignal,
): Promise<Sampled> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed.");
  const { settings } = catalog;
  return withSpool(spoolRoot, async (folder) => {
    const { events, format, notes } = await openUpload(upload, folder, settings);
    const takeChange = changeReader(db, { catalogId, settings, mode: upload.mode });
    const collected = await collect({ events, settings, signal }, takeChange);
    const { rows, rejections, suggestion, isFull } = collected;
    if (!isFull) refuseNothing(upload, rows.length + rejections.length);
    const scope = { catalogId, sourceId: null, idOwners: PUSH_ID_OWNERS };
    const merged = await withMerge(db, scope, { collected, catalog });
    return {
      probe: null,
      format: format(),
      ...merged,
      // A complete read ends with the notes.
      warnings: isFull ? [...merged.warnings, ...notes()] : merged.warnings,
      suggestion,
      isWhole: upload.isWhole && !isFull,
    };
  });
}

type PushEventStream = AsyncGenerator<readonly PushEvent[], void, void>;
type OpenUpload = {
  readonly events: PushEventStream;
  readonly format: () => string | null;
  readonly notes: () => readonly Warning[];
};

async function openUpload(
  { format, file, mode, bytes, isWhole }: PreviewedUpload,
  folder: string,
  { currency, language }: Pick<CatalogSettings, "currency" | "language">,
): Promise<OpenUpload> {
  if (format !== "file") {
    const chunks = () => texts(Readable.from(pieces(bytes)), { isWhole });
    const events = readPush(chunks, { format, limits: RECORD_LIMITS, isWhole, currency });
    return { events, format: () => JSON_NAMES[format], notes: () => [] };
  }
  const { charset = null, settings = {} } = file ?? {};
  const path = join(folder, "body");
  await writeFile(path, bytes);
  const opened = openFeedFile(
    { path, isWhole, coding: null, charset },
    { limits: FEED_LIMITS, settings, currency, language },
  );
  let found: string | null = null;
  const onFormat = (name: string): void => {
    found = name;
  };
  return {
    events: readOpenFile(opened, { settings, mode, currency, language, limits: FEED_LIMITS, onFormat }),
    format: () => found,
    notes: () => opened.notes().flatMap((event) => (event.kind === "warning" ? [event.warning] : [])),
  };
}

const PIECE_BYTES = 64 * 1024;

/** Small pieces: one is parsed at once, before anything else runs. */
function* pieces(bytes: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

type Changed = {
  readonly catalogId: string;
  readonly mode: Push["mode"];
  readonly settings: CatalogSettings;
};

/** Reads deletions and changes of single fields like `pushSink`. */
function changeReader(db: Db, { catalogId, settings, mode }: Changed): TakeChange {
  return (event) => {
    const { position } = event;
    if (event.kind === "draft") {
      if (!isPatch(event, mode)) return undefined;
      return patchedItems(db, { catalogId, settings }, [event]).then(([item]) => item as Normalized);
    }
    const removal = readRemoval(event, mode, settings);
    return Promise.resolve(
      typeof removal === "string"
        ? { id: removal, position, item: null }
        : { kind: "rejected", rejection: removal },
    );
  };
}

function refuseNothing(upload: PreviewedUpload, seen: number): void {
  if (upload.isWhole) refuseEmptyFile(upload, seen);
  else if (seen === 0)
    throw new AppError(
      "body_too_large",
      `The first ${upload.bytes.length} bytes, which are all that a preview reads, have no product. Nothing was changed; push the file to have it read to its end.`,
    );
}
