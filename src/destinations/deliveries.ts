/**
 * The log of deliveries to destinations, and the events that add deliveries: publications, daily times and requests.
 */
import type {
  DestinationDeliveriesPage,
  DestinationDeliveriesQuery,
  DestinationDelivery,
} from "../contract/destination-deliveries.ts";
import { AppError } from "../errors.ts";
import { badCursor, decodeCursor, pageOf } from "../lib/cursor.ts";
import { isUuid } from "../lib/id.ts";
import type { Db, Queries } from "../store/db.ts";
import { requireLive } from "../store/restores.ts";
import { enqueueDelivery, findDeliveries, hasFile } from "./deliveries.sql.ts";
import { claimDaily, type DestinationRef, listDestinations } from "./destinations.sql.ts";
import { fail, noDestination, requireDestination } from "./destinations.ts";
import { FORMATS } from "./formats.ts";

/** The render that a catalog has published. */
export type PublishedRender = {
  readonly runId: string;
  readonly files: readonly { readonly file: string; readonly etag: string }[];
};
/** Returns undefined if nothing has been published yet. */
export type FindPublished = (tx: Queries, catalogId: string) => Promise<PublishedRender | undefined>;

/** Adds deliveries, in the transaction of the publication. Destinations that have this file already are omitted. */
export async function enqueuePublication(
  tx: Queries,
  catalogId: string,
  render: PublishedRender,
): Promise<void> {
  for (const { id, enabled, schedule, format } of await listDestinations(tx, catalogId)) {
    const sent = sentOf(render, FORMATS[format].file);
    if (!enabled || schedule !== "publication" || !sent) continue;
    if (await hasFile(tx, id, sent.etag)) continue;
    await enqueueDelivery(tx, { destinationId: id, cause: "publication", ...sent });
  }
}

const DAILY_BATCH = 50;

/** Queues deliveries whose daily time has come. Concurrent calls are safe. */
export async function enqueueDailyDeliveries(tx: Queries, published: FindPublished): Promise<void> {
  for (const { id, catalogId, format } of await claimDaily(tx, DAILY_BATCH)) {
    const sent = sentOf(await published(tx, catalogId), FORMATS[format].file);
    if (sent) await enqueueDelivery(tx, { destinationId: id, cause: "daily", ...sent });
  }
}

/** Queues the published files to be sent at once, even to a destination that is disabled. */
export async function requestDelivery(
  db: Db,
  ref: DestinationRef,
  published: FindPublished,
): Promise<DestinationDelivery> {
  return db.tx(async (tx) => {
    const { id, format } = await requireDestination(tx, ref);
    await requireLive(tx);
    const sent = sentOf(await published(tx, ref.catalogId), FORMATS[format].file);
    if (!sent)
      throw new AppError(
        "nothing_to_deliver",
        "This catalog has no published files yet. Sync it or render it first.",
      );
    const deliveryId = await enqueueDelivery(tx, { destinationId: id, cause: "request", ...sent });
    const [delivery] = deliveryId
      ? await findDeliveries(tx, ref.catalogId, { id: deliveryId, limit: 1 })
      : [];
    return delivery ?? fail(noDestination(id));
  });
}

export function sentOf(render: PublishedRender | undefined, file: string) {
  const found = render?.files.find((one) => one.file === file);
  return found && render && { runId: render.runId, file, etag: found.etag };
}

const DEFAULT_LIMIT = 50;

/** Newest first. */
export async function listDestinationDeliveries(
  db: Queries,
  catalogId: string,
  { destination_id: destinationId, cursor, limit = DEFAULT_LIMIT }: DestinationDeliveriesQuery,
): Promise<DestinationDeliveriesPage> {
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const found = await findDeliveries(db, catalogId, { destinationId, before, limit: limit + 1 });
  const { page, nextCursor } = pageOf(found, limit, ({ id }) => [id]);
  return { deliveries: page, next_cursor: nextCursor };
}

function parseCursor(cursor: string): string {
  const id = String(decodeCursor(cursor, ["string"])[0]);
  if (!isUuid(id)) throw badCursor();
  return id;
}
