/** One pass over the catalog in feed order: writes the files, the list for searches, the refusals and the index, and audits. */
import { type GroupRecord, placeOf } from "../../audit/audit.ts";
import type { ItemGroup } from "../../catalog/item.ts";
import { offerAt } from "../../catalog/price-now.ts";
import type { FeedContext } from "../../channels/channel.ts";
import { FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { RenderFolder } from "../../files/feed-folders.ts";
import type { SegmentSink } from "../../files/segment-sink.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { RenderedFile } from "../../store/feed-files.ts";
import type { AuditPass } from "../audit/pass.ts";
import { REFUSALS_FILE, refusalLine } from "./refusal-report.ts";
import { FeedOutput, type GroupOutput } from "./feed-output.ts";
import type { FeedThreads } from "./feed-threads.ts";
import { IndexWriter } from "./index-writer.ts";
import type { StoredGroup } from "./item-groups.ts";
import { INDEX_FILE, type IndexInfo } from "./render-index.ts";
import { SEARCH_FILE, searchLines } from "./search-list.ts";
import { SegmentStarts, sortKeyOf } from "./segment-starts.ts";
import { refusalEntry, Tally } from "./tally.ts";

export type RenderPass = {
  readonly asOf: Date;
  readonly folder: RenderFolder;
  /** For each feed, in the order of `FEED_FILES`. */
  readonly tallies: readonly Tally[];
  /** The feeds that are rendered here: all of them, or none if threads do it. */
  readonly outputs: readonly FeedOutput[];
  readonly threads: FeedThreads | null;
  /** What threads have not rendered yet. */
  readonly waiting: WaitingGroups[];
  readonly starts: SegmentStarts;
  readonly refusals: SegmentSink;
  readonly search: SegmentSink;
  readonly index: IndexWriter;
  readonly audit: AuditPass;
  /** The lookups of changed groups that look up what they did before, by their places. */
  readonly lookupsLike: ReadonlyMap<string, Buffer>;
  items: number;
  /** The bytes before the first group, in each feed that is finished. */
  heads: readonly number[];
};

type WaitingGroups = {
  readonly groups: readonly StoredGroup[];
  readonly records: readonly (GroupRecord | null)[];
  readonly rendered: Promise<readonly (readonly GroupOutput[])[]>;
};

export function feedContextOf({ slug, name, settings, snapshotAt }: Catalog, asOf: Date): FeedContext {
  return { catalog: { slug, name }, settings, asOf, snapshotAt };
}

type PassOptions = {
  readonly folder: RenderFolder;
  readonly audit: AuditPass;
  /** With the index of the previous render, its groups can be kept. */
  readonly previous?: IndexInfo | undefined;
  /** Render the feeds, if nothing is kept. */
  readonly threads?: FeedThreads | null;
  readonly lookupsLike?: ReadonlyMap<string, Buffer> | undefined;
};

export async function openPass(
  catalog: Catalog,
  asOf: Date,
  { folder, audit, previous, threads = null, lookupsLike = new Map() }: PassOptions,
): Promise<RenderPass> {
  const context = feedContextOf(catalog, asOf);
  const output = (file: FeedFile): FeedOutput =>
    new FeedOutput(file, context, folder.sink(file, { isFeed: true }));
  const list = (file: string): SegmentSink => {
    const sink = folder.sink(file, { isFeed: false });
    sink.head("");
    return sink;
  };
  return {
    asOf,
    folder,
    tallies: FEED_FILES.map((_, at) => new Tally(previous?.tallies[at])),
    outputs: threads ? [] : FEED_FILES.map(output),
    threads,
    waiting: [],
    starts: new SegmentStarts(),
    refusals: list(REFUSALS_FILE),
    search: list(SEARCH_FILE),
    index: new IndexWriter(list(INDEX_FILE), asOf, previous),
    audit,
    lookupsLike,
    items: previous?.items ?? 0,
    heads: [],
  };
}

const sinksOf = ({ outputs, refusals, search, index }: RenderPass): readonly SegmentSink[] => [
  ...outputs.map(({ sink }) => sink),
  refusals,
  search,
  index.sink,
];

/** Waits for the disk where it is needed. */
export async function drain(pass: RenderPass): Promise<void> {
  for (const sink of sinksOf(pass)) await sink.busy();
}

export async function writeGroups(pass: RenderPass, groups: readonly StoredGroup[]): Promise<void> {
  if (pass.threads) return writeOnThreads(pass, groups, pass.threads);
  const records = await auditGroups(pass, groups);
  for (const [at, stored] of groups.entries()) {
    startGroup(pass, Buffer.from(sortKeyOf(stored.group)));
    const rendered: GroupOutput[] = [];
    for (const output of pass.outputs) {
      rendered.push(output.write(stored.group));
      const busy = output.sink.busy();
      if (busy) await busy;
    }
    finishGroup(pass, stored, { rendered, record: records[at] ?? null });
  }
}

/** All groups before the first one is rendered: a processor executes the same code faster when it has just executed it. */
async function auditGroups(
  { audit, lookupsLike }: RenderPass,
  groups: readonly StoredGroup[],
): Promise<readonly (GroupRecord | null)[]> {
  const records: (GroupRecord | null)[] = [];
  for (const { group } of groups) {
    const audited = audit.add(group, lookupsLike.get(placeOf(group)));
    if (audited) await audited;
    records.push(copied(audit.record()));
  }
  return records;
}

/** The threads are some batches behind, so that they need not wait for this one. */
const MAX_WAITING = 4;

async function writeOnThreads(
  pass: RenderPass,
  groups: readonly StoredGroup[],
  threads: FeedThreads,
): Promise<void> {
  const rendered = threads.render(groups);
  // Reported when it is waited for, or never if this thread fails first.
  rendered.catch(() => undefined);
  const records = await auditGroups(pass, groups);
  pass.waiting.push({ groups, records, rendered });
  while (pass.waiting.length > MAX_WAITING) await finishWaiting(pass);
}

/** The audit uses the memory of a record for the next group. */
function copied(record: GroupRecord | null): GroupRecord | null {
  if (!record) return null;
  const { lookups, outcomes, sameUntil } = record;
  return { lookups: new Uint8Array(lookups), outcomes: new Uint8Array(outcomes), sameUntil };
}

async function finishWaiting(pass: RenderPass): Promise<void> {
  const next = pass.waiting.shift();
  if (!next) return;
  const feeds = await next.rendered;
  for (const [at, stored] of next.groups.entries()) {
    startGroup(pass, Buffer.from(sortKeyOf(stored.group)));
    const rendered = feeds.map((groups) => groups[at] as GroupOutput);
    finishGroup(pass, stored, { rendered, record: next.records[at] ?? null });
  }
  await drain(pass);
}

/** A group was audited and rendered: counts it, and writes what else there is to write. */
function finishGroup(
  pass: RenderPass,
  stored: StoredGroup,
  { rendered, record }: { readonly rendered: readonly GroupOutput[]; readonly record: GroupRecord | null },
): void {
  const { group } = stored;
  pass.items += group.items.length;
  const staleAt = nextChangeOf(group, pass.asOf);
  const place = placeOf(group);
  let refusalBytes = 0;
  for (const [at, file] of FEED_FILES.entries()) {
    const { written, refusals } = rendered[at] as GroupOutput;
    const tally = pass.tallies[at] as Tally;
    tally.written += written;
    let lines = "";
    for (const refusal of refusals.map(refusalEntry)) {
      tally.add(place, refusal);
      lines += refusalLine(file, refusal);
    }
    if (lines !== "") refusalBytes += pass.refusals.write(lines);
  }
  const searchBytes = pass.search.write(searchLines(group.items));
  pass.index.write({ ...stored, staleAt, files: rendered, searchBytes, refusalBytes, record });
}

/** A group may begin a segment, in every file at the same groups. */
export function startGroup(pass: RenderPass, sortKey: Buffer): void {
  const mayBegin = pass.starts.mayBegin(sortKey);
  for (const { sink } of pass.outputs) sink.start(mayBegin);
  pass.refusals.start(mayBegin);
  pass.search.start(mayBegin);
  pass.index.start(mayBegin);
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

/** Finishes all files. */
export async function finishFiles(pass: RenderPass, folder: string): Promise<readonly RenderedFile[]> {
  const { outputs, threads, tallies, refusals, search } = pass;
  while (pass.waiting.length > 0) await finishWaiting(pass);
  const [feeds] = await Promise.all([
    threads ? threads.finish() : Promise.all(outputs.map(async (output) => output.finish())),
    refusals.finish(),
    search.finish(),
  ]);
  pass.heads = feeds.map(({ headBytes }) => headBytes);
  return feeds.map(({ etag, bytes, gzipBytes }, at): RenderedFile => {
    const file = FEED_FILES[at] as FeedFile;
    const { written, excluded, refused } = (tallies[at] as Tally).stats();
    return { file, folder, etag, bytes, gzipBytes, written, excluded, refused };
  });
}
