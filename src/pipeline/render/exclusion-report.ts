/** All excluded items of a render, as JSON Lines next to its files. The run's statistics have only the first few. */
import { createInterface } from "node:readline";
import type { Exclusion } from "../../channels/channel.ts";
import type { FeedFile } from "../../channels/registry.ts";
import type { FeedFolders } from "../../publish/local-files.ts";
import { AppError } from "../../errors.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";

export const EXCLUSIONS_FILE = "exclusions.jsonl";

export type ExclusionLine = {
  readonly file: string;
  readonly item_id: string;
  readonly code: string;
  readonly field: string | null;
  readonly message: string;
};

/** The lines of the items of one group that one file excludes. */
export function exclusionLines(file: FeedFile, excluded: readonly Exclusion[]): string {
  let text = "";
  for (const { itemId, code, field, message } of excluded) {
    text += `${JSON.stringify({ file, item_id: itemId, code, field, message } satisfies ExclusionLine)}\n`;
  }
  return text;
}

/** All exclusions of the published render, in feed order. Empty before the first render. */
export async function* eachExclusion(
  db: Queries,
  folders: FeedFolders,
  { id, publishedRunId }: { readonly id: string; readonly publishedRunId: string | null },
): AsyncGenerator<ExclusionLine> {
  const [published] = publishedRunId === null ? [] : await listFeedFiles(db, publishedRunId);
  if (!published) return;
  const { folder } = published;
  const input = await folders.open({ catalogId: id, folder, file: EXCLUSIONS_FILE, encoding: "identity" });
  if (!input)
    throw new AppError("not_found", "The list of excluded items is missing. Render the feeds again.");
  for await (const line of createInterface({ input })) yield JSON.parse(line) as ExclusionLine;
}
