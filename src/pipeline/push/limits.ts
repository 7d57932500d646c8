/** How much of anything one push may be, and how long its sender may be silent. Every cap is here. */
import type { ReceiveLimits } from "../../lib/formats/received-bytes.ts";
import { RECORD_LIMITS } from "../../sources/product-record/limits.ts";

export type PushLimits = ReceiveLimits & {
  /** JSON Lines only: a line that cannot be read need not be stored to its end. */
  readonly maxLineBytes: number;
  /** How much of the body is stored, and read again, in one piece. */
  readonly chunkBytes: number;
  /** A sender that sends nothing for so long has hung up without saying so. */
  readonly idleMs: number;
  /** After `graceMs` of waiting for the sender, the body must have come at this pace on average. */
  readonly graceMs: number;
  readonly minBytesPerS: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
};

export const PUSH_LIMITS: PushLimits = {
  // The same as for a feed that is fetched.
  maxSentBytes: 2_000_000_000,
  maxUnpackedBytes: 8_000_000_000,
  maxUnpackRatio: 200,
  ratioFromBytes: 10_000_000,
  // No character takes more than three bytes of UTF-8 for each unit of its length.
  maxLineBytes: RECORD_LIMITS.maxRowChars * 3,
  chunkBytes: 1 << 20,
  idleMs: 60_000,
  graceMs: 60_000,
  minBytesPerS: 1_000,
  leaseMs: 15_000,
  heartbeatMs: 2_000,
};
