/** Writes the index of a render: its entries, its directory, and the totals of its items. */
import type { AuditState } from "../../audit/audit.ts";
import type { RenderFolder } from "../../files/feed-folders.ts";
import type { SegmentSink } from "../../files/segment-sink.ts";
import { DirectoryWriter, type DirectoryRecord, earlier } from "./index-directory.ts";
import { FACTS_BYTES, FactsWriter, HostNames, readFacts } from "./item-facts.ts";
import {
  EntryEncoder,
  type GroupEntry,
  INDEX_DIRECTORY_FILE,
  INDEX_INFO_FILE,
  INDEX_OUTCOMES_FILE,
  INDEX_VERSION,
  type IndexInfo,
  type NewEntry,
} from "./render-index.ts";
import { TotalsCounter } from "./render-totals.ts";
import { sortKeyOf } from "./segment-starts.ts";

export class IndexWriter {
  readonly sink: SegmentSink;
  private readonly asOf: Date;
  private readonly directory = new DirectoryWriter();
  private readonly hosts: HostNames;
  private readonly encoder: EntryEncoder;
  private readonly totals: TotalsCounter;
  /** The earliest time at which time alone changes a row of a feed, and a verdict, in milliseconds; 0: never. */
  staleMs = 0;
  sameUntilMs = 0;

  /** With the index of the previous render, its entries can be kept. */
  constructor(sink: SegmentSink, asOf: Date, previous?: IndexInfo) {
    this.sink = sink;
    this.asOf = asOf;
    this.hosts = new HostNames(previous?.hosts);
    this.encoder = new EntryEncoder(new FactsWriter(asOf, this.hosts));
    this.totals = new TotalsCounter(previous?.totals);
  }

  start(mayBegin: boolean): void {
    if (this.sink.start(mayBegin)) this.directory.end();
  }

  write(entry: NewEntry): void {
    const { bytes, facts } = this.encoder.encode(entry);
    this.sink.writeBytes(bytes);
    const { group, staleAt, files, searchBytes, refusalBytes, record } = entry;
    const staleMs = msOf(staleAt);
    const sameUntilMs = msOf(record?.sameUntil ?? null);
    const sortKey = Buffer.from(sortKeyOf(group));
    const lookups = record ? Buffer.from(record.lookups) : Buffer.alloc(0);
    const lengths = { files, searchBytes, refusalBytes };
    this.directory.add({ ...lengths, bytes: bytes.length, sortKey, lookups, staleMs, sameUntilMs });
    this.noteTimes(staleMs, sameUntilMs);
    this.count(facts, 1);
  }

  keep(entry: GroupEntry): void {
    this.sink.keep(entry.bytes);
    this.directory.add(entry);
    this.noteTimes(entry.staleMs, entry.sameUntilMs);
  }

  skip({ bytes, facts }: GroupEntry): void {
    this.sink.skip(bytes);
    this.count(facts, -1);
  }

  /** Keeps a whole segment of the previous index, at its beginning. */
  keepSegment(record: DirectoryRecord): void {
    this.sink.keepRun(record.bytes);
    this.directory.keep(record);
    this.noteTimes(record.staleMs, record.sameUntilMs);
  }

  /** `audit` is null if the audit failed: the next render keeps nothing, but the index can be compared. */
  async finish(
    folder: RenderFolder,
    made: Omit<IndexInfo, "version" | "as_of" | "totals" | "hosts" | "examples" | "table_keys">,
    audit: AuditState | null,
  ): Promise<void> {
    await this.sink.finish();
    this.directory.end();
    await folder.write(INDEX_DIRECTORY_FILE, this.directory.encode());
    if (audit?.outcomes) await folder.write(INDEX_OUTCOMES_FILE, audit.outcomes);
    const info: IndexInfo = {
      version: INDEX_VERSION,
      as_of: this.asOf.toISOString(),
      ...made,
      basis: audit?.outcomes ? made.basis : null,
      totals: this.totals.totals(),
      hosts: this.hosts.toJSON(),
      examples: audit?.examples ?? {},
      table_keys: audit?.tableKeys ?? [],
    };
    await folder.write(INDEX_INFO_FILE, JSON.stringify(info));
  }

  private noteTimes(staleMs: number, sameUntilMs: number): void {
    this.staleMs = earlier(this.staleMs, staleMs);
    this.sameUntilMs = earlier(this.sameUntilMs, sameUntilMs);
  }

  private count(facts: Buffer, change: 1 | -1): void {
    const items = facts.length / FACTS_BYTES;
    for (let at = 0; at < items; at++)
      this.totals.count(readFacts(facts, at * FACTS_BYTES), change, at === 0 ? items : 0);
  }
}

const msOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));
