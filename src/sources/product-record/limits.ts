/** Limits of one product record. They are arguments, so that tests can use small ones. */
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
