/**
 * The one file inside a zip archive with the data: the largest with a data extension, else the largest at all. Two
 * files of data are refused. The archive's own claims about sizes are checked against the bytes while they are read.
 */
import { crc32 } from "node:zlib";
import yauzl from "yauzl";
import type { Entry, ZipFile } from "yauzl";
import { FormatError } from "./format-error.ts";

const MAX_ENTRIES = 10_000;

/** Another data file is ignored if it is smaller than this share of the largest. */
const NOTE_SHARE = 0.1;

const DATA_FILE = /\.(csv|tsv|txt|tab|json|jsonl|ndjson|xml|rss|atom)(\.gz|\.gzip|\.zst)?$/i;

const HIDDEN = /(^|\/)(\.|__MACOSX\/)/;

export async function* zipEntryBytes(path: string): AsyncGenerator<Uint8Array, void, void> {
  const archive = await openArchive(path);
  try {
    const entry = await chooseEntry(archive);
    let checksum = 0;
    for await (const chunk of await openEntry(archive, entry)) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (checksum !== entry.crc32) {
      throw new FormatError("malformed", `The file ${entry.fileName} in the zip archive is damaged.`);
    }
  } catch (cause) {
    if (cause instanceof FormatError || !(cause instanceof Error) || "syscall" in cause) throw cause;
    const isCut = "code" in cause && cause.code === "Z_BUF_ERROR";
    throw isCut
      ? new FormatError("truncated", "The compressed data ends early.", { cause })
      : new FormatError("malformed", "The compressed data is damaged.", { cause });
  } finally {
    archive.close();
  }
}

async function openArchive(path: string): Promise<ZipFile> {
  try {
    return await yauzl.openPromise(path, { autoClose: false, lazyEntries: true });
  } catch (cause) {
    throw new FormatError("truncated", "The zip archive is damaged or incomplete.", { cause });
  }
}

async function chooseEntry(archive: ZipFile): Promise<Entry> {
  let best: Entry | null = null;
  let second: Entry | null = null;
  for await (const entry of eachFile(archive)) {
    if (best === null || isBetter(entry, best)) [best, second] = [entry, best];
    else if (second === null || isBetter(entry, second)) second = entry;
  }
  if (best === null) throw new FormatError("unsupported", "The zip archive has no file in it.");
  if (second !== null) checkRival(best, second);
  return best;
}

async function* eachFile(archive: ZipFile): AsyncGenerator<Entry, void, void> {
  let seen = 0;
  for await (const entry of eachEntry(archive)) {
    seen += 1;
    if (seen > MAX_ENTRIES)
      throw new FormatError("too_large", `The zip archive has more than ${MAX_ENTRIES} files.`);
    if (entry.fileName === "[Content_Types].xml") {
      throw new FormatError("unsupported", "The file is an Office workbook or document; export it as CSV.");
    }
    if (!entry.fileName.endsWith("/") && !HIDDEN.test(entry.fileName)) yield entry;
  }
}

/** A second data file is refused: its items would be missing unnoticed. */
function checkRival(best: Entry, second: Entry): void {
  if (!isData(second) || second.uncompressedSize < best.uncompressedSize * NOTE_SHARE) return;
  const names = `${best.fileName} and ${second.fileName}`;
  throw new FormatError(
    "unsupported",
    `The zip archive has several files of data (${names}); it may have one.`,
  );
}

async function* eachEntry(archive: ZipFile): AsyncGenerator<Entry, void, void> {
  try {
    yield* archive.eachEntry();
  } catch (cause) {
    throw cause instanceof FormatError
      ? cause
      : new FormatError("malformed", "The zip archive's list of files cannot be read.", { cause });
  }
}

function isData(entry: Entry): boolean {
  return DATA_FILE.test(entry.fileName);
}

function isBetter(entry: Entry, best: Entry): boolean {
  if (isData(entry) !== isData(best)) return isData(entry);
  return entry.uncompressedSize > best.uncompressedSize;
}

async function openEntry(archive: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  if (!entry.canDecodeFileData()) {
    const why = entry.isEncrypted() ? "is encrypted" : "is packed in a way that is not read here";
    throw new FormatError("unsupported", `The file ${entry.fileName} in the zip archive ${why}.`);
  }
  return archive.openReadStreamPromise(entry);
}
