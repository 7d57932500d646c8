import type { Queries } from "../../../store/db.ts";
import { areSameFiles, listFeedFiles, type RenderedFile } from "../../../store/feed-files.ts";
import type { PublicationState } from "../../../store/publication-pauses.ts";
import type { GuardVerdict } from "./guard.ts";

/** While publication is paused, every render is held that would change a file. */
export async function withPause(
  db: Queries,
  { publishedRunId, pause }: PublicationState,
  { files, verdict }: { readonly files: readonly RenderedFile[]; readonly verdict: GuardVerdict },
): Promise<GuardVerdict> {
  if (!pause || verdict.replacesLost || publishedRunId === null) return verdict;
  if (areSameFiles(files, await listFeedFiles(db, publishedRunId))) return verdict;
  const message = `Publication has been paused since ${pause.since.toISOString()} (${pause.by}: ${pause.reason}). Release it to publish again.`;
  const paused = {
    signal: "publication_paused",
    subject: null,
    before: null,
    after: null,
    change: null,
    limit: null,
    message,
  };
  return { ...verdict, exceeded: [paused, ...verdict.exceeded] };
}
