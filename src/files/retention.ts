/** Which folders of renders stay on disk: those that are needed, and earlier ones as far as they fit. */
import type { FileStore } from "./file-store.ts";
import { loadFolders, SEGMENTS } from "./stored-files.ts";

export type Retention = {
  /** Stay in any case. */
  readonly needed: ReadonlySet<string>;
  /** The newest first. */
  readonly earlier: readonly string[];
  /** What the earlier ones may take in addition to the needed ones. The newest of them stays in any case. */
  readonly maxBytes: number;
};

/** The folders that stay, without those that they refer to. */
export async function keepWithin(
  store: FileStore,
  catalogId: string,
  { needed, earlier, maxBytes }: Retention,
): Promise<ReadonlySet<string>> {
  const kept = new Set(needed);
  const onDisk = new Set(await withReferences(store, catalogId, needed));
  const others = earlier.filter((folder) => !needed.has(folder));
  let bytes = 0;
  for (const [index, folder] of others.entries()) {
    const added = (await withReferences(store, catalogId, new Set([folder]))).difference(onDisk);
    for (const one of added)
      for (const file of await store.files({ catalogId, folder: one })) bytes += file.bytes;
    if (index > 0 && bytes > maxBytes) break;
    kept.add(folder);
    for (const one of added) onDisk.add(one);
  }
  return kept;
}

/** The folders, and those that have segments of their files. */
export async function withReferences(
  store: FileStore,
  catalogId: string,
  folders: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const all = new Set(folders);
  for (const folder of folders)
    for (const { file } of await store.files({ catalogId, folder })) {
      if (!file.endsWith(SEGMENTS)) continue;
      for (const one of (await loadFolders(store, { catalogId, folder, file })) ?? []) all.add(one);
    }
  return all;
}
