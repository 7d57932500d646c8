/** Renders into a folder, without publishing: a catalog that was read offline, or a stored one. */
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { ItemGroup } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { FeedContext, FeedWriter } from "../../channels/channel.ts";
import { type ChannelFile, CHANNELS } from "../../channels/registry.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db, Session } from "../../store/db.ts";
import { storedGroups } from "./item-groups.ts";
import { type FileStats, Tally } from "./tally.ts";

export type FolderRender = { readonly folder: string; readonly files: readonly ChannelFile[] };

export type FolderStats = { readonly items: number; readonly files: Readonly<Record<string, FileStats>> };

export async function renderOffline(
  groups: readonly ItemGroup[],
  { settings, now, ...render }: FolderRender & { readonly settings: CatalogSettings; readonly now: Date },
): Promise<FolderStats> {
  // A stored catalog has a name; a file has none, and none is invented.
  const catalog = { slug: "catalog", name: settings.sellerName ?? "" };
  return renderToFolder([groups], { catalog, settings, asOf: now, snapshotAt: now }, render);
}

/** The published files stay as they are. */
export async function renderStored(db: Db, catalog: Catalog, render: FolderRender): Promise<FolderStats> {
  const { id, slug, name, settings, snapshotAt } = catalog;
  const context = { catalog: { slug, name }, settings, asOf: new Date(), snapshotAt };
  return db.session(async (session) =>
    session.snapshot(async () => renderToFolder(groupsIn(session, id), context, render)),
  );
}

async function* groupsIn(session: Session, catalogId: string): AsyncGenerator<readonly ItemGroup[]> {
  for await (const groups of storedGroups(session, catalogId)) yield groups.map(({ group }) => group);
}

type Output = {
  readonly file: ChannelFile;
  readonly path: string;
  readonly writer: FeedWriter;
  readonly handle: FileHandle;
  readonly tally: Tally;
  buffered: string;
};

const BUFFER_CHARS = 64 * 1024;

async function renderToFolder(
  batches: Iterable<Iterable<ItemGroup>> | AsyncIterable<Iterable<ItemGroup>>,
  context: FeedContext,
  { folder, files }: FolderRender,
): Promise<FolderStats> {
  await mkdir(folder, { recursive: true });
  const outputs: Output[] = [];
  let items = 0;
  try {
    for (const file of files) outputs.push(await openOutput(file, join(folder, file), context));
    for await (const groups of batches) {
      for (const group of groups) {
        items += group.items.length;
        for (const output of outputs) {
          output.buffered += output.tally.addPiece(output.writer.group(group));
          if (output.buffered.length >= BUFFER_CHARS) await flush(output);
        }
      }
    }
    for (const output of outputs) {
      output.buffered += output.writer.tail();
      await flush(output);
    }
  } finally {
    for (const { handle } of outputs) await handle.close();
  }
  for (const { path } of outputs) await rename(`${path}.part`, path);
  return { items, files: Object.fromEntries(outputs.map(({ file, tally }) => [file, tally.stats()])) };
}

async function openOutput(file: ChannelFile, path: string, context: FeedContext): Promise<Output> {
  const writer = CHANNELS[file].open(context);
  const handle = await open(`${path}.part`, "w");
  return { file, path, writer, handle, tally: new Tally(), buffered: writer.head() };
}

async function flush(output: Output): Promise<void> {
  await output.handle.appendFile(output.buffered);
  output.buffered = "";
}
