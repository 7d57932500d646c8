/** The options that a user may set for every kind of destination. */
import type { ChangedDestination } from "../contract/destinations.ts";
import { invalidRequest } from "../errors.ts";
import { defined } from "../lib/defined.ts";
import { withCamelCase } from "../lib/snake-case.ts";
import { isTimeZone } from "../lib/time-zone.ts";
import type { DestinationFields } from "./destinations.sql.ts";

export type DestinationOptions = Omit<DestinationFields, "name" | "settings" | "secretsEncrypted">;

export const DEFAULT_OPTIONS: DestinationOptions = {
  format: "acp.csv.gz",
  fileName: "products",
  isSharded: true,
  bytesPerS: null,
  vanishedDays: 14,
  schedule: "publication",
  dailyAt: "03:00",
  timeZone: "UTC",
  enabled: true,
};

/** Fields that the input does not have keep their values. */
export function optionsOf(
  input: Partial<ChangedDestination>,
  before: DestinationOptions,
): DestinationOptions {
  const { format, fileName, vanishedDays, schedule, dailyAt, timeZone, enabled, ...named } =
    withCamelCase(input);
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw invalidRequest(
      `"${timeZone}": There is no such time zone. Use a name such as Europe/Berlin.`,
      "/time_zone",
    );
  return {
    ...before,
    ...defined({ format, fileName, vanishedDays, schedule, dailyAt, timeZone, enabled }),
    ...defined({ isSharded: named.shards, bytesPerS: named.maxBytesPerS }),
  };
}
