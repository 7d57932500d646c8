/**
 * Files on the local disk. A folder is written under a temporary name, synced to disk and renamed; from then on it is
 * immutable, and readers never see half a file.
 */
import { closeSync, fsync, openSync, read, readFileSync, readSync, writevSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { syncFolder } from "../lib/files.ts";
import type {
  AppendedFile,
  BlockingFile,
  FileName,
  FileStore,
  FolderName,
  NewFolder,
  OpenedFile,
  StoredFile,
} from "./file-store.ts";

const PARTIAL = ".part";
/** Feeds are read through the server with their token: other users of the machine have no access to the files. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export function localStore(root: string): FileStore {
  const folderPath = ({ catalogId, folder }: FolderName): string => join(root, catalogId, folder);
  const path = (name: FileName): string => join(folderPath(name), name.file);
  const partialPath = (name: FileName): string => join(folderPath(name) + PARTIAL, name.file);
  return {
    location: root,
    bytesWithoutThread: 256 * 1024,
    create: async (name) => createFolder(folderPath(name)),
    open: async (name) => ifExists(openFile(path(name))),
    read: async (name) => ifExists(readFile(path(name))),
    bytesOf: async (name) => (await ifExists(stat(path(name))))?.size,
    catalogs: async () => readdir(root).catch(() => []),
    folders: async (catalogId) => {
      const names = await readdir(join(root, catalogId)).catch(() => []);
      return [...new Set(names.map((name) => name.replace(PARTIAL, "")))];
    },
    files: async (name) => filesIn(folderPath(name)),
    remove: async (name) => {
      for (const one of [folderPath(name), folderPath(name) + PARTIAL])
        await rm(one, { recursive: true, force: true });
      // Fails, as intended, if the catalog has other folders.
      await rmdir(join(root, name.catalogId)).catch(() => undefined);
    },
    blocking: {
      read: (name) => ifExistsNow(() => readFileSync(path(name))),
      open: (name) => {
        const file = ifExistsNow(() => openSync(path(name), "r"));
        return file === undefined ? undefined : blockingFile(file);
      },
      append: (name) => new LocalAppendedFile(partialPath(name)),
    },
  };
}

async function createFolder(final: string): Promise<NewFolder> {
  const partial = final + PARTIAL;
  await mkdir(partial, { recursive: true, mode: FOLDER_MODE });
  return {
    write: async (file, content) => writeFile(join(partial, file), content, { mode: FILE_MODE, flush: true }),
    commit: async () => {
      await syncFolder(partial);
      await rename(partial, final);
      await syncFolder(join(final, ".."));
    },
    discard: async () => rm(partial, { recursive: true, force: true }),
  };
}

async function openFile(path: string): Promise<OpenedFile> {
  const handle = await open(path, "r");
  return {
    // `FileHandle.read` takes a sixth more processor time for everything that is sent.
    read: async (buffer, at) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      read(handle.fd, buffer, 0, buffer.length, at, (error, bytesRead) =>
        error ? reject(error) : resolve(bytesRead),
      );
      return promise;
    },
    close: async () => handle.close(),
  };
}

async function filesIn(path: string): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = [];
  for (const file of (await ifExists(readdir(path))) ?? []) {
    const found = await ifExists(stat(join(path, file)));
    if (found) files.push({ file, bytes: found.size });
  }
  return files;
}

function blockingFile(file: number): BlockingFile {
  return {
    read: (buffer, at) => readSync(file, buffer, 0, buffer.length, at),
    close: () => closeSync(file),
  };
}

const syncToDisk = promisify(fsync);

class LocalAppendedFile implements AppendedFile {
  private readonly path: string;
  private file: number | undefined;
  private pending: Buffer[] = [];
  bytes = 0;

  constructor(path: string) {
    this.path = path;
  }

  write(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.pending.push(bytes);
    this.bytes += bytes.length;
  }

  flush(): void {
    if (this.pending.length === 0) return;
    let rest: readonly Buffer[] = this.pending;
    this.pending = [];
    while (rest.length > 0) rest = after(rest, writevSync(this.open(), rest));
  }

  async finish(): Promise<void> {
    this.flush();
    await syncToDisk(this.open());
    this.close();
  }

  private open(): number {
    return (this.file ??= openSync(this.path, "w", FILE_MODE));
  }

  close(): void {
    const { file } = this;
    this.file = undefined;
    if (file !== undefined) closeSync(file);
  }
}

/** What is left of the buffers after their first bytes. */
function after(buffers: readonly Buffer[], bytes: number): readonly Buffer[] {
  let left = bytes;
  for (const [index, buffer] of buffers.entries()) {
    if (left < buffer.length) return [buffer.subarray(left), ...buffers.slice(index + 1)];
    left -= buffer.length;
  }
  return [];
}

async function ifExists<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function ifExistsNow<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
