/** Rules about syncs, published files and expiration dates. */
import { expiryInFile } from "../../channels/google/composite-values.ts";
import { FAIL, NOT_APPLICABLE } from "../outcome.ts";
import { firstProblem, type ItemRule, itemRule, REFERENCES } from "../rule.ts";

export const FRESHNESS_RULES: readonly ItemRule[] = [
  itemRule({
    number: 37,
    id: "fresh.sync",
    title: "Last sync is too old",
    field: "settings",
    points: 1,
    severity: "major",
    when: "when the catalog is synced on a schedule; the same for all items",
    expects: "A successful sync within twice the interval. Unknown without a successful sync.",
    advice: "Look up in the run history why the syncs fail.",
    reference: REFERENCES.openaiUploads,
    applies: (_, { shop }) => shop.sync !== NOT_APPLICABLE,
    evaluate: (_, { shop }) => shop.sync,
    message: () => "The last successful sync is older than two sync intervals.",
  }),
  itemRule({
    number: 38,
    id: "fresh.published",
    title: "Published files are older than the catalog",
    field: "settings",
    points: 1,
    severity: "major",
    when: "when the audit is not part of a render; the same for all items",
    expects: "Files that were made after the last sync.",
    advice: "Render the feeds. If the last render failed, look up the reason in the run history.",
    reference: REFERENCES.openaiUploads,
    applies: (_, { shop }) => shop.published !== NOT_APPLICABLE,
    evaluate: (_, { shop }) => shop.published,
    message: () => "The files that channels read are older than the catalog.",
  }),
  itemRule({
    number: 39,
    id: "fresh.expiry",
    title: "Offer has expired",
    field: "expiresAt",
    points: 1,
    severity: "critical",
    formats: ["gmc"],
    blocks: ["gmc"],
    when: "when the offer has an expiration date",
    expects: "A future date within 30 days. Half of the points for a later one.",
    advice: "Change the expiration date, remove it, or remove the item from the catalog.",
    reference: REFERENCES.productData,
    applies: ({ expiresAt }) => expiresAt !== undefined,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ expiresAt = "" }, { shop }) => expiryInFile(expiresAt) <= shop.now,
        message: ({ expiresAt = "" }) => `The offer ended on ${expiresAt.slice(0, 10)}.`,
      },
      {
        earned: 6,
        found: ({ expiresAt = "" }, { shop }) => expiresAt > shop.inThirtyDays,
        message: ({ expiresAt = "" }) =>
          `The offer ends on ${expiresAt.slice(0, 10)}; Google accepts at most 30 days ahead.`,
      },
    ),
  }),
];
