/**
 * Compares the items of two renders by their indexes, in feed order. Segments that both indexes have are not read: comparing
 * costs what has changed. An item that was moved to another group is one that was removed and one that was added.
 */
import { DamagedFile, type SegmentedFile } from "../../files/stored-files.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { compareItems, flatten, type Flattened, type Place } from "./feed-order.ts";
import { entriesOf, type IndexEntry } from "./index-entry.ts";
import { FACTS_BYTES, type ItemFacts, readFacts } from "./item-facts.ts";
import {
  type GroupEntry,
  INDEX_DIRECTORY_FILE,
  INDEX_FILE,
  INDEX_INFO_FILE,
  INDEX_VERSION,
  type IndexInfo,
  isSameFingerprint,
} from "./render-index.ts";
import { decodeDirectory, type DirectoryRecord, OffsetCounter, type Offsets } from "./index-directory.ts";

/** The folder of a render. */
export type RenderRef = { readonly catalogId: string; readonly folder: string };

/** An item of one of the renders. */
export type IndexedItem = Place & {
  readonly entry: GroupEntry;
  /** The place among the items of its entry. */
  readonly at: number;
  /** Where the texts of its group, or of the part of a large group, begin in the files. */
  readonly offsets: Offsets;
};

/** An item that only one of the renders has, or that both have. */
export type ComparedItem = {
  readonly before: IndexedItem | undefined;
  readonly after: IndexedItem | undefined;
};

export const factsOf = ({ entry, at }: IndexedItem): ItemFacts => readFacts(entry.facts, at * FACTS_BYTES);

/** Undefined if the render has no index that this version of the program can read. */
export async function readIndexInfo(folders: FeedFolders, render: RenderRef): Promise<IndexInfo | undefined> {
  const text = await folders.read({ ...render, file: INDEX_INFO_FILE });
  const info = text && (JSON.parse(text.toString()) as IndexInfo);
  return info?.version === INDEX_VERSION ? info : undefined;
}

export type CompareOptions = {
  /**
   * Whether to yield items that are equal in both renders but not in a part that both share. Their texts may differ
   * nevertheless, if the settings of the catalog or the program are others.
   */
  readonly withEqual?: boolean;
};

const BATCH = 500;

/** The items of the two renders that differ, in feed order, in batches. Throws `DamagedFile` if an index cannot be read. */
export async function* compareIndexes(
  folders: FeedFolders,
  renders: { readonly before: RenderRef; readonly after: RenderRef },
  { withEqual = false }: CompareOptions = {},
): AsyncGenerator<readonly ComparedItem[]> {
  await using before = await openIndex(folders, renders.before);
  await using after = await openIndex(folders, renders.after);
  for (const [was, is] of unsharedRuns(before, after)) {
    const [old, fresh] = [flatten(before.entries(was), itemsOf), flatten(after.entries(is), itemsOf)];
    for await (const items of mergeItems(old, fresh)) {
      const wanted = withEqual ? items : items.filter((item) => !isEqual(item));
      if (wanted.length > 0) yield wanted;
    }
  }
}

function isEqual({ before, after }: ComparedItem): boolean {
  if (!before || !after) return false;
  const [a, b] = [before.entry, after.entry];
  const [start, bStart] = [before.at * FACTS_BYTES, after.at * FACTS_BYTES];
  return (
    isSameFingerprint(a.fingerprints, before.at, b.fingerprints, after.at) &&
    isSameFingerprint(a.sources, before.at, b.sources, after.at) &&
    a.facts.compare(b.facts, bStart, bStart + FACTS_BYTES, start, start + FACTS_BYTES) === 0
  );
}

async function* mergeItems(
  before: Flattened<IndexedItem>,
  after: Flattened<IndexedItem>,
): AsyncGenerator<readonly ComparedItem[]> {
  let [was, is] = [await before.next(), await after.next()];
  let batch: ComparedItem[] = [];
  while (was !== undefined || is !== undefined) {
    const order = compareItems(was, is);
    batch.push({ before: order <= 0 ? was : undefined, after: order >= 0 ? is : undefined });
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
    if (order <= 0) was = before.take() ?? (await before.next());
    if (order >= 0) is = after.take() ?? (await after.next());
  }
  yield batch;
}

type PlacedEntry = { readonly entry: GroupEntry; readonly offsets: Offsets };

const itemsOf = ({ entry, offsets }: PlacedEntry): readonly IndexedItem[] =>
  entry.ids.map((id, at) => ({
    sortKey: entry.sortKey,
    isGrouped: entry.isGrouped,
    id,
    entry,
    at,
    offsets,
  }));

/** Segments up to but not including `end`. */
type Run = { readonly start: number; readonly end: number };

/** The runs of segments between those that both indexes have. In feed order, a shared segment splits both alike. */
function* unsharedRuns(before: OpenIndex, after: OpenIndex): Generator<readonly [Run, Run]> {
  const places = before.segmentPlaces();
  let [was, is] = [0, 0];
  for (const [place, at] of after.segmentPlaces()) {
    const shared = places.get(place);
    if (shared === undefined || shared < was) continue;
    yield [
      { start: was, end: shared },
      { start: is, end: at },
    ];
    [was, is] = [shared + 1, at + 1];
  }
  yield [
    { start: was, end: before.segments },
    { start: is, end: after.segments },
  ];
}

/**
 * Finds one item of a render. Reads the index up to it: the item may have been in another group then. Undefined if the render does not
 * have the item. Throws `DamagedFile` if the index cannot be read.
 */
export async function findIndexed(
  folders: FeedFolders,
  render: RenderRef,
  id: string,
): Promise<IndexedItem | undefined> {
  await using index = await openIndex(folders, render);
  const found = await index.find(Buffer.from(id));
  return found;
}

async function openIndex(folders: FeedFolders, render: RenderRef): Promise<OpenIndex> {
  const info = await readIndexInfo(folders, render);
  if (!info) throw new DamagedFile("the render has no index, or that of an earlier version");
  return OpenIndex.open(folders, render, info);
}

export class OpenIndex {
  private readonly file: SegmentedFile;
  private readonly offsets: OffsetCounter;
  /** The segments before it have been read or skipped. */
  private next = 0;
  /** The segments with entries. The first one of the file is empty. */
  readonly directory: readonly DirectoryRecord[];

  private constructor(file: SegmentedFile, directory: readonly DirectoryRecord[], heads: readonly number[]) {
    this.file = file;
    this.directory = directory;
    this.offsets = new OffsetCounter(heads);
  }

  static async open(
    folders: FeedFolders,
    render: RenderRef,
    { heads }: Pick<IndexInfo, "heads">,
  ): Promise<OpenIndex> {
    const directory = await folders.read({ ...render, file: INDEX_DIRECTORY_FILE });
    const file = directory && (await folders.openSegmented({ ...render, file: INDEX_FILE }));
    if (!file) throw new DamagedFile("a part of the index of the render is missing");
    return new OpenIndex(file, decodeDirectory(directory), heads);
  }

  /** The entries of a record of the directory. */
  async entriesAt(record: number): Promise<readonly IndexEntry[]> {
    return entriesOf(await this.file.read(record + 1));
  }

  get segments(): number {
    return this.file.list.length;
  }

  /** Where the bytes of each segment are, and which segment it is. Empty ones, at the ends, are left out. */
  segmentPlaces(): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (let index = 0; index < this.segments; index++) {
      const { folder, at, bytes } = this.file.list.at(index);
      if (bytes > 0) places.set(`${folder}/${at}/${bytes}`, index);
    }
    return places;
  }

  /** The entries of a run, a segment at a time. Runs are read from front to back. */
  async *entries({ start, end }: Run): AsyncGenerator<readonly PlacedEntry[]> {
    for (; this.next < start; this.next++) this.skip();
    for (; this.next < end; this.next++) yield this.placed(await this.file.read(this.next));
  }

  async find(id: Buffer): Promise<IndexedItem | undefined> {
    for (; this.next < this.segments; this.next++) {
      const segment = await this.file.read(this.next);
      // Looking for the bytes is much faster than reading the entries.
      if (!segment.includes(id)) this.skip();
      else
        for (const placed of this.placed(segment)) {
          const found = itemsOf(placed).find((item) => item.id.equals(id));
          if (found) return found;
        }
    }
    return undefined;
  }

  /** The first segment is the empty head of the file, which has no lengths. */
  private skip(): void {
    const record = this.directory[this.next - 1];
    if (record) this.offsets.skipSegment(record);
  }

  private placed(segment: Buffer): readonly PlacedEntry[] {
    return entriesOf(segment).map((entry) => {
      const offsets = this.offsets.offsets();
      this.offsets.skipEntry(entry);
      return { entry, offsets };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file.close();
  }
}
