/**
 * Rows that a source gave and that could not become items. No channel ever sees them, so each weighs like an item
 * without a single point that every channel refuses. They are counted outside the audit and handed in.
 */
export type RejectedRows = {
  readonly count: number;
  /** The commonest first. `rows` is null where only examples are known, not the number. */
  readonly reasons: readonly RejectionReason[];
  readonly examples: readonly RejectedExample[];
};

export type RejectionReason = {
  readonly code: string;
  readonly rows: number | null;
  readonly message: string;
};

/** Named as the API names it. The id is null where the row has none. */
export type RejectedExample = { readonly item_id: string | null; readonly message: string };

export const NO_REJECTED_ROWS: RejectedRows = { count: 0, reasons: [], examples: [] };

/** Two audits that differ here differ in their reports. */
export function rejectedKey({ count, reasons }: RejectedRows): string {
  return [count, ...reasons.map(({ code, rows }) => `${code}=${rows ?? "?"}`)].join(",");
}
