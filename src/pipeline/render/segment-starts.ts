/** Where segments may begin: at the same groups in every file of a render, chosen by their content. */
import type { ItemGroup } from "../../catalog/item.ts";

export const sortKeyOf = ({ groupId, items }: ItemGroup): string => groupId ?? items[0]?.id ?? "";

export class SegmentStarts {
  private last: Buffer = Buffer.alloc(0);

  /** Whether the next group may begin a segment. Of the parts of a large group, which follow each other, only the first may. */
  mayBegin(sortKey: Buffer): boolean {
    if (this.isLast(sortKey)) return false;
    this.last = sortKey;
    return isCandidate(sortKey);
  }

  /** Whether the last group has this key. */
  isLast(sortKey: Buffer): boolean {
    return Buffer.compare(sortKey, this.last) === 0;
  }
}

/** One out of four groups, chosen by its key. */
function isCandidate(sortKey: Buffer): boolean {
  let hash = 0;
  for (const byte of sortKey) hash = Math.imul(hash ^ byte, 0x9e3779b1);
  return ((hash ^ (hash >>> 15)) & 3) === 0;
}
