/**
 * One push: reads the stored body into staging, checks the numbers, merges, and finishes the run in the same transaction.
 * Pushed items belong to no source: a replacement removes pushed items only, and an id that a source owns is refused. If
 * anything fails, nothing is changed.
 */
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Rejection } from "../../catalog/finding.ts";
import { readId } from "../../catalog/normalize/identity.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { RECORD_LIMITS } from "../../sources/product-record/limits.ts";
import { type PushEvent, readPush } from "../../sources/push/read.ts";
import { findCatalog, lockItems } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import {
  countPushedItems,
  dropPush,
  findChunk,
  findPush,
  type Push,
  recordReplacement,
} from "../../store/pushes.ts";
import { saveKeyStats } from "../../store/push-keys.ts";
import { openStaging, type StagedCounts } from "../../store/staging.ts";
import { Ledger } from "../sync/ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { effectsOf } from "../enrich/effects.ts";
import { type Change, intake, type Sink } from "../intake.ts";
import type { Job, JobDeps } from "../job.ts";
import { mergeStaged, PUSH_ID_OWNERS } from "../sync/merge-staged.ts";
import { withSpool } from "../sync/spool.ts";
import { stage, stagingSink } from "../sync/stage.ts";
import { succeed } from "../sync/sync.ts";
import { readPushedFile, spoolBody } from "./file.ts";
import { isPatch, openPatches, type Patches, type PushContext } from "./patches.ts";

export async function applyPush({ db, spoolRoot }: JobDeps, job: Job): Promise<SyncStats> {
  const push = await findPush(db, job.run.id);
  const catalog = await findCatalog(db, job.run.catalogId);
  if (!push || push.parts === null || !catalog) {
    throw new AppError(
      "body_incomplete",
      "The server stopped before the whole body had arrived. Nothing was changed; send it again.",
    );
  }
  const ledger = new Ledger();
  job.progress(() => ledger.stats(), "reading");
  job.listIssues(() => ledger.issues());
  const apply = async (events: AsyncGenerator<readonly PushEvent[], void, void>): Promise<SyncStats> =>
    db.session(async (session) => {
      const staging = await openStaging(session);
      const { settings } = catalog;
      const context: PushContext = { staging, ledger, settings };
      const { sink, removals } = pushSink(context, push.mode, openPatches(db, catalog.id, context));
      await intake({ events, settings, signal: job.signal }, sink);
      refuseEmptyFile(push, ledger.seen);
      job.progress(() => ledger.stats(), "merging");
      const staged = await staging.finish();
      return session.tx(async (tx) => merge(tx, job, { push, ledger, staged, removals: removals() }));
    });
  const { format, file, mode, parts } = push;
  const bytes = () => bodyBytes(db, push.runId, parts);
  const { currency } = catalog.settings;
  if (format !== "file")
    return apply(readPush(() => texts(bytes()), { format, limits: RECORD_LIMITS, currency }));
  return withSpool(spoolRoot, async (folder) => {
    const path = await spoolBody(bytes(), folder);
    return apply(readPushedFile({ charset: null, settings: {}, ...file, path, mode, currency }));
  });
}

/** A file with a header and no rows is what a failed export leaves; it must not empty the catalog. */
export function refuseEmptyFile(
  { format, mode, maxRemovedRatio }: Pick<Push, "format" | "mode" | "maxRemovedRatio">,
  seen: number,
): void {
  if (format !== "file" || mode !== "replace" || seen > 0 || maxRemovedRatio >= 1) return;
  throw new AppError(
    "body_malformed",
    "The file has no products in it. Nothing was changed; send a file with products. To remove all pushed items, push again and allow the removal (max_removed_ratio=1).",
  );
}

const unpack = promisify(zstdDecompress);

async function* bodyBytes(db: Db, runId: string, parts: number): AsyncGenerator<Uint8Array, void, void> {
  for (let part = 0; part < parts; part += 1) {
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

/**
 * Each row of an update changes the fields that it has, unless the row says that it replaces its item. The sink stages such changes
 * and removals, and counts the removals.
 */
function pushSink(
  context: PushContext,
  mode: Push["mode"],
  patches: Patches,
): { readonly sink: Sink; readonly removals: () => number } {
  let removals = 0;
  const stageRemoval = async (position: number, id: string): Promise<void> => {
    await context.staging.remove(position, id);
    removals += 1;
  };
  const take = (event: Change): Promise<void> | undefined | false => {
    if (event.kind === "draft") return isPatch(event, mode) && patches.add(event);
    const removal = readRemoval(event, mode, context.settings);
    return typeof removal === "string"
      ? stageRemoval(event.position, removal)
      : stage({ kind: "rejected", rejection: removal }, event.position, context);
  };
  return { sink: { ...stagingSink(context), take, flush: patches.flush }, removals: () => removals };
}

/** The id of the item to delete, or why the deletion is rejected. */
export function readRemoval(
  { draft, position }: Extract<Change, { kind: "removal" }>,
  mode: Push["mode"],
  settings: CatalogSettings,
): string | Rejection {
  const id = readId({ draft, position, settings, decimalMark: undefined, warnings: [], itemId: null });
  if (id.kind === "rejected") return id.rejection;
  return mode === "update" ? id.value : refusedRemoval(id.value, position);
}

function refusedRemoval(itemId: string, position: number): Rejection {
  const message = "A full replacement takes no deletions: leave the item out, or use PATCH.";
  return { itemId, position, field: "delete", code: "unreadable_row", message };
}

type PushMerge = {
  readonly push: Push;
  readonly ledger: Ledger;
  readonly staged: StagedCounts;
  readonly removals: number;
};

async function merge(
  tx: Queries,
  job: Job,
  { push, ledger, staged, removals }: PushMerge,
): Promise<SyncStats> {
  const { catalogId, id: runId } = job.run;
  const isWhole = push.mode === "replace";
  const { effects, ...before } = await lockAndCount(tx, catalogId);
  const stats = await mergeStaged(tx, {
    scope: { catalogId, sourceId: null, mode: isWhole ? "replace" : "patch" },
    before,
    effects,
    ledger,
    staged,
    removals,
    idOwners: PUSH_ID_OWNERS,
    limit: isWhole
      ? {
          maxRemovedRatio: push.maxRemovedRatio,
          action: "This push",
          owner: "the",
          advice: "If the catalog really shrank, push again and allow the removal (max_removed_ratio=1).",
          repair: "Correct the items and push again.",
        }
      : null,
  });
  await saveKeyStats(tx, runId, stats);
  if (isWhole) await recordReplacement(tx, catalogId, runId);
  await dropPush(tx, runId);
  await succeed(tx, job, stats);
  return stats;
}

async function lockAndCount(tx: Queries, catalogId: string) {
  await lockItems(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed while it was being pushed to.");
  return {
    catalog: catalog.itemCount,
    source: await countPushedItems(tx, catalogId),
    effects: await effectsOf(tx, catalog),
  };
}
