/** Reads the refusals of single groups from the list of an earlier render. */
import type { FeedFolders } from "../../files/feed-folders.ts";
import { DamagedFile } from "../../files/stored-files.ts";
import type { StoredReader } from "../../files/stored-reader.ts";
import type { RenderRef } from "./compare-indexes.ts";
import { REFUSALS_FILE, type RefusalLine } from "./refusal-report.ts";

export class RefusalReader {
  private readonly reader: StoredReader;

  private constructor(reader: StoredReader) {
    this.reader = reader;
  }

  static async open(folders: FeedFolders, render: RenderRef): Promise<RefusalReader> {
    const reader = await folders.openReader({ ...render, file: REFUSALS_FILE });
    if (!reader) throw new DamagedFile("the refusals of the previous render are missing");
    return new RefusalReader(reader);
  }

  async read(start: number, bytes: number): Promise<readonly RefusalLine[]> {
    if (bytes === 0) return [];
    const text = (await this.reader.read({ start, bytes })).toString();
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RefusalLine);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader.close();
  }
}
