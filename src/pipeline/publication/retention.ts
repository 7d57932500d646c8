/** Decides which renders of a catalog are kept. */
import type { FeedFolders } from "../../files/feed-folders.ts";
import { tryLockCatalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { listPublishedFolders, markRemoved, neededFolders } from "../../store/render-retention.ts";

export type RenderRetention = {
  /** How many different ones, with the published one. */
  readonly keepRenders: number;
  /** What the files of earlier ones may take, in addition to those that are needed. */
  readonly keepRenderBytes: number;
};

/**
 * The folders of the renders that are kept. Those of others may be deleted: from now on nobody can roll back to them.
 * Undefined while the catalog is being changed; the next pass decides.
 */
export async function keptFolders(
  { db, folders }: { readonly db: Db; readonly folders: FeedFolders },
  catalogId: string,
  { keepRenders, keepRenderBytes }: RenderRetention,
): Promise<ReadonlySet<string> | undefined> {
  return db.tx(async (tx) => {
    if (!(await tryLockCatalog(tx, catalogId))) return undefined;
    const needed = await neededFolders(tx, catalogId);
    const earlier = await listPublishedFolders(tx, catalogId, keepRenders);
    const kept = await folders.keepWithin(catalogId, { needed, earlier, maxBytes: keepRenderBytes });
    await markRemoved(tx, catalogId, kept);
    return kept;
  });
}
