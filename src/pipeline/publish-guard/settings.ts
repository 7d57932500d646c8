/** Changes of the limits of a catalog's publish guard. */
import {
  GUARD_SIGNALS,
  type GuardSignal,
  type GuardSettings,
  type PublishGuard,
} from "../../contract/publish-guard.ts";
import { AppError } from "../../errors.ts";
import { findCatalog, lockCatalog, savePublishGuard } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { findHeldRender } from "../../store/renders.ts";
import { enqueueRender } from "../../store/runs.ts";
import { LIMITS, limitsOf } from "./limits.ts";

/** Null sets the default again. */
export type GuardChange = {
  readonly enabled?: boolean | undefined;
  readonly limits?: Readonly<Partial<Record<GuardSignal, number | "off" | null | undefined>>> | undefined;
};

/** A held render is judged again by the new limits: a render is queued. */
export async function changePublishGuard(db: Db, catalogId: string, change: GuardChange): Promise<void> {
  await db.tx(async (tx) => {
    await lockCatalog(tx, catalogId);
    const catalog = await findCatalog(tx, catalogId);
    if (!catalog) throw new AppError("not_found", "There is no such catalog.");
    await savePublishGuard(tx, catalogId, merged(catalog.publishGuard, change));
    if (await findHeldRender(tx, catalogId)) await enqueueRender(tx, catalogId, "settings");
  });
}

/** All limits with the values in use. */
export function describeGuard({ enabled = true, limits = {} }: GuardSettings): PublishGuard {
  const values = limitsOf({ limits });
  return {
    enabled,
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
function merged({ enabled = true, limits = {} }: GuardSettings, change: GuardChange): GuardSettings {
  const entries = GUARD_SIGNALS.flatMap((signal) => {
    const changed = change.limits?.[signal];
    const value = changed === undefined ? limits[signal] : changed;
    return value === undefined || value === null ? [] : [[signal, value] as const];
  });
  return {
    ...((change.enabled ?? enabled) ? {} : { enabled: false }),
    ...(entries.length > 0 && { limits: Object.fromEntries(entries) }),
  };
}
