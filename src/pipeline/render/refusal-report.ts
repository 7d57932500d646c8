/**
 * All refusals of a render, as JSON Lines next to its files: the items that a file leaves out, or that its destination will
 * refuse. The run's statistics have only the first few.
 */
import { createInterface } from "node:readline";
import type { FeedFile } from "../../channels/registry.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { AppError } from "../../errors.ts";
import type { Queries } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import type { RefusalEntry } from "./tally.ts";

export const REFUSALS_FILE = "refusals.jsonl";

export type RefusalLine = RefusalEntry & { readonly file: string };

export function refusalLine(file: FeedFile, refusal: RefusalEntry): string {
  return `${JSON.stringify({ file, ...refusal } satisfies RefusalLine)}\n`;
}

/** All refusals of the published render, in feed order. Empty before the first render. */
export async function* eachRefusal(
  db: Queries,
  folders: FeedFolders,
  { id, publishedRunId }: { readonly id: string; readonly publishedRunId: string | null },
): AsyncGenerator<RefusalLine> {
  const [published] = publishedRunId === null ? [] : await listFeedFiles(db, publishedRunId);
  if (!published) return;
  const { folder } = published;
  const input = await folders.open({ catalogId: id, folder, file: REFUSALS_FILE, encoding: "identity" });
  if (!input)
    throw new AppError("not_found", "The list of refused items is missing. Render the feeds again.");
  for await (const line of createInterface({ input })) yield JSON.parse(line) as RefusalLine;
}
