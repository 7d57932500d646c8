/** A destination as the API shows it. */
import type { Destination } from "../contract/destinations.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { DestinationRow } from "./destinations.sql.ts";

export function destinationBody(row: DestinationRow, secretsSet: readonly string[]): Destination {
  const { id, kind, name, settings, format, isSharded: shards, bytesPerS: maxBytesPerS, vanishedDays } = row;
  const { schedule, enabled, fileName, dailyAt, timeZone, failingSince, lastSuccessAt, lastFailureAt } = row;
  const { deliveredRunId, lastErrorCode: code, lastError: message, createdAt } = row;
  const files = {
    format,
    shards,
    maxBytesPerS,
    vanishedDays,
    schedule,
    enabled,
    fileName,
    dailyAt,
    timeZone,
  };
  const isNew = lastSuccessAt === null && lastFailureAt === null;
  return {
    id,
    kind,
    name,
    settings,
    secrets_set: secretsSet,
    ...withSnakeCase(files),
    status: isNew ? "new" : failingSince === null ? "active" : "failing",
    ...withSnakeCase({ failingSince, lastSuccessAt, lastFailureAt, deliveredRunId }),
    last_error: code === null ? null : { code, message: message ?? "" },
    ...withSnakeCase({ nextDeliveryAt: row.nextAttemptAt ?? row.nextDailyAt, createdAt }),
  };
}
