/** Says what happened, in the transaction that makes it so: the event and its deliveries are there, or neither is. */
import type { Queries } from "../../store/db.ts";
import { appendEvent } from "../../store/webhooks/events.ts";
import type { FeedToken } from "../../store/webhooks/events.ts";
import type { WebhookEvent } from "../../contract/events.ts";

export async function announce(
  tx: Queries,
  event: WebhookEvent,
  {
    catalogId,
    at,
    feedToken,
  }: { readonly catalogId: string; readonly at: Date; readonly feedToken?: FeedToken },
): Promise<void> {
  await appendEvent(tx, { ...event, catalogId, createdAt: at, ...(feedToken && { feedToken }) });
}
