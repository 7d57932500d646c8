/** What a user may set of every kind of destination. */
import type { ChangedDestination } from "../contract/destinations.ts";
import { invalidRequest } from "../errors.ts";
import { defined } from "../lib/defined.ts";
import type { DestinationFields } from "./destinations.sql.ts";

export type Options = Omit<DestinationFields, "name" | "settings" | "secretsEncrypted">;

export const DEFAULT_OPTIONS: Options = {
  format: "acp.csv.gz",
  fileName: "products",
  isSharded: true,
  bytesPerS: null,
  schedule: "publication",
  dailyAt: "03:00",
  timeZone: "UTC",
  enabled: true,
};

/** What the input does not have stays as before. */
export function optionsOf(input: Partial<ChangedDestination>, before: Options): Options {
  const { format, schedule, enabled, time_zone: timeZone } = input;
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw invalidRequest(
      `There is no time zone "${timeZone}". Use a name such as Europe/Berlin.`,
      "/time_zone",
    );
  return {
    ...before,
    ...defined({ format, schedule, enabled, timeZone }),
    ...defined({ fileName: input.file_name, isSharded: input.shards, dailyAt: input.daily_at }),
    ...defined({ bytesPerS: input.max_bytes_per_s }),
  };
}

/** A name of the time zone database, which PostgreSQL has too. */
function isTimeZone(name: string): boolean {
  return name === "UTC" || Intl.supportedValuesOf("timeZone").includes(name);
}
