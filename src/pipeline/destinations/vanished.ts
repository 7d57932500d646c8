/**
 * Finds the rows that a destination has got and that are not in the published files any more, by comparing the two
 * renders.
 */
import {
  addVanished,
  expireVanished,
  lastDeliveredRun,
  listVanished,
  removeVanished,
  type VanishedRow,
} from "../../destinations/vanished.sql.ts";
import type { DestinationRow } from "../../destinations/destinations.sql.ts";
import { asGone, idsOf, keepsVanished, rowsOf } from "../../destinations/vanished.ts";
import type { TextSet } from "../../lib/text-table.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import { feedMissing, type UploadDeps } from "./upload-deps.ts";

const FILE = "acp.json";
const BATCH = 500;

type Vanished = { readonly count: number; readonly rows: AsyncIterable<readonly string[]> };

/** Undefined: none. An attempt that is repeated finds the same. */
export async function findVanished(
  deps: UploadDeps,
  { id, catalogId, format, vanishedDays }: DestinationRow,
  runId: string,
): Promise<Vanished | undefined> {
  if (vanishedDays === 0 || !keepsVanished(format)) return undefined;
  const { db } = deps;
  const now = await acpJson(deps, runId);
  const before = await acpJson(deps, await lastDeliveredRun(db, id));
  if (now && before && now.etag !== before.etag) {
    const published = (await opened(deps, catalogId, now)) ?? fail(feedMissing(FILE));
    const ids = await idsOf(published);
    await forgetReturned(deps, id, ids);
    // Without the earlier file nothing is known to have vanished.
    const earlier = await opened(deps, catalogId, before);
    if (earlier) await addMissing(deps, id, { ids, before: earlier });
  }
  const count = await expireVanished(db, id, vanishedDays);
  return count === 0 ? undefined : { count, rows: textsOf(listVanished(db, id)) };
}

async function acpJson({ db }: UploadDeps, runId: string | undefined): Promise<FeedFileRow | undefined> {
  if (runId === undefined) return undefined;
  return (await listFeedFiles(db, runId)).find(({ file }) => file === FILE);
}

async function opened(
  { folders }: UploadDeps,
  catalogId: string,
  { folder, file }: FeedFileRow,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  return folders.open({ catalogId, folder, file, encoding: "identity" });
}

function fail(error: Error): never {
  throw error;
}

async function forgetReturned({ db }: UploadDeps, id: string, ids: TextSet): Promise<void> {
  for await (const rows of listVanished(db, id)) {
    const returned = rows.filter((row) => ids.has(row.id)).map((row) => row.id);
    if (returned.length > 0) await removeVanished(db, id, returned);
  }
}

async function addMissing(
  { db }: UploadDeps,
  id: string,
  { ids, before }: { readonly ids: TextSet; readonly before: AsyncIterable<Uint8Array> },
): Promise<void> {
  let missing: VanishedRow[] = [];
  for await (const { id: itemId, line } of rowsOf(before)) {
    if (ids.has(itemId)) continue;
    missing.push({ id: itemId, row: asGone(line) });
    if (missing.length < BATCH) continue;
    await addVanished(db, id, missing);
    missing = [];
  }
  if (missing.length > 0) await addVanished(db, id, missing);
}

async function* textsOf(pages: AsyncIterable<readonly VanishedRow[]>): AsyncGenerator<readonly string[]> {
  for await (const rows of pages) yield rows.map(({ row }) => row);
}
