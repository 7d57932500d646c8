/** Writes the index of a render: its entries, the totals of its items, and the lengths of its segments. */
import type { RenderFolder } from "../../publish/local-files.ts";
import type { SegmentSink } from "../../publish/segment-sink.ts";
import type { AuditOutcome } from "../audit/pass.ts";
import { FACTS_BYTES, FactsWriter, HostNames, readFacts } from "./item-facts.ts";
import {
  EntryEncoder,
  type GroupEntry,
  INDEX_INFO_FILE,
  INDEX_LENGTHS_FILE,
  INDEX_VERSION,
  type IndexInfo,
  type NewEntry,
} from "./render-index.ts";
import { TotalsCounter } from "./render-totals.ts";
import { SegmentLengths } from "./segment-lengths.ts";

export class IndexWriter {
  readonly sink: SegmentSink;
  private readonly asOf: Date;
  private readonly lengths = new SegmentLengths();
  private readonly hosts: HostNames;
  private readonly encoder: EntryEncoder;
  private readonly totals: TotalsCounter;

  /** With the index of the previous render, its entries can be kept. */
  constructor(sink: SegmentSink, asOf: Date, previous?: IndexInfo) {
    this.sink = sink;
    this.asOf = asOf;
    this.hosts = new HostNames(previous?.hosts);
    this.encoder = new EntryEncoder(new FactsWriter(asOf, this.hosts));
    this.totals = new TotalsCounter(previous?.totals);
  }

  start(mayBegin: boolean): void {
    if (this.sink.start(mayBegin)) this.lengths.end();
  }

  write(entry: NewEntry): void {
    const { bytes, facts } = this.encoder.encode(entry);
    this.sink.writeBytes(bytes);
    this.lengths.add(entry);
    this.count(facts, 1);
  }

  keep(entry: GroupEntry): void {
    this.sink.keep(entry.bytes);
    this.lengths.add(entry);
  }

  skip({ bytes, facts }: GroupEntry): void {
    this.sink.skip(bytes);
    this.count(facts, -1);
  }

  /** If the audit failed, the next render keeps nothing; the index can be compared nevertheless. */
  async finish(
    folder: RenderFolder,
    made: Pick<IndexInfo, "basis" | "base" | "effects" | "context" | "items" | "heads">,
    outcome: AuditOutcome,
  ): Promise<void> {
    await this.sink.finish();
    this.lengths.end();
    await folder.write(INDEX_LENGTHS_FILE, this.lengths.encode());
    const isJudged = outcome.kind === "judged";
    const info: IndexInfo = {
      version: INDEX_VERSION,
      as_of: this.asOf.toISOString(),
      ...made,
      basis: isJudged ? made.basis : null,
      totals: this.totals.totals(),
      hosts: this.hosts.toJSON(),
      examples: isJudged ? outcome.examples : {},
    };
    await folder.write(INDEX_INFO_FILE, JSON.stringify(info));
  }

  private count(facts: Buffer, change: 1 | -1): void {
    const items = facts.length / FACTS_BYTES;
    for (let at = 0; at < items; at++)
      this.totals.count(readFacts(facts, at * FACTS_BYTES), change, at === 0 ? items : 0);
  }
}
