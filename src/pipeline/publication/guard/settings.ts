/** Changes of the limits of a catalog's publish guard. */
import {
  GUARD_SIGNALS,
  type GuardSignal,
  type GuardSettings,
  type PublishGuard,
} from "../../../contract/publish-guard.ts";
import { AppError } from "../../../errors.ts";
import { defined } from "../../../lib/defined.ts";
import { findCatalog, lockCatalog, savePublishGuard } from "../../../store/catalogs.ts";
import type { Db } from "../../../store/db.ts";
import { findHeldRender } from "../../../store/renders.ts";
import { enqueueRender } from "../../../store/runs.ts";
import { LIMITS, limitsOf } from "./limits.ts";

/** Null sets the default again. */
export type GuardChange = {
  readonly enabled?: boolean | undefined;
  readonly plain_calls?: "publish" | "hold" | undefined;
  readonly expected_hosts?: readonly string[] | undefined;
  readonly limits?: Readonly<Partial<Record<GuardSignal, number | "off" | null | undefined>>> | undefined;
};

/** The names of what a change sets, for the log of changes. */
export const guardFields = ({
  limits = {},
  ...others
}: {
  readonly limits?: object | undefined;
}): readonly string[] => [
  ...Object.keys(defined(others)),
  ...Object.keys(defined(limits)).map((limit) => `limits.${limit}`),
];

/** Refuses limits that hold every render, or none. */
function checkRanges({ limits = {} }: GuardChange): void {
  const fields = GUARD_SIGNALS.flatMap((signal) => {
    const value = limits[signal];
    const range = typeof value === "number" ? outOfRange(signal, value) : undefined;
    return range === undefined ? [] : [{ pointer: `/limits/${signal}`, detail: `${range} Or: off.` }];
  });
  const [first] = fields;
  if (first) throw new AppError("invalid_request", `${first.detail} Nothing was changed.`, { fields });
}

/** Which values the limit can have, if this is none. */
function outOfRange(signal: GuardSignal, value: number): string | undefined {
  const { unit, canExceedAll = false } = LIMITS[signal];
  if (unit === "factor")
    return value < 1
      ? `${signal} is a factor: 1 or more, such as 2.5 for 2.5 times as much or as little.`
      : undefined;
  if (value < 1 || canExceedAll) return undefined;
  return `${signal} is a share of items: from 0 % to less than 100 % (0 to 1). A share is never more than 100 %, so that this limit would hold no render.`;
}

/** A held render is judged again by the new limits: a render is queued. */
export async function changePublishGuard(db: Db, catalogId: string, change: GuardChange): Promise<void> {
  checkRanges(change);
  await db.tx(async (tx) => {
    await lockCatalog(tx, catalogId);
    const catalog = await findCatalog(tx, catalogId);
    if (!catalog) throw new AppError("not_found", "There is no such catalog.");
    await savePublishGuard(tx, catalogId, merged(catalog.publishGuard, change));
    if (await findHeldRender(tx, catalogId)) await enqueueRender(tx, catalogId, "settings");
  });
}

/** All limits with the values in use. */
export function describeGuard({
  enabled = true,
  plain_calls = "publish",
  expected_hosts = [],
  limits = {},
}: GuardSettings): PublishGuard {
  const values = limitsOf({ limits });
  return {
    enabled,
    plain_calls,
    expected_hosts: [...expected_hosts],
    limits: GUARD_SIGNALS.map((signal) => {
      const { unit, limit, minItems, description } = LIMITS[signal];
      return {
        signal,
        description,
        unit,
        limit: values?.[signal] ?? null,
        default: limit,
        min_items: minItems,
      };
    }),
  };
}

/** Only what differs from the defaults is stored. */
function merged(stored: GuardSettings, change: GuardChange): GuardSettings {
  const { enabled = stored.enabled ?? true, plain_calls: plainCalls = stored.plain_calls } = change;
  const { expected_hosts: hosts = stored.expected_hosts ?? [] } = change;
  const limits = mergedLimits(stored.limits, change.limits);
  return {
    ...(!enabled && { enabled: false }),
    ...(plainCalls === "hold" && { plain_calls: "hold" as const }),
    ...(hosts.length > 0 && { expected_hosts: hosts }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function mergedLimits(
  stored: GuardSettings["limits"] = {},
  change: GuardChange["limits"] = {},
): NonNullable<GuardSettings["limits"]> {
  const entries = GUARD_SIGNALS.flatMap((signal) => {
    const value = change[signal] === undefined ? stored[signal] : change[signal];
    return value === undefined || value === null ? [] : [[signal, value] as const];
  });
  return Object.fromEntries(entries);
}
