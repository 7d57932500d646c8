/** All limits of a push: sizes, and how slow its sender may be. */
import { RECORD_LIMITS } from "../../sources/product-record/limits.ts";
import type { ReceiveLimits } from "./received-bytes.ts";

export type PushLimits = ReceiveLimits & {
  /** JSON Lines only: a line that is too long is not stored to its end. */
  readonly maxLineBytes: number;
  /** The size of the chunks in which the body is stored. */
  readonly chunkBytes: number;
  /** A sender that sends nothing for so long is disconnected. */
  readonly idleMs: number;
  /** After `graceMs` of waiting for the sender, the average rate must be at least this. */
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
  // UTF-8 needs at most three bytes for each UTF-16 unit.
  maxLineBytes: RECORD_LIMITS.maxRowChars * 3,
  chunkBytes: 1 << 20,
  idleMs: 60_000,
  graceMs: 60_000,
  minBytesPerS: 1_000,
  leaseMs: 15_000,
  heartbeatMs: 2_000,
};
