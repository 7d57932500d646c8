/** Reads parts of the previous render's list of refusals, from front to back. */
import type { Readable } from "node:stream";
import { DamagedFile } from "../../publish/stored-files.ts";
import type { RefusalLine } from "./refusal-report.ts";

export class RefusalReader {
  private readonly open: () => Promise<Readable | undefined>;
  private chunks: AsyncIterator<Buffer> | undefined;
  private buffered: Buffer = Buffer.alloc(0);
  private skipped = 0;

  constructor(open: () => Promise<Readable | undefined>) {
    this.open = open;
  }

  skip(bytes: number): void {
    this.skipped += bytes;
  }

  async read(bytes: number): Promise<readonly RefusalLine[]> {
    if (bytes === 0) return [];
    while (this.buffered.length < this.skipped + bytes) await this.readChunk();
    const end = this.skipped + bytes;
    const text = this.buffered.toString("utf8", this.skipped, end);
    this.buffered = this.buffered.subarray(end);
    this.skipped = 0;
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RefusalLine);
  }

  async close(): Promise<void> {
    await this.chunks?.return?.();
  }

  private async readChunk(): Promise<void> {
    this.chunks ??= ((await this.open()) as AsyncIterable<Buffer> | undefined)?.[Symbol.asyncIterator]();
    const chunk = await this.chunks?.next();
    if (!chunk || chunk.done) throw new DamagedFile("the refusals of the previous render are incomplete");
    // What is skipped is not collected.
    const dropped = Math.min(this.skipped, this.buffered.length);
    this.buffered = Buffer.concat([this.buffered.subarray(dropped), chunk.value]);
    this.skipped -= dropped;
  }
}
