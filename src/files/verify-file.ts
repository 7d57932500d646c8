/** Whether the stored bytes of a file are those that were written, by the hashes of its segments. */
import { createHash, type Hash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { FileName, FileStore } from "./file-store.ts";
import { hashSegment, type SegmentList } from "./segments.ts";
import { DamagedFile, loadSegments, openStored } from "./stored-files.ts";

export type Verdict = "same" | "different" | "missing";

export type VerifiedFile = {
  readonly verdict: Verdict;
  /** Of all bytes, uncompressed, as they are now. */
  readonly sha256: string;
};

const READ_BYTES = 256 * 1024;

/** Reads the file in one encoding. */
export async function verifyFile(
  store: FileStore,
  name: FileName,
  {
    etag,
    isGzip,
    signal,
  }: { readonly etag: string; readonly isGzip: boolean; readonly signal?: AbortSignal },
): Promise<VerifiedFile> {
  const list = await loadSegments(store, name);
  const stream = list && (await openStored(store, name, { isGzip, highWaterMark: READ_BYTES }));
  if (!stream) return { verdict: "missing", sha256: "" };
  const checker = new SegmentChecker(list);
  const check = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      checker.update(chunk);
    }
  };
  try {
    await (isGzip ? pipeline(stream, createGunzip(), check) : pipeline(stream, check));
  } catch (error) {
    if (isDamage(error)) return { verdict: "different", sha256: "" };
    throw error;
  }
  const sha256 = checker.sha256();
  const found = list.hasHashes ? list.etag() : sha256;
  return { verdict: checker.isSame() && found === etag ? "same" : "different", sha256 };
}

/** Compares bytes, in pieces of any size, with the segments of a list. */
class SegmentChecker {
  private readonly list: SegmentList;
  private readonly all: Hash = createHash("sha256");
  private index = 0;
  private pending: Buffer[] = [];
  private missing = 0;
  private isDifferent = false;

  constructor(list: SegmentList) {
    this.list = list;
    this.missing = this.nextLength();
  }

  update(chunk: Buffer): void {
    this.all.update(chunk);
    let rest = chunk;
    while (rest.length > 0) {
      if (this.missing === 0) {
        this.isDifferent = true;
        return;
      }
      const own = rest.subarray(0, this.missing);
      this.pending.push(own);
      this.missing -= own.length;
      rest = rest.subarray(own.length);
      if (this.missing === 0) this.endSegment();
    }
  }

  isSame(): boolean {
    return !this.isDifferent && this.index === this.list.length;
  }

  sha256(): string {
    return this.all.digest("hex");
  }

  private endSegment(): void {
    const { hash } = this.list.at(this.index);
    if (this.list.hasHashes && !hashSegment(Buffer.concat(this.pending)).equals(hash))
      this.isDifferent = true;
    this.pending = [];
    this.index += 1;
    this.missing = this.nextLength();
  }

  /** Segments without bytes are passed over. */
  private nextLength(): number {
    while (this.index < this.list.length && this.list.at(this.index).bytes === 0) this.index += 1;
    return this.index < this.list.length ? this.list.at(this.index).bytes : 0;
  }
}

/** Too short, or no gzip. */
function isDamage(error: unknown): boolean {
  if (error instanceof DamagedFile) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
