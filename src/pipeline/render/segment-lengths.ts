/**
 * How many bytes of each file belong to the groups of each segment of the index. With them, the place of a group in a file is
 * found without reading the index up to it.
 */
import { FEED_FILES } from "../../channels/registry.ts";
import type { GroupEntry } from "./render-index.ts";

/** The feed files, then the search list and the refusals. */
const FIELDS = FEED_FILES.length + 2;

type EntryLengths = Pick<GroupEntry, "files" | "searchBytes" | "refusalBytes">;

export class SegmentLengths {
  private readonly segments: Float64Array[] = [];
  private open = new Float64Array(FIELDS);

  add(entry: EntryLengths): void {
    addLengths(this.open, entry);
  }

  /** The segment of the index is complete. */
  end(): void {
    this.segments.push(this.open);
    this.open = new Float64Array(FIELDS);
  }

  encode(): Buffer {
    return Buffer.concat(this.segments.map((lengths) => Buffer.from(lengths.buffer)));
  }
}

function addLengths(to: Float64Array, { files, searchBytes, refusalBytes }: EntryLengths): void {
  for (let at = 0; at < files.length; at++) to[at] = (to[at] ?? 0) + (files[at]?.bytes ?? 0);
  to[FIELDS - 2] = (to[FIELDS - 2] ?? 0) + searchBytes;
  to[FIELDS - 1] = (to[FIELDS - 1] ?? 0) + refusalBytes;
}

/** Where the text of a group begins in each file. */
export type Offsets = {
  /** In the order of `FEED_FILES`. */
  readonly files: readonly number[];
  readonly search: number;
  readonly refusals: number;
};

/** Goes through an index, by segments or by entries. */
export class OffsetCounter {
  private readonly lengths: Float64Array;
  private readonly at = new Float64Array(FIELDS);

  /** `heads`: how many bytes precede the first group. `lengths`: the file of the lengths. */
  constructor(heads: readonly number[], lengths: Buffer) {
    this.at.set(heads);
    // Copied, because the numbers need not begin at a multiple of eight.
    this.lengths = new Float64Array(new Uint8Array(lengths).buffer);
  }

  skipSegment(index: number): void {
    for (let at = 0; at < FIELDS; at++)
      this.at[at] = (this.at[at] ?? 0) + (this.lengths[index * FIELDS + at] ?? 0);
  }

  skipEntry(entry: EntryLengths): void {
    addLengths(this.at, entry);
  }

  offsets(): Offsets {
    return {
      files: Array.from(this.at.subarray(0, FEED_FILES.length)),
      search: this.at[FIELDS - 2] ?? 0,
      refusals: this.at[FIELDS - 1] ?? 0,
    };
  }
}
