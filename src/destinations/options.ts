/** The options that a user may set for every kind of destination. */
import { type ChangedDestination, DAILY_AT, FILE_NAME } from "../contract/destinations.ts";
import { invalidRequest } from "../errors.ts";
import { defined } from "../lib/defined.ts";
import { withCamelCase } from "../lib/snake-case.ts";
import { isTimeZone } from "../lib/time-zone.ts";
import type { DestinationFields } from "./destinations.sql.ts";

export type Options = Omit<DestinationFields, "name" | "settings" | "secretsEncrypted">;

export const DEFAULT_OPTIONS: Options = {
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
export function optionsOf(input: Partial<ChangedDestination>, before: Options): Options {
  const { format, fileName, vanishedDays, schedule, dailyAt, timeZone, enabled, ...named } =
    withCamelCase(input);
  const noZone = "There is no such time zone. Use a name such as Europe/Berlin.";
  check(timeZone, isTimeZone, ["/time_zone", noZone]);
  check(dailyAt, matches(DAILY_AT), ["/daily_at", "Must be a time such as 03:00."]);
  check(fileName, matches(FILE_NAME), [
    "/file_name",
    "Must have letters, digits, points, hyphens and underscores only, and at most 100 of them.",
  ]);
  return {
    ...before,
    ...defined({ format, fileName, vanishedDays, schedule, dailyAt, timeZone, enabled }),
    ...defined({ isSharded: named.shards, bytesPerS: named.maxBytesPerS }),
  };
}

const matches = (pattern: string) => (text: string) => new RegExp(pattern).test(text);

/** Checks the options, because the command line has no schemas. */
function check(
  text: string | undefined,
  isValid: (text: string) => boolean,
  [pointer, detail]: readonly [string, string],
): void {
  if (text !== undefined && !isValid(text)) throw invalidRequest(`"${text}": ${detail}`, pointer);
}
