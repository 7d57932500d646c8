/**
 * What the served files have of an item, next to what they would have if they were rendered now. The two differ while a
 * render is held, after one was discarded, after a rollback, and until the render after a change is done.
 */
import type { PublishedItem, ServedDifference } from "../../../contract/items.ts";
import type { FeedFile } from "../../../channels/registry.ts";
import type { FeedFolders } from "../../../files/feed-folders.ts";
import { DamagedFile } from "../../../files/stored-files.ts";
import type { Catalog } from "../../../store/catalogs.ts";
import type { Queries } from "../../../store/db.ts";
import { listFeedFiles } from "../../../store/feed-files.ts";
import { findRun } from "../../../store/runs.ts";
import { findIndexed, readIndexInfo } from "../../render/compare-indexes.ts";
import type { Members } from "../../render/feed-members.ts";
import { feedContext, feedPart, type FeedPart, type Placed } from "../../render/item-in-feeds.ts";
import type { RenderStats } from "../../render/render.ts";
import { baseOf } from "../../render/render.ts";
import { changedFields, FILES } from "./compare-files.ts";
import { fileAt, RenderTexts } from "./render-texts.ts";

export type ServedDeps = { readonly db: Queries; readonly folders: FeedFolders };

/** Null before the first publication. */
export async function publishedItem(
  { db, folders }: ServedDeps,
  catalog: Catalog,
  placed: Placed,
): Promise<PublishedItem | null> {
  const run = catalog.publishedRunId === null ? undefined : await findRun(db, catalog.publishedRunId);
  if (!run?.finishedAt) return null;
  const { base, stale_at: staleAt } = run.stats as Partial<RenderStats>;
  const isStale = typeof staleAt === "string" && staleAt <= new Date().toISOString();
  const isCurrent = base === baseOf(catalog) && !isStale;
  const [file] = isCurrent ? [] : await listFeedFiles(db, run.id);
  const render = file && { catalogId: catalog.id, folder: file.folder };
  return {
    run_id: run.id,
    rendered_at: run.finishedAt.toISOString(),
    is_current: isCurrent,
    differences: isCurrent ? [] : render ? await differences(folders, render, { catalog, placed }) : null,
  };
}

type Compared = { readonly catalog: Catalog; readonly placed: Placed };

/** Null if the files were made by an earlier version of the program, or are damaged: then nothing is known. */
async function differences(
  folders: FeedFolders,
  render: { readonly catalogId: string; readonly folder: string },
  { catalog, placed }: Compared,
): Promise<readonly ServedDifference[] | null> {
  const info = await readIndexInfo(folders, render);
  const texts = info && (await RenderTexts.open(folders, render, info));
  if (!texts) return null;
  try {
    const found = await findIndexed(folders, render, placed.group.items[placed.at]?.id ?? "");
    const context = feedContext(catalog);
    const all: ServedDifference[] = [];
    for (const file of FILES) {
      const served = found && (await texts.of(found).membersOf(file, found.at));
      all.push(...differencesIn(fileAt(file), served, feedPart(fileAt(file), placed, context)));
    }
    return all;
  } catch (error) {
    if (error instanceof DamagedFile) return null;
    throw error;
  } finally {
    await texts.close();
  }
}

/** `served` is undefined if the served file does not have the item. */
function differencesIn(
  file: FeedFile,
  served: Members | undefined,
  { refusal, members }: FeedPart,
): readonly ServedDifference[] {
  const now = refusal?.isWritten === false ? undefined : members();
  if (served && now)
    return changedFields(file, served, now).map(({ field, before, after }) => ({
      file,
      field,
      served: before,
      catalog: after,
    }));
  if (!served && !now) return [];
  return [{ file, field: null, served: null, catalog: null, is_served: served !== undefined }];
}
