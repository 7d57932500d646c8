/** What a catalog has published, for deliveries to destinations. */
import type { PublishedRender } from "../../destinations/deliveries.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";

/** Undefined if there is nothing yet. */
export async function publishedOf(db: Queries, catalogId: string): Promise<PublishedRender | undefined> {
  const runId = (await findCatalog(db, catalogId))?.publishedRunId ?? null;
  return runId === null ? undefined : { runId, files: await listFeedFiles(db, runId) };
}
