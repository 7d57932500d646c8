/**
 * Values of models and of programs outside are not made again by a pass: they are outdated once the source has another value or
 * the texts that they were found in have changed.
 */
import { decodeItem } from "../../catalog/item.ts";
import { basisHash, isSameBasis } from "../../enrich/basis.ts";
import { proposableField } from "../../enrich/overlays.ts";
import type { Db } from "../../store/db.ts";
import { findSourceItems } from "../../store/items.ts";
import { listOutsideValues } from "../../store/outside-values.ts";
import { saveStates } from "../../store/proposals.ts";

const PAGE = 500;
const FIRST = "00000000-0000-0000-0000-000000000000";

/** Returns how many became stale. */
export async function markOutdated(db: Db, catalogId: string, signal: AbortSignal): Promise<number> {
  let stale = 0;
  for (let after: string | undefined = FIRST; after !== undefined; ) {
    signal.throwIfAborted();
    const page = await listOutsideValues(db, catalogId, { after, limit: PAGE });
    const ids = [...new Set(page.map(({ itemId }) => itemId))];
    const rows = await findSourceItems(db, catalogId, ids);
    const sources = new Map(rows.map(({ id, body }) => [id, decodeItem(body)]));
    const outdated = page.filter(({ itemId, field: name, sourceHash, evidence }) => {
      const source = sources.get(itemId);
      const field = proposableField(name);
      if (!source || !field) return true;
      return !isSameBasis(basisHash(source, field, { evidence, siblingBody: null }), sourceHash);
    });
    await db.tx(async (tx) =>
      saveStates(
        tx,
        { catalogId, from: ["pending"] },
        outdated.map(({ id }) => ({ id, state: "stale" })),
      ),
    );
    stale += outdated.length;
    after = page.length === PAGE ? page.at(-1)?.id : undefined;
  }
  return stale;
}
