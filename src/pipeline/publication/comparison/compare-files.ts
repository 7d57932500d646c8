/**
 * What differs between the files of two renders: items and fields that were added, removed or changed, in feed order.
 * Parts that both renders share are not read, and memory is bounded by the largest group that is rendered at once.
 */
import { FEED_FILES, type FeedFile } from "../../../channels/registry.ts";
import type { FeedFolders } from "../../../files/feed-folders.ts";
import {
  type ComparedItem,
  compareIndexes,
  type IndexedItem,
  type RenderRef,
} from "../../render/compare-indexes.ts";
import type { Members } from "../../render/feed-members.ts";
import type { IndexInfo } from "../../render/render-index.ts";
import { fileAt, type GroupTexts, hasSameIds, type GroupRefusal, RenderTexts } from "./render-texts.ts";

export type ChangeKind = "added" | "removed" | "changed";

/** An item, or a field of an item, in one file. */
export type FileChange = {
  readonly file: FeedFile;
  readonly change: ChangeKind;
  /** The column, or the path in the JSON object; null: the whole item. */
  readonly field: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** Why one of the renders leaves the item out of the file. */
  readonly leftOut?: GroupRefusal | undefined;
};

export type ItemDifference = {
  readonly id: string;
  /** In the catalog. */
  readonly change: ChangeKind;
  readonly compared: ComparedItem;
  readonly changes: readonly FileChange[];
};

/** A render whose files are there. */
export type OpenedRender = RenderRef & { readonly info: IndexInfo; readonly texts: RenderTexts };

/** Undefined if its files are gone. */
export async function openRender(
  folders: FeedFolders,
  { catalogId, folder }: RenderRef,
  info: IndexInfo,
): Promise<OpenedRender | undefined> {
  const texts = await RenderTexts.open(folders, { catalogId, folder }, info);
  return texts && { catalogId, folder, info, texts };
}

/** In batches; a batch may be empty. */
export async function* compareFiles(
  folders: FeedFolders,
  renders: { readonly before: OpenedRender; readonly after: OpenedRender },
): AsyncGenerator<readonly ItemDifference[]> {
  const texts = { before: renders.before.texts, after: renders.after.texts };
  const pairs = new PairedGroups();
  for await (const batch of compareIndexes(folders, renders, { withEqual: true })) {
    const differences: ItemDifference[] = [];
    for (const compared of batch) {
      const difference = await differenceOf(compared, texts, pairs);
      if (difference) differences.push(difference);
    }
    yield differences;
  }
}

type Texts = { readonly before: RenderTexts; readonly after: RenderTexts };

async function differenceOf(
  compared: ComparedItem,
  texts: Texts,
  pairs: PairedGroups,
): Promise<ItemDifference | undefined> {
  const { before, after } = compared;
  if (before && after) {
    const changes = await changesOfBoth({ before, after }, texts, pairs);
    return changes.length === 0
      ? undefined
      : { id: after.id.toString(), change: "changed", compared, changes };
  }
  if (before) return differenceOfOne(compared, before, { texts: texts.before, change: "removed" });
  return after && differenceOfOne(compared, after, { texts: texts.after, change: "added" });
}

/** An item that only one of the renders has. */
async function differenceOfOne(
  compared: ComparedItem,
  item: IndexedItem,
  { texts, change }: { readonly texts: RenderTexts; readonly change: "added" | "removed" },
): Promise<ItemDifference> {
  const changes: FileChange[] = [];
  for (const file of FILES)
    if (await texts.of(item).has(file, item.at)) changes.push(whole(fileAt(file), change));
  return { id: item.id.toString(), change, compared, changes };
}

async function changesOfBoth(
  { before, after }: { readonly before: IndexedItem; readonly after: IndexedItem },
  texts: Texts,
  pairs: PairedGroups,
): Promise<readonly FileChange[]> {
  const [was, is] = [texts.before.of(before), texts.after.of(after)];
  const changes: FileChange[] = [];
  for (const file of await pairs.changedFiles(was, is)) {
    const [old, fresh] = [await was.membersOf(file, before.at), await is.membersOf(file, after.at)];
    if (old && fresh) changes.push(...changedFields(fileAt(file), old, fresh));
    else if (old) changes.push(whole(fileAt(file), "removed", await is.leftOutOf(file, after.at)));
    else if (fresh) changes.push(whole(fileAt(file), "added", await was.leftOutOf(file, before.at)));
  }
  return changes;
}

export const FILES = FEED_FILES.map((_, file) => file);

const whole = (file: FeedFile, change: ChangeKind, leftOut?: GroupRefusal): FileChange => ({
  leftOut,
  file,
  change,
  field: null,
  before: null,
  after: null,
});

export function changedFields(file: FeedFile, before: Members, after: Members): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (const [field, value] of before) {
    const now = after.get(field) ?? null;
    if (now === value) continue;
    changes.push({ file, change: now === null ? "removed" : "changed", field, before: value, after: now });
  }
  for (const [field, value] of after)
    if (!before.has(field)) changes.push({ file, change: "added", field, before: null, after: value });
  return changes;
}

/** Which files differ for the groups of two renders; of the last two, as their items follow each other. */
class PairedGroups {
  private was: GroupTexts | undefined;
  private is: GroupTexts | undefined;
  private files: readonly number[] = [];

  async changedFiles(was: GroupTexts, is: GroupTexts): Promise<readonly number[]> {
    if (this.was === was && this.is === is) return this.files;
    const isSameGroup = hasSameIds(was.place.entry, is.place.entry);
    const files: number[] = [];
    for (const file of FILES) if (!isSameGroup || !(await was.isSame(file, is))) files.push(file);
    [this.was, this.is, this.files] = [was, is, files];
    return files;
  }
}
