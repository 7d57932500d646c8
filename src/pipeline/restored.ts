/**
 * Makes a restored installation a copy that sends nothing, and a copy live. What waited to be sent when the backup was
 * made is withheld: the original has probably sent it. What the copy makes itself (events, uploads of what it
 * publishes) waits until it is live.
 */
import { countWaitingUploads, supersedeUploads } from "../destinations/deliveries.sql.ts";
import { AppError } from "../errors.ts";
import type { Resumed } from "../contract/installation.ts";
import { withholdMails } from "../store/alert-mails.ts";
import { listCatalogs } from "../store/catalogs.ts";
import type { Queries } from "../store/db.ts";
import { notify } from "../store/notices.ts";
import { markFilesMissing } from "../store/renders.ts";
import { endRestore, insertRestore } from "../store/restores.ts";
import { enqueueRender, failOpenReads } from "../store/runs.ts";
import { checkShopWebhooksNow } from "../store/shop-webhooks.ts";
import { countRestoredDeliveries, withholdDeliveries } from "../webhooks/log.sql.ts";

/**
 * In the transaction that restores the data, or before anything else after a recovery. Returns the slugs of the
 * catalogs whose newest files waited for a decision: the copy has no other files to compare with, so the next render is
 * published.
 */
export async function markRestored(tx: Queries): Promise<readonly string[]> {
  await insertRestore(tx);
  const undecided = await markFilesMissing(tx);
  await failOpenReads(tx, {
    code: "canceled",
    message: "This run was open when the backup was made. The restored copy does not continue it.",
  });
  await withholdDeliveries(tx);
  await supersedeUploads(tx);
  await withholdMails(tx);
  return undecided;
}

/**
 * After a recovery of the database by other means than a backup of ours. The files that it refers to may be gone or
 * newer: all are rendered.
 */
export async function markRecovered(tx: Queries): Promise<void> {
  await markRestored(tx);
  for (const { id } of await listCatalogs(tx)) await enqueueRender(tx, id, "command");
}

/** From now on the installation sends what waits, and its syncs that are due begin. */
export async function resume(tx: Queries): Promise<Resumed> {
  const ended = await endRestore(tx);
  if (!ended) throw new AppError("conflict", "This installation is live already, so nothing was changed.");
  await checkShopWebhooksNow(tx);
  await notify(tx, { about: "deliveries" });
  await notify(tx, { about: "uploads" });
  const { waiting, withheld } = await countRestoredDeliveries(tx, ended.restoredAt);
  return {
    restored_at: ended.restoredAt.toISOString(),
    resumed_at: ended.resumedAt.toISOString(),
    waiting_deliveries: waiting,
    waiting_uploads: await countWaitingUploads(tx),
    withheld_deliveries: withheld,
  };
}
