/** How much one product record may be, whoever sends it. Every cap is an argument, so a test can make the world small. */
export type RecordLimits = {
  readonly maxFieldChars: number;
  readonly maxRowChars: number;
  readonly maxDepth: number;
  readonly maxColumns: number;
};

export const RECORD_LIMITS: RecordLimits = {
  maxFieldChars: 1_000_000,
  maxRowChars: 4_000_000,
  maxDepth: 64,
  maxColumns: 2_000,
};
