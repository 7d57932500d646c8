/** A destination as the API shows it. */
import type { Destination } from "../contract/destinations.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { DestinationRow } from "./destinations.sql.ts";

export function destinationBody(row: DestinationRow, secretsSet: readonly string[]): Destination {
  const {
    id,
    kind,
    name,
    settings,
    format,
    schedule,
    enabled,
    isSharded: shards,
    bytesPerS,
    nextDailyAt,
  } = row;
  const { fileName, dailyAt, timeZone, failingSince, lastSuccessAt, lastFailureAt, createdAt } = row;
  const isNew = lastSuccessAt === null && lastFailureAt === null;
  return {
    id,
    kind,
    name,
    settings,
    secrets_set: secretsSet,
    format,
    shards,
    max_bytes_per_s: bytesPerS,
    vanished_days: row.vanishedDays,
    schedule,
    enabled,
    ...withSnakeCase({ fileName, dailyAt, timeZone }),
    status: isNew ? "new" : failingSince === null ? "active" : "failing",
    ...withSnakeCase({ failingSince, lastSuccessAt, lastFailureAt }),
    delivered_run_id: row.deliveredRunId,
    last_error: row.lastErrorCode === null ? null : { code: row.lastErrorCode, message: row.lastError ?? "" },
    ...withSnakeCase({ nextDeliveryAt: row.nextAttemptAt ?? nextDailyAt, createdAt }),
  };
}
