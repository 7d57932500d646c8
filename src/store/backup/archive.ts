/**
 * The backup file: a magic line, then a zstd stream of frames. A frame is a letter, a length and that many bytes. The
 * last frame marks the file as complete; zstd's checksum detects changes.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import type { Transform } from "node:stream";
import { AppError } from "../../errors.ts";

export const MAGIC = Buffer.from("shelfwire-backup-1\n");

/** `head`: JSON. `table`: JSON, then `data` frames, then `rows`: JSON. `end`: empty. */
export type FrameKind = "head" | "table" | "data" | "rows" | "end";
export type ArchiveFrame = { readonly kind: FrameKind; readonly bytes: Buffer };

const LETTERS = { head: "H", table: "T", data: "D", rows: "R", end: "Z" } as const satisfies Record<
  FrameKind,
  string
>;
const KINDS: ReadonlyMap<string, FrameKind> = new Map(
  Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as FrameKind]),
);

const PREFIX = 5;
/** A frame has at least one row, and our rows are far smaller than this. */
const MAX_FRAME = 256 * 1024 * 1024;

export function frame(kind: FrameKind, bytes: Uint8Array = new Uint8Array()): Buffer {
  const prefix = Buffer.alloc(PREFIX);
  prefix.write(LETTERS[kind], 0, "latin1");
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

export const jsonFrame = (kind: FrameKind, value: object): Buffer =>
  frame(kind, Buffer.from(JSON.stringify(value)));

export const jsonOf = ({ bytes }: ArchiveFrame): unknown => JSON.parse(bytes.toString("utf8"));

export const compressor = (): Transform =>
  createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });

const damaged = (path: string, cause?: unknown): AppError =>
  new AppError("invalid_request", `${path} is damaged or truncated. Use another copy of the backup.`, {
    cause,
  });

/** Yields the frames of a file, up to `end`. Throws if the file is not a backup or is truncated. */
export async function* framesOf(path: string): AsyncGenerator<ArchiveFrame, void, void> {
  await refuseOther(path);
  const file = createReadStream(path, { start: MAGIC.length });
  const plain = createZstdDecompress();
  file.on("error", (error) => plain.destroy(error));
  file.pipe(plain);
  try {
    yield* parse(plain as AsyncIterable<Buffer>, path);
  } catch (error) {
    throw error instanceof Error && "code" in error && /^Z(STD)?_/.test(String(error.code))
      ? damaged(path, error)
      : error;
  } finally {
    file.destroy();
    plain.destroy();
  }
}

async function refuseOther(path: string): Promise<void> {
  await using file = await open(path).catch((cause: unknown) => {
    throw new AppError("invalid_request", `${path} cannot be read.`, { cause });
  });
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
  if (!buffer.subarray(0, bytesRead).equals(MAGIC))
    throw new AppError("invalid_request", `${path} is not a backup made by shelfwire backup.`);
}

async function* parse(plain: AsyncIterable<Buffer>, path: string): AsyncGenerator<ArchiveFrame, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  let isWhole = false;
  for await (const chunk of plain) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let length = lengthOf(rest, path); rest.length >= PREFIX + length; length = lengthOf(rest, path)) {
      const kind = KINDS.get(rest.toString("latin1", 0, 1));
      if (kind === undefined) throw damaged(path);
      const bytes = rest.subarray(PREFIX, PREFIX + length);
      rest = rest.subarray(PREFIX + length);
      if (kind === "end") isWhole = true;
      else yield { kind, bytes };
    }
  }
  if (!isWhole || rest.length > 0) throw damaged(path);
}

/** Returns infinity until the length prefix has arrived. */
function lengthOf(rest: Buffer, path: string): number {
  if (rest.length < PREFIX) return Number.POSITIVE_INFINITY;
  const length = rest.readUInt32BE(1);
  if (length > MAX_FRAME) throw damaged(path);
  return length;
}
