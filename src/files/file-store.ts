/**
 * A store of immutable files: `<catalog>/<folder>/<file>`. A folder has one writer and a unique name. Its files can be
 * read when it is complete, and never change afterwards. Everything that is known about renders is above this
 * interface; see docs/adr/0046.
 */

export type FolderName = { readonly catalogId: string; readonly folder: string };
export type FileName = FolderName & { readonly file: string };

export type FileStore = {
  /** Plain data from which another thread opens the same store (`openStore`). */
  readonly location: string;
  /**
   * A file with fewer new bytes is written without a thread: so many bytes may be read and written while nothing else
   * is done.
   */
  readonly bytesWithoutThread: number;
  readonly create: (name: FolderName) => Promise<NewFolder>;
  /** For many small reads. The file stays readable if it is removed. Undefined if it is not there. */
  readonly open: (name: FileName) => Promise<OpenedFile | undefined>;
  /** All bytes of a small file. Undefined if it is not there. */
  readonly read: (name: FileName) => Promise<Buffer | undefined>;
  /** Undefined if the file is not there. */
  readonly bytesOf: (name: FileName) => Promise<number | undefined>;
  /** The catalogs that have a folder. */
  readonly catalogs: () => Promise<readonly string[]>;
  /** The folders of a catalog, complete or not. */
  readonly folders: (catalogId: string) => Promise<readonly string[]>;
  /** The files of a complete folder; none if it is not there. */
  readonly files: (name: FolderName) => Promise<readonly StoredFile[]>;
  /** Removes a folder, complete or not. */
  readonly remove: (name: FolderName) => Promise<void>;
  readonly blocking: BlockingFiles;
};

export type StoredFile = { readonly file: string; readonly bytes: number };

/** A folder that is being written. */
export type NewFolder = {
  /** Resolves when the file is on disk. */
  readonly write: (file: string, content: string | Uint8Array) => Promise<void>;
  /** When all files are finished: makes the folder readable, durably and at once. */
  readonly commit: () => Promise<void>;
  /** Removes it. No file of it may be open. */
  readonly discard: () => Promise<void>;
};

export type OpenedFile = {
  /**
   * Fills the buffer from a position of the file on, as far as it likes. Returns how many bytes were read; zero at the
   * end.
   */
  readonly read: (buffer: Buffer, at: number) => Promise<number>;
  readonly close: () => Promise<void>;
};

/**
 * Calls that return when the work is done. They are made on threads that write files, where promises would cost more
 * than the work; on other threads only for files with fewer new bytes than `bytesWithoutThread`.
 */
export type BlockingFiles = {
  readonly read: (name: FileName) => Buffer | undefined;
  readonly open: (name: FileName) => BlockingFile | undefined;
  /** A file of a folder that is being written. It is created with its first bytes, or when it is finished. */
  readonly append: (name: FileName) => AppendedFile;
};

export type BlockingFile = {
  readonly read: (buffer: Buffer, at: number) => number;
  readonly close: () => void;
};

/** A file that is written from front to back. */
export type AppendedFile = {
  /** With those that are not flushed. */
  readonly bytes: number;
  /** The buffer may not be changed until `flush`. */
  readonly write: (bytes: Buffer) => void;
  readonly flush: () => void;
  /** Resolves when all bytes are on disk. An empty file is created as well. */
  readonly finish: () => Promise<void>;
  /** Harmless after `finish`. */
  readonly close: () => void;
};
