/** The base of a unit price. The quantity itself is for the shop to say: a volume in a title may be a blender's, and a set has several. */
import { quote } from "./evidence.ts";
import { CONFIDENCE, fieldExtractor } from "./extractor.ts";
import measures from "./vocabulary/measures.json" with { type: "json" };

const WEIGHTS = new Set(["g", "kg", "mg"]);
const VOLUMES = new Set(["ml", "cl", "l"]);
const METRIC_COUNTRIES = new Set(measures.metric_countries);

export const UNIT_PRICING_BASE = fieldExtractor({
  id: "unit_pricing_base",
  version: 1,
  field: "unit_pricing_base_measure",
  evidence: "the quantity of the item, in the countries where the law wants prices per kilogram and liter",
  // Without a quantity there is nothing to compare.
  current: ({ unitPricing }) => (unitPricing === undefined ? "" : unitPricing.base),
  find: (item, _, { settings: { country = "", targetCountries = [] } }) => {
    const unit = item.unitPricing?.measure.unit ?? "";
    const base = WEIGHTS.has(unit) ? "1 kg" : VOLUMES.has(unit) ? "1 l" : undefined;
    const isMetric = [country, ...targetCountries].some((code) => METRIC_COUNTRIES.has(code));
    if (base === undefined || !isMetric) return undefined;
    const evidence = [quote(item, "unit_pricing_measure")];
    return { value: base, evidence, confidence: CONFIDENCE.separate, isClosed: true };
  },
});
