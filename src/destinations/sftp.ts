/**
 * Uploads files by SFTP. Each file is written beside its place, as `.<name>.part`; when all of them are complete and
 * have the right size, they are renamed, one right after the other. So a reader of the folder sees only complete files,
 * and the set is mixed for a few round trips at most. Memory is constant, whatever the files have.
 */
import { createHash } from "node:crypto";
import type { DeliveredFile } from "../contract/destination-deliveries.ts";
import { DeliveryFailure } from "./failure.ts";
import { type HostKey } from "./host-key.ts";
import { replaceAll, removeQuietly, type Replacing } from "./sftp-rename.ts";
import { isPartOfOurs, partOf, type SftpFolder, placeIn, type SftpTarget } from "./sftp-place.ts";
import type { UploadFile } from "./shards.ts";
import { type SshOptions, withSshSession } from "./ssh-session.ts";
import { throttle } from "./throttle.ts";

type SentFile = Pick<UploadFile, "name" | "bytes">;

export type SftpUpload = {
  readonly files: AsyncIterable<SentFile> | Iterable<SentFile>;
  /**
   * Returns whether a file in the folder was made by an earlier upload and can be removed if this upload does not
   * replace it.
   */
  readonly isOurs: (name: string) => boolean;
  /** Null means no limit. */
  readonly bytesPerS: number | null;
};

export type UploadResult = {
  readonly files: readonly DeliveredFile[];
  readonly replacing: Replacing;
  /** Files of earlier uploads: incomplete files, and files that this upload does not have. */
  readonly removed: readonly string[];
  readonly hostKey: HostKey;
};

export async function uploadBySftp(
  target: SftpTarget,
  upload: SftpUpload,
  options: SshOptions,
): Promise<UploadResult> {
  return withSshSession(target, options, async (session) => {
    const place = placeIn(session, target);
    const before = await place.list();
    const stale = before.filter((name) => isPartOfOurs(name, upload.isOurs));
    for (const name of stale) await removeQuietly(place, name);
    const files: SentPart[] = [];
    try {
      const allow = throttle(upload.bytesPerS, session.signal);
      for await (const file of upload.files) files.push(await uploadPart(place, file, allow));
      const replacing = await replaceAll(
        place,
        files.map(({ name }) => name),
      );
      const written = new Set(files.map(({ name }) => name));
      const surplus = before.filter((name) => upload.isOurs(name) && !written.has(name));
      for (const name of surplus) await removeQuietly(place, name);
      const confirmed = await checkSizes(place, files);
      return { files: confirmed, replacing, removed: [...stale, ...surplus], hostKey: session.hostKey };
    } catch (error) {
      for (const { name } of files) await removeQuietly(place, partOf(name));
      throw error;
    }
  });
}

const TEST_NAME = "shelfwire-test";

/** Logs in, and writes and removes an empty file. */
export async function testSftp(target: SftpTarget, options: SshOptions): Promise<HostKey> {
  return withSshSession(target, options, async (session) => {
    const place = placeIn(session, target);
    await place.close(await place.create(partOf(TEST_NAME)));
    await place.remove(partOf(TEST_NAME));
    return session.hostKey;
  });
}

/** The size of a write of OpenSSH's own client. Some servers refuse larger writes. */
const WRITE_BYTES = 32 * 1_024;
/** The number of writes that may wait for their answers: 2 MB, enough for 100 MB/s at 20 ms. */
const MAX_WRITES = 64;

type SentPart = Omit<DeliveredFile, "remote_bytes">;

async function uploadPart(
  place: SftpFolder,
  { name, bytes }: SentFile,
  allow: (bytes: number) => Promise<void>,
): Promise<SentPart> {
  const part = partOf(name);
  const handle = await place.create(part);
  try {
    const file = await writeAll(bytes, allow, async (chunk, position) =>
      place.write(handle, chunk, position),
    );
    await place.close(handle);
    await requireSize(place, part, file.bytes);
    return { name, ...file };
  } catch (error) {
    await place.close(handle).catch(() => undefined);
    const failure = await whyItFailed(place, error);
    await removeQuietly(place, part);
    throw failure;
  }
}

type Write = (chunk: Buffer, position: number) => Promise<void>;

/** Sends as many writes as the window has, and continues as they are answered. */
async function writeAll(
  bytes: AsyncIterable<Uint8Array>,
  allow: (bytes: number) => Promise<void>,
  write: Write,
): Promise<Omit<SentPart, "name">> {
  const hash = createHash("sha256");
  const window = new WriteWindow();
  let position = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    for (let from = 0; from < piece.length; from += WRITE_BYTES) {
      const length = Math.min(WRITE_BYTES, piece.length - from);
      const chunk = Buffer.from(piece.buffer, piece.byteOffset + from, length);
      await allow(length);
      await window.until(MAX_WRITES - 1);
      window.add(write(chunk, position));
      position += length;
    }
  }
  await window.until(0);
  return { bytes: position, sha256: hash.digest("hex") };
}

/** Writes that wait for their answers. */
class WriteWindow {
  private open = 0;
  private failure: { readonly error: unknown } | undefined;
  private answered = Promise.withResolvers<void>();

  add(write: Promise<void>): void {
    this.open += 1;
    void write
      .catch((error: unknown) => (this.failure ??= { error }))
      .finally(() => {
        this.open -= 1;
        this.answered.resolve();
        this.answered = Promise.withResolvers();
      });
  }

  /** Waits until at most `limit` writes are open, or one has failed. */
  async until(limit: number): Promise<void> {
    while (this.open > limit && !this.failure) await this.answered.promise;
    if (this.failure) throw this.failure.error;
  }
}

/** With less free space the disk counts as full, because some blocks always stay free. */
const NEARLY_FULL_BYTES = 1_000_000;

/** SFTP has no code for a full disk. */
async function whyItFailed(place: SftpFolder, error: unknown): Promise<unknown> {
  if (!(error instanceof DeliveryFailure) || error.code !== "write_failed") return error;
  const free = await place.freeBytes().catch(() => Infinity);
  if (free > NEARLY_FULL_BYTES) return error;
  const message = `${place.host} has no space left in ${place.folder}. Free some space there, or ask its operator.`;
  return new DeliveryFailure("full", message, error);
}

async function checkSizes(place: SftpFolder, files: readonly SentPart[]): Promise<readonly DeliveredFile[]> {
  const checked: DeliveredFile[] = [];
  for (const file of files)
    checked.push({ ...file, remote_bytes: await requireSize(place, file.name, file.bytes) });
  return checked;
}

/** Returns the size at the server. */
async function requireSize(place: SftpFolder, name: string, bytes: number): Promise<number> {
  const size = await place.size(name);
  if (size === bytes) return size;
  const message = `${name} has ${size} bytes on ${place.host}, but ${bytes} were sent. It is uploaded again.`;
  throw new DeliveryFailure("size_differs", message);
}
