/**
 * The rows of a source's last complete read. A row that is found here gave its item without a warning, with the same
 * settings: the item is what it was, so the row is only marked as seen.
 */
import { KnownHashes } from "../../lib/known-hashes.ts";
import { eachRowHash, eachStagedItemHash, stageRemovals, stageStored } from "../../store/row-hashes.ts";
import type { RowOwner } from "../../store/row-hashes.ts";
import type { Queries, Session } from "../../store/db.ts";

export type { KnownHashes };

/** Larger sources are read in full: the table would take more than 54 MB. */
const MAX_ROWS = 2_000_000;

/** Undefined if there is nothing to compare with. */
export async function loadKnownRows(
  session: Session,
  owner: RowOwner,
  itemCount: number,
): Promise<KnownHashes | undefined> {
  if (itemCount === 0 || itemCount > MAX_ROWS) return undefined;
  const known = new KnownHashes(itemCount);
  for await (const rows of eachRowHash(session, owner)) for (const row of rows) known.add(row);
  return known.size === 0 ? undefined : known;
}

/**
 * Adds to staging what a merge needs to know about rows that were skipped: the removal of items whose rows are gone,
 * and skipped rows whose id is staged too, because the first of the two wins. Returns how many of these there are.
 */
export async function stageAroundKnown(
  tx: Queries,
  owner: RowOwner,
  { known, itemCount }: { readonly known: KnownHashes; readonly itemCount: number },
): Promise<{ readonly repeated: number }> {
  let repeated = 0;
  let replaced = 0;
  for await (const staged of eachStagedItemHash(tx, owner)) {
    const rows = staged.flatMap(({ id, hash: row }) => {
      const position = known.positionOf(row);
      return position === null ? [] : [{ id, position }];
    });
    if (rows.length > 0) await stageStored(tx, owner.catalogId, rows);
    repeated += rows.length;
    replaced += staged.length - rows.length;
  }
  // To find the items whose rows are gone takes a pass over all items. If every item was skipped or is staged, there
  // are none.
  if (known.seen + replaced < itemCount) await stageRemovals(tx, owner, known.unseen());
  return { repeated };
}
