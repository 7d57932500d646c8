/**
 * Reads the stored verdicts of two audits side by side and explains the change. Both streams must be in the order
 * of the ids' code points, which is that of PostgreSQL's "C" collation and of UTF-8 bytes; anything else is refused,
 * since an item met twice would be counted as gone and come.
 */
import { AppError } from "../errors.ts";
import { type AuditSide, type Change, countChange } from "./change.ts";

/** One item of an audit. Null when nothing was found on it: such items must be in the stream, too. */
export type ItemVerdictRow = { readonly itemId: string; readonly encoded: Uint8Array | null };

export type AuditedItems = AuditSide & { readonly verdicts: AsyncIterable<ItemVerdictRow> };

export async function attributeChange(previous: AuditedItems, current: AuditedItems): Promise<Change> {
  const count = countChange(previous, current);
  const before = inOrder(previous.verdicts);
  const after = inOrder(current.verdicts);
  let was = await before.next();
  let is = await after.next();
  while (was !== undefined || is !== undefined) {
    const order = compare(was, is);
    count.item(order <= 0 ? was?.encoded : undefined, order >= 0 ? is?.encoded : undefined);
    if (order <= 0) was = await before.next();
    if (order >= 0) is = await after.next();
  }
  return count.finish();
}

/** What is over comes after everything else. */
function compare(a: ItemVerdictRow | undefined, b: ItemVerdictRow | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareCodePoints(a.itemId, b.itemId);
}

function inOrder(rows: AsyncIterable<ItemVerdictRow>) {
  const iterator = rows[Symbol.asyncIterator]();
  let last: string | undefined;
  return {
    next: async (): Promise<ItemVerdictRow | undefined> => {
      const step = await iterator.next();
      if (step.done === true) return undefined;
      const row = step.value;
      if (last !== undefined && compareCodePoints(last, row.itemId) >= 0) {
        throw new AppError("ledger_mismatch", "The stored verdicts do not come in the order of their ids.");
      }
      last = row.itemId;
      return row;
    },
  };
}

/** JavaScript compares code units, which puts characters beyond the first plane before some that are in it. */
export function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (one !== other)
      return isSurrogate(one) === isSurrogate(other) ? one - other : isSurrogate(one) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
