/** What a pass does with groups of the previous render: it keeps their texts, or leaves them out. */
import type { DirectoryRecord } from "./index-directory.ts";
import type { StoredGroup } from "./item-groups.ts";
import { type RenderPass, startGroup } from "./pass.ts";
import type { GroupEntry } from "./render-index.ts";

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

/** Keeps the texts of a group of the previous render. `audited` has the group if its items were audited again. */
export function keepGroup(pass: RenderPass, entry: GroupEntry, audited?: StoredGroup): void {
  startGroup(pass, entry.sortKey);
  for (const [at, { sink }] of pass.outputs.entries()) sink.keep(entry.files[at]?.bytes ?? 0);
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

/** Whether all files can keep their texts of a segment without looking at its groups. */
export function canKeepSegment(
  { outputs, refusals, search, index }: RenderPass,
  { lengths }: DirectoryRecord,
  hadText: readonly boolean[],
): boolean {
  return (
    // The kept segment must be a segment of the new index, too, because it keeps its record in the directory.
    index.sink.isInStep &&
    refusals.canKeepRun(lengths.refusals) &&
    search.canKeepRun(lengths.search) &&
    outputs.every(({ sink, hasText }, at) => {
      const length = lengths.files[at] ?? 0;
      return length === 0 || (hasText && hadText[at] === true && sink.canKeepRun(length));
    })
  );
}

export function keepSegment(pass: RenderPass, record: DirectoryRecord): void {
  const { files, refusals, search } = record.lengths;
  for (const [at, { sink }] of pass.outputs.entries()) sink.keepRun(files[at] ?? 0);
  pass.refusals.keepRun(refusals);
  pass.search.keepRun(search);
  pass.index.keepSegment(record);
}

/** Leaves out a group of the previous render. */
export function skipGroup(pass: RenderPass, entry: GroupEntry): void {
  for (const [at, { sink }] of pass.outputs.entries()) sink.skip(entry.files[at]?.bytes ?? 0);
  pass.refusals.skip(entry.refusalBytes);
  pass.search.skip(entry.searchBytes);
  pass.index.skip(entry);
}
