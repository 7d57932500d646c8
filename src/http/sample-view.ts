/** The first items of a source or of an uploaded file, as the API shows them. */
import { snakeCase, withSnakeCase } from "../lib/snake-case.ts";
import type { Sampled } from "../pipeline/sync/sample.ts";

export function sampleView(sampled: Sampled) {
  const { items, rejections, warnings, effect, cleared, feeds, suggestion, isWhole } = sampled;
  const named = withSnakeCase({
    items,
    rejections: rejections.map(withApiField),
    warnings: warnings.map(withApiField),
    cleared: cleared.map(({ itemId, fields }) => ({ itemId, fields: fields.map(snakeCase) })),
    isWhole,
  });
  return { effect, feeds, suggestion, ...named };
}

/** Fields are named as in pushes: `sale_price`. */
const withApiField = <Finding extends { readonly field: string | null }>(finding: Finding): Finding => ({
  ...finding,
  field: finding.field && snakeCase(finding.field),
});
