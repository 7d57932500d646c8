/**
 * Pending values that a pass does not see. Those of models and of external programs are not made again: they are outdated once
 * the source has another value or the texts that they were found in have changed.
 */
import { decodeItem } from "../../catalog/item.ts";
import { basisHash, isSameBasis } from "../../enrich/basis.ts";
import { proposableField } from "../../enrich/overlays.ts";
import type { Db } from "../../store/db.ts";
import { findSourceItems } from "../../store/items.ts";
import { listExternalProposals } from "../../store/external-proposals.ts";
import { listLost, saveStates } from "../../store/proposals.ts";

const PAGE = 500;
const FIRST = "00000000-0000-0000-0000-000000000000";

/** Returns how many became stale. */
export async function markOutdated(db: Db, catalogId: string, signal: AbortSignal): Promise<number> {
  let stale = 0;
  for (let after: string | undefined = FIRST; after !== undefined; ) {
    signal.throwIfAborted();
    const page = await listExternalProposals(db, catalogId, { after, limit: PAGE });
    const ids = [...new Set(page.map(({ itemId }) => itemId))];
    const rows = await findSourceItems(db, catalogId, ids);
    const sources = new Map(rows.map(({ id, body }) => [id, decodeItem(body)]));
    const outdated = page.filter(({ itemId, field: name, sourceHash, evidence }) => {
      const source = sources.get(itemId);
      const field = proposableField(name);
      if (!source || !field) return true;
      return !isSameBasis(basisHash(source, field, { evidence, siblingBody: null }), sourceHash);
    });
    await markStale(
      db,
      catalogId,
      outdated.map(({ id }) => id),
    );
    stale += outdated.length;
    after = page.length === PAGE ? page.at(-1)?.id : undefined;
  }
  return stale;
}

const LOST_BATCH = 5_000;

/** Pending values of items that are gone, which no pass reads any more. Returns how many became stale. */
export async function markLost(db: Db, catalogId: string, signal: AbortSignal): Promise<number> {
  for (let stale = 0; ; ) {
    signal.throwIfAborted();
    const lost = await listLost(db, catalogId, LOST_BATCH);
    await markStale(db, catalogId, lost);
    stale += lost.length;
    if (lost.length < LOST_BATCH) return stale;
  }
}

async function markStale(db: Db, catalogId: string, ids: readonly string[]): Promise<void> {
  const states = ids.map((id) => ({ id, state: "stale" as const }));
  await db.tx(async (tx) => saveStates(tx, { catalogId, from: ["pending"] }, states));
}
