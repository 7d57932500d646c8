/**
 * Sends the published files of a catalog to one destination. The files are read as streams, from the folders of the
 * render.
 */
import { decryptSettings } from "../../destinations/destinations.ts";
import type { DestinationRow } from "../../destinations/destinations.sql.ts";
import type { SentRender } from "../../destinations/deliveries.sql.ts";
import { acpMetadata } from "../../destinations/acp-feed.ts";
import { sendFiles } from "../../destinations/send.ts";
import type { Naming } from "../../destinations/formats.ts";
import { deliveredFiles, isNameOf, type ShardSource } from "../../destinations/shards.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import { feedMissing, type SentPublished, type UploadDeps } from "./upload-deps.ts";
import { findVanished } from "./vanished.ts";

type SendPublishedOptions = {
  readonly destination: DestinationRow;
  readonly sent: SentRender;
  readonly signal: AbortSignal;
};

export async function sendPublished(
  deps: UploadDeps,
  { destination, sent, signal }: SendPublishedOptions,
): Promise<SentPublished> {
  const { db, folders, encryption } = deps;
  const { catalogId, kind, format, fileName: name, isSharded, bytesPerS } = destination;
  const settings = decryptSettings(encryption, destination);
  const file = (await listFeedFiles(db, sent.runId)).find((one) => one.file === sent.file);
  const catalog = await findCatalog(db, catalogId);
  if (!file || !catalog) throw feedMissing(sent.file);
  const naming: Naming = { format, name, isSharded };
  const earlier = new Set(destination.deliveredNames);
  const vanished = await findVanished(deps, destination, sent.runId);
  const files = deliveredFiles({
    ...naming,
    ...(vanished && { vanished }),
    open: () => renderedFile(folders, catalogId, file),
    metadata: () =>
      acpMetadata({
        id: settings["feed_id"] ?? catalog.slug,
        country: settings["target_country"] ?? null,
        updatedAt: file.lastModified,
      }),
  });
  const isOurs = (one: string) => isNameOf(naming, one) || earlier.has(one);
  const result = await sendFiles(deps, { kind, settings, files, isOurs, bytesPerS, signal });
  return { ...result, vanished: vanished?.count ?? 0 };
}

function renderedFile(folders: FeedFolders, catalogId: string, row: FeedFileRow): ShardSource {
  const { folder, file, written: items, bytes, gzipBytes } = row;
  return {
    items,
    bytes,
    gzipBytes,
    read: async function* (encoding) {
      const stream = await folders.open({ catalogId, folder, file, encoding });
      if (!stream) throw feedMissing(file);
      yield* stream as AsyncIterable<Uint8Array>;
    },
  };
}
