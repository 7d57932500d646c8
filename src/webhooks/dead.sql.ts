/**
 * Tells the other endpoints of a catalog that a delivery is dead, because its own endpoint cannot be reached. An
 * endpoint that has failed for days is disabled when the retry schedule of one of its deliveries has ended.
 */
import type { DeliveryFailed } from "../contract/events.ts";
import type { Queries } from "../store/db.ts";
import { sql } from "../store/sql.ts";
import { disableFailing } from "./endpoints.sql.ts";
import { appendEvent } from "./events.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { Finish } from "./finish.sql.ts";

/** Calls `finishDeliveries` and handles the dead deliveries, in the caller's transaction. */
export async function finishAndAnnounce(
  tx: Queries,
  finishes: readonly Finish[],
): Promise<ReadonlySet<string>> {
  const finished = await finishDeliveries(tx, finishes);
  const dead = new Map(
    finishes.filter(({ id, state }) => state === "dead" && finished.has(id)).map((one) => [one.id, one]),
  );
  const deliveries = dead.size > 0 ? await readDead(tx, [...dead.keys()]) : [];
  for (const row of deliveries) {
    const finish = dead.get(row.id);
    // A dead announcement is not announced: two endpoints that both fail would announce each other's announcements
    // without end.
    if (finish && row.type !== "shelfwire.delivery.failed") await announce(tx, row, finish);
  }
  await disableFailing(tx, [...new Set(deliveries.map(({ endpointId }) => endpointId))]);
  return finished;
}

type DeadDelivery = {
  readonly catalogId: string;
  readonly id: string;
  readonly endpointId: string;
  readonly url: string;
  readonly type: string;
  readonly attempts: number;
};

async function readDead(tx: Queries, ids: readonly string[]): Promise<readonly DeadDelivery[]> {
  return tx.query<DeadDelivery>(sql`
    select d.catalog_id, d.id, d.endpoint_id, p.url, v.type, d.attempts
      from webhook_deliveries d
      join webhook_events v on v.catalog_id = d.catalog_id and v.id = d.event_id
      join webhook_endpoints p on p.catalog_id = d.catalog_id and p.id = d.endpoint_id
     where d.id = any (${ids}::uuid[])
     order by d.id`);
}

async function announce(tx: Queries, row: DeadDelivery, { attempt }: Finish): Promise<void> {
  const { catalogId, id, endpointId, url, type, attempts } = row;
  const code = attempt.error ?? "protocol";
  const data: DeliveryFailed = {
    delivery_id: id,
    to: "webhook",
    target_id: endpointId,
    // The path may contain a secret of the receiver.
    target: URL.parse(url)?.host ?? "",
    render_run_id: null,
    event: type,
    attempts,
    error: { code, message: attempt.message ?? code },
    failed_at: attempt.endedAt.toISOString(),
  };
  const about = { catalogId, createdAt: attempt.endedAt, exceptEndpointId: endpointId };
  await appendEvent(tx, { type: "shelfwire.delivery.failed", data, ...about });
}
