/**
 * Limits of Google's that are needed before an item reaches a channel: ids are made to fit, and texts that feeds will
 * cut are warned of. In code points. Google's field table reads them from here, and no other hosted file has a lower
 * limit.
 */
export const GOOGLE_LIMITS = {
  /** An id must be the same in all files, so the lowest limit counts. */
  id: 50,
  title: 150,
  description: 5_000,
  brand: 70,
  url: 2_000,
} as const;
