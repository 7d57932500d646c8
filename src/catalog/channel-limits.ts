/**
 * The longest values that channels accept, in code points, where more than one part of the program needs the number:
 * reading makes ids that fit, normalizing warns of what will be cut, rendering cuts, the audit judges.
 */
export const CHANNEL_LIMITS = {
  /** Google's; OpenAI takes 100. An id must be the same in all files, so the strictest limit counts. */
  id: 50,
  /** Google and OpenAI cut longer titles and descriptions. */
  title: 150,
  description: 5_000,
  brand: 70,
  /** Google's, for every address. */
  url: 2_000,
} as const;
