/** Every check of the suite, the slowest first: all begin at the same time. */
import type { Check } from "./check.ts";
import { ACCESS } from "./checks/access.ts";
import { CALLS } from "./checks/calls.ts";
import { DELIVERIES, RETRIES } from "./checks/deliveries.ts";
import { FEEDS } from "./checks/feeds.ts";
import { PLAIN_CATALOGS, SUDDEN_CHANGES } from "./checks/sudden-changes.ts";
import { SYNCS } from "./checks/syncs.ts";
import { WEBHOOKS } from "./checks/webhooks.ts";

export const CHECKS: readonly Check[] = [
  ...RETRIES,
  ...ACCESS,
  ...FEEDS,
  ...SYNCS,
  ...CALLS,
  ...WEBHOOKS,
  ...DELIVERIES,
  ...PLAIN_CATALOGS,
  ...SUDDEN_CHANGES,
];
