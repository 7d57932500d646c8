/** The variants of one product, as rendering and audit get them. */
import type { Item } from "./item.ts";

/**
 * Items of one group in catalog order; `groupId` null means that the items belong to no group. `whole` is false on
 * every part of a group too large for one batch; the parts follow one another.
 */
export type ItemGroup = {
  readonly groupId: string | null;
  readonly items: readonly Item[];
  readonly whole: boolean;
};
