/** What the checks of the publish guard find, and how they count. */
import type { GuardSignal } from "../../../contract/publish-guard.ts";
import { formatCount, plural } from "../../../lib/counted.ts";
import type { GuardFigures } from "./figures.ts";

/** What a limit is compared with. */
export type GuardFinding = {
  readonly signal: GuardSignal;
  readonly subject?: string;
  /** A share of items or a factor, as the limit has it. */
  readonly change: number;
  /** How many items are concerned. */
  readonly items: number;
  readonly before: number | string | null;
  readonly after: number | string | null;
  /** Without the limit, and without the last mark. */
  readonly sentence: () => string;
};

export const itemsOf = (count: number): string => `${formatCount(count)} ${plural(count, "item")}`;
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** How many items both renders have. */
export const bothHave = ({ before, changes }: Pick<GuardFigures, "before" | "changes">): number =>
  before.items - (changes?.removed ?? 0);

/** Up or down, as a number above 1. */
export const factor = (a: number, b: number): number => (a > 0 && b > 0 ? Math.max(a / b, b / a) : 1);
