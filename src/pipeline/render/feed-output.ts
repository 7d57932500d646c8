/** One feed that is being rendered: the channel's writer, and the file that its texts go to. */
import type { ItemGroup } from "../../catalog/item.ts";
import type { Refusal, FeedContext, FeedWriter } from "../../channels/channel.ts";
import { CHANNELS, type FeedFile } from "../../channels/registry.ts";
import type { WrittenFile } from "../../files/file-writer.ts";
import type { SegmentSink } from "../../files/segment-sink.ts";

/** What became of a group in one feed. */
export type GroupOutput = {
  /** Of its text. */
  readonly bytes: number;
  readonly written: number;
  readonly refusals: readonly Refusal[];
};

export type FinishedFeed = WrittenFile & {
  /** What precedes the first group. */
  readonly headBytes: number;
};

export class FeedOutput {
  readonly sink: SegmentSink;
  private readonly writer: FeedWriter;
  private readonly headBytes: number;
  /** Whether a group has been written: the first text differs from later ones, for example in its separator. */
  hasText = false;

  constructor(file: FeedFile, context: FeedContext, sink: SegmentSink) {
    this.sink = sink;
    this.writer = CHANNELS[file].open(context);
    const head = this.writer.head();
    sink.head(head);
    this.headBytes = Buffer.byteLength(head);
  }

  write(group: ItemGroup): GroupOutput {
    const { text, written, refusals } = this.writer.group(group);
    const bytes = this.sink.write(text);
    if (bytes > 0) this.hasText = true;
    return { bytes, written, refusals };
  }

  async finish(): Promise<FinishedFeed> {
    return { ...(await this.sink.finish(this.writer.tail())), headBytes: this.headBytes };
  }
}
