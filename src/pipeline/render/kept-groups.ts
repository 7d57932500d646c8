/** What a pass does with groups of the previous render: it keeps their texts, or leaves them out. */
import { FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { RefusalLine } from "./refusal-report.ts";
import type { StoredGroup } from "./item-groups.ts";
import { noteStale, type RenderPass, startGroup } from "./pass.ts";
import type { GroupEntry } from "./render-index.ts";
import { type Tally, tallyRefusal } from "./tally.ts";

/** Whether the texts of the group can be kept: the first text of a file is always written anew. */
export function canKeepTexts(
  { outputs }: RenderPass,
  { files }: GroupEntry,
  hadText: readonly boolean[],
): boolean {
  return files.every(
    ({ bytes }, at) => bytes === 0 || (outputs[at]?.hasText === true && hadText[at] === true),
  );
}

/**
 * Keeps the texts of a group of the previous render. `audited` has the group if its items were audited again. `lines` are its
 * refusals.
 */
export function keepGroup(
  pass: RenderPass,
  entry: GroupEntry,
  { audited, lines }: { readonly audited?: StoredGroup | undefined; readonly lines: readonly RefusalLine[] },
): void {
  startGroup(pass, entry.sortKey);
  pass.items += entry.ids.length;
  noteStale(pass, entry.staleAt);
  for (const [at, { sink }] of pass.outputs.entries()) {
    const { bytes = 0, written = 0 } = entry.files[at] ?? {};
    sink.keep(bytes);
    (pass.tallies[at] as Tally).written += written;
  }
  for (const { file, ...refusal } of lines) {
    const tally = pass.tallies[FEED_FILES.indexOf(file as FeedFile)];
    if (tally) tallyRefusal(tally, refusal);
  }
  pass.refusals.keep(entry.refusalBytes);
  pass.search.keep(entry.searchBytes);
  if (!audited) pass.index.keep(entry);
  else {
    pass.index.skip(entry);
    const { staleAt, files, searchBytes, refusalBytes } = entry;
    const record = pass.audit.record();
    pass.index.write({ ...audited, staleAt, files, searchBytes, refusalBytes, record });
  }
}

/** Leaves out a group of the previous render. */
export function skipGroup(pass: RenderPass, entry: GroupEntry): void {
  for (const [at, { sink }] of pass.outputs.entries()) sink.skip(entry.files[at]?.bytes ?? 0);
  pass.refusals.skip(entry.refusalBytes);
  pass.search.skip(entry.searchBytes);
  pass.index.skip(entry);
}
