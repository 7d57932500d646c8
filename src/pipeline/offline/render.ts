/** The four feeds of a catalog that was read without a database, written into a folder. */
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import { newTally, tallyPiece } from "../render/tally.ts";
import type { FileStats } from "../render/tally.ts";

export type OfflineRender = {
  readonly folder: string;
  readonly settings: CatalogSettings;
  readonly now: Date;
};

export async function renderOffline(
  groups: readonly ItemGroup[],
  render: OfflineRender,
): Promise<Readonly<Record<string, FileStats>>> {
  await mkdir(render.folder, { recursive: true });
  const files: Record<string, FileStats> = {};
  for (const file of FEED_FILES) files[file] = await renderFile(file, groups, render);
  return files;
}

async function renderFile(
  file: FeedFile,
  groups: readonly ItemGroup[],
  { folder, settings, now }: OfflineRender,
): Promise<FileStats> {
  // A catalog has a name that may stand for the seller's. A file has none, and none is invented.
  const writer = CHANNELS[file].open({
    catalog: { slug: "catalog", name: settings.sellerName ?? "" },
    settings,
    asOf: now,
    snapshotAt: now,
  });
  const tally = newTally();
  const path = join(folder, file);
  const handle = await open(`${path}.part`, "w");
  try {
    await handle.write(writer.head());
    for (const group of groups) await handle.write(tallyPiece(tally, writer.group(group)));
    await handle.write(writer.tail());
  } finally {
    await handle.close();
  }
  await rename(`${path}.part`, path);
  return tally;
}
