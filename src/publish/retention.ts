/** Which folders of renders stay on disk: those that are needed, and earlier ones as far as they fit. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SegmentList } from "./segments.ts";
import { ifExists, SEGMENTS } from "./stored-files.ts";

export type Retention = {
  /** Stay in any case. */
  readonly needed: ReadonlySet<string>;
  /** The newest first. */
  readonly earlier: readonly string[];
  /** What the earlier ones may take in addition to the needed ones. The newest of them stays in any case. */
  readonly maxBytes: number;
};

/** The folders that stay, without those that they refer to. `root` has the folders of a catalog. */
export async function keepWithin(
  root: string,
  { needed, earlier, maxBytes }: Retention,
): Promise<ReadonlySet<string>> {
  const kept = new Set(needed);
  const onDisk = new Set(await withReferences(root, needed));
  const others = earlier.filter((folder) => !needed.has(folder));
  let bytes = 0;
  for (const [index, folder] of others.entries()) {
    const added = (await withReferences(root, new Set([folder]))).difference(onDisk);
    for (const one of added) bytes += await bytesIn(join(root, one));
    if (index > 0 && bytes > maxBytes) break;
    kept.add(folder);
    for (const one of added) onDisk.add(one);
  }
  return kept;
}

/** The folders, and those that have segments of their files. */
export async function withReferences(
  root: string,
  folders: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const all = new Set(folders);
  for (const folder of folders) {
    const names = (await ifExists(readdir(join(root, folder)))) ?? [];
    for (const name of names.filter((one) => one.endsWith(SEGMENTS))) {
      const referred = await ifExists(SegmentList.loadFolders(join(root, folder, name)));
      for (const one of referred ?? []) all.add(one);
    }
  }
  return all;
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await ifExists(readdir(folder))) ?? [])
    bytes += (await ifExists(stat(join(folder, name))))?.size ?? 0;
  return bytes;
}
