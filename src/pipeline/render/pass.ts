/** One pass over the catalog in feed order: writes the files, the list for searches, the exclusions and the index, and audits. */
import type { ItemGroup } from "../../catalog/item.ts";
import { offerAt } from "../../catalog/price-now.ts";
import type { FeedContext, FeedWriter } from "../../channels/channel.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { RenderFolder } from "../../publish/local-files.ts";
import type { SegmentSink } from "../../publish/segment-sink.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { FeedFileRow } from "../../store/feed-files.ts";
import type { AuditOutcome, AuditPass } from "../audit/pass.ts";
import { EXCLUSIONS_FILE, type ExclusionLine, exclusionLines } from "./exclusion-report.ts";
import { IndexWriter } from "./index-writer.ts";
import type { StoredGroup } from "./item-groups.ts";
import {
  type EntryFile,
  type GroupEntry,
  INDEX_FILE,
  type IndexInfo,
  isCandidate,
  type NewEntry,
  sortKeyOf,
} from "./render-index.ts";
import { SEARCH_FILE, searchLines } from "./search-list.ts";
import { newTally, type Tally, tallyExclusion, tallyPiece } from "./tally.ts";

type Output = {
  readonly file: FeedFile;
  readonly writer: FeedWriter;
  readonly sink: SegmentSink;
  readonly tally: Tally;
  readonly headBytes: number;
  /** Whether a group has been written: the first text differs from later ones, for example in its separator. */
  hasText: boolean;
};

export type RenderPass = {
  readonly asOf: Date;
  readonly folder: RenderFolder;
  readonly outputs: readonly Output[];
  readonly exclusions: SegmentSink;
  readonly search: SegmentSink;
  readonly index: IndexWriter;
  readonly audit: AuditPass;
  items: number;
  /** The earliest time at which an item's offer changes without a sync, such as the end of a sale. */
  staleAt: string | null;
  /** Parts of one group follow each other. */
  lastSortKey: Buffer;
};

/** With the index of the previous render, its groups can be kept. */
export async function openPass(
  catalog: Catalog,
  asOf: Date,
  { folder, audit, previous }: { folder: RenderFolder; audit: AuditPass; previous?: IndexInfo | undefined },
): Promise<RenderPass> {
  const { slug, name, settings, snapshotAt } = catalog;
  const context: FeedContext = { catalog: { slug, name }, settings, asOf, snapshotAt };
  const outputs: Output[] = [];
  for (const file of FEED_FILES) {
    const writer = CHANNELS[file].open(context);
    const sink = await folder.sink(file, { isFeed: true });
    const head = writer.head();
    sink.head(head);
    outputs.push({
      file,
      writer,
      sink,
      tally: newTally(),
      headBytes: Buffer.byteLength(head),
      hasText: false,
    });
  }
  const list = async (file: string): Promise<SegmentSink> => {
    const sink = await folder.sink(file, { isFeed: false });
    sink.head("");
    return sink;
  };
  return {
    asOf,
    folder,
    outputs,
    exclusions: await list(EXCLUSIONS_FILE),
    search: await list(SEARCH_FILE),
    index: new IndexWriter(await list(INDEX_FILE), asOf, previous),
    audit,
    items: 0,
    staleAt: null,
    lastSortKey: Buffer.alloc(0),
  };
}

const sinksOf = ({ outputs, exclusions, search, index }: RenderPass): readonly SegmentSink[] => [
  ...outputs.map(({ sink }) => sink),
  exclusions,
  search,
  index.sink,
];

/** Waits for the disk where it is needed. */
export async function drain(pass: RenderPass): Promise<void> {
  for (const sink of sinksOf(pass)) await sink.busy();
}

export async function writeGroups(pass: RenderPass, groups: Iterable<StoredGroup>): Promise<void> {
  for (const group of groups) {
    const audited = pass.audit.add(group.group);
    if (audited) await audited;
    await writeGroup(pass, group);
  }
}

/** Writes a group that was just audited. */
async function writeGroup(pass: RenderPass, stored: StoredGroup): Promise<void> {
  const { group } = stored;
  startGroup(pass, Buffer.from(sortKeyOf(group)));
  pass.items += group.items.length;
  const staleAt = nextChangeOf(group, pass.asOf);
  noteStale(pass, staleAt);
  let exclusionBytes = 0;
  const files: EntryFile[] = [];
  for (const output of pass.outputs) {
    const { file, writer, sink, tally } = output;
    const piece = writer.group(group);
    if (piece.excluded.length > 0) exclusionBytes += pass.exclusions.write(exclusionLines(file, piece));
    const bytes = sink.write(tallyPiece(tally, piece));
    if (bytes > 0) output.hasText = true;
    files.push({ bytes, written: piece.written });
    const busy = sink.busy();
    if (busy) await busy;
  }
  const searchBytes = pass.search.write(searchLines(group.items));
  writeEntry(pass, { ...stored, staleAt, files, searchBytes, exclusionBytes });
}

function writeEntry(pass: RenderPass, entry: Omit<NewEntry, "record">): void {
  pass.index.write({ ...entry, record: pass.audit.record() });
}

/** A group may begin a segment, in every file at the same groups. */
function startGroup(pass: RenderPass, sortKey: Buffer): void {
  const isFirstPart = Buffer.compare(sortKey, pass.lastSortKey) !== 0;
  pass.lastSortKey = sortKey;
  const mayBegin = isFirstPart && isCandidate(sortKey);
  for (const { sink } of pass.outputs) sink.start(mayBegin);
  pass.exclusions.start(mayBegin);
  pass.search.start(mayBegin);
  pass.index.start(mayBegin);
}

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
 * exclusions.
 */
export function keepGroup(
  pass: RenderPass,
  entry: GroupEntry,
  {
    audited,
    lines,
  }: { readonly audited?: StoredGroup | undefined; readonly lines: readonly ExclusionLine[] },
): void {
  startGroup(pass, entry.sortKey);
  pass.items += entry.ids.length;
  noteStale(pass, entry.staleAt);
  for (const [at, { sink, tally }] of pass.outputs.entries()) {
    const { bytes = 0, written = 0 } = entry.files[at] ?? {};
    sink.keep(bytes);
    tally.written += written;
  }
  for (const { file, ...exclusion } of lines) {
    const output = pass.outputs.find((one) => one.file === file);
    if (output) tallyExclusion(output.tally, exclusion);
  }
  pass.exclusions.keep(entry.exclusionBytes);
  pass.search.keep(entry.searchBytes);
  if (!audited) pass.index.keep(entry);
  else {
    pass.index.skip(entry);
    const { staleAt, files, searchBytes, exclusionBytes } = entry;
    writeEntry(pass, { ...audited, staleAt, files, searchBytes, exclusionBytes });
  }
}

/** Leaves out a group of the previous render. */
export function skipGroup(pass: RenderPass, entry: GroupEntry): void {
  for (const [at, { sink }] of pass.outputs.entries()) sink.skip(entry.files[at]?.bytes ?? 0);
  pass.exclusions.skip(entry.exclusionBytes);
  pass.search.skip(entry.searchBytes);
  pass.index.skip(entry);
}

function noteStale(pass: RenderPass, at: string | null): void {
  if (at !== null && (pass.staleAt === null || at < pass.staleAt)) pass.staleAt = at;
}

/** ISO instants compare as text. An item that only expires is skipped: no row of a feed changes then. */
function nextChangeOf({ items }: ItemGroup, asOf: Date): string | null {
  let next: string | null = null;
  for (const item of items) {
    if (item.saleFrom === undefined && item.saleTo === undefined && item.availabilityDate === undefined)
      continue;
    const { nextChangeAt } = offerAt(item, asOf);
    if (nextChangeAt !== null && (next === null || nextChangeAt < next)) next = nextChangeAt;
  }
  return next;
}

/** Finishes all files. A file with the same bytes as the published one keeps its date, so that caches stay valid. */
export async function finishFiles(
  { outputs, exclusions, search, asOf }: RenderPass,
  before: ReadonlyMap<string, FeedFileRow>,
  folder: string,
): Promise<readonly FeedFileRow[]> {
  const files = await Promise.all(
    outputs.map(async ({ file, writer, sink, tally }): Promise<FeedFileRow> => {
      const bytes = await sink.finish(writer.tail());
      const previous = before.get(file);
      const changed = previous?.sha256 !== bytes.sha256;
      const lastModified = changed || !previous ? asOf : previous.lastModified;
      const { written, excluded } = tally;
      return { file, folder, ...bytes, changed, lastModified, written, excluded };
    }),
  );
  await exclusions.finish();
  await search.finish();
  return files;
}

export async function finishIndex(
  { folder, index, items, outputs }: RenderPass,
  made: Pick<IndexInfo, "basis" | "base" | "effects" | "context">,
  outcome: AuditOutcome,
): Promise<void> {
  const heads = outputs.map(({ headBytes }) => headBytes);
  await index.finish(folder, { ...made, items, heads }, outcome);
}
