/** One element of a JSON list to its items: itself, its variants, or the products of a JSON-LD node. */
import { currencyExponent } from "../../catalog/currency.ts";
import { shiftDecimal } from "../../catalog/decimal.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { DynamicColumns } from "./dynamic-columns.ts";
import { exactNumbers, isJsonObject, type JsonObject, setJsonFields } from "./json-fields.ts";
import { isJsonLdNode, jsonLdDrafts } from "./json-ld.ts";
import { type MapObject, variantDrafts, variantsIn } from "./json-variants.ts";
import type { RecordLimits } from "./limits.ts";
import type { RecordResult } from "../source.ts";

export type ElementOptions = {
  readonly columns: DynamicColumns;
  readonly limits: RecordLimits;
  readonly storeUrl: string | undefined;
  /** Called for an element that is more than a flat list of fields. */
  readonly onShape: () => void;
};

export function readElement(value: unknown, text: string, options: ElementOptions): RecordResult[] {
  if (!isJsonObject(value)) {
    const shown = text.trim().slice(0, 40).toWellFormed();
    return [
      { kind: "unreadable", itemId: null, message: `An element of the list is not an object: ${shown}.` },
    ];
  }
  const unclear = unclearPrice(value);
  if (unclear !== undefined) return [unclear];
  const { columns, limits } = options;
  const exact = exactNumbers(value, text);
  const object = isJsonObject(exact) ? exact : value;
  const map = (part: JsonObject): Draft => columns.map((set) => setJsonFields(part, limits, set));
  return draftsIn(object, map, options).map((draft) => ({ kind: "draft", draft }));
}

/**
 * The price of a flat object as `{"amount": 1990, "currency": "USD"}`: shops write 1990.00 or 19.90 in this way. With variants it is
 * OpenAI's nested feed, whose amounts are in cents.
 */
function unclearPrice(object: JsonObject): RecordResult | undefined {
  if (variantsIn(object) !== null || isJsonLdNode(object)) return undefined;
  for (const [name, value] of Object.entries(object)) {
    if (!/price$/i.test(name) || !isJsonObject(value)) continue;
    const { amount, currency } = value;
    if (!Number.isInteger(amount) || typeof currency !== "string") continue;
    const exponent = currencyExponent(currency) ?? 2;
    if (exponent === 0 || amount === 0) continue;
    const [whole, cents] = [0, -exponent].map((places) => shiftDecimal(String(amount), places));
    const itemId = typeof object["id"] === "string" ? object["id"] : null;
    const message = `${name} has the amount ${whole} ${currency.slice(0, 10)}, which can be ${whole} or ${cents}. Send a text such as "${cents} ${currency.slice(0, 10)}".`;
    return { kind: "unreadable", itemId, message, code: "ambiguous_price" };
  }
  return undefined;
}

function draftsIn(object: JsonObject, map: MapObject, options: ElementOptions): Draft[] {
  const variants = variantsIn(object);
  const isNode = isJsonLdNode(object);
  if (variants === null && !isNode) return [map(object)];
  options.onShape();
  if (variants === null) return jsonLdDrafts(object, map);
  return variantDrafts(object, variants, { map, storeUrl: options.storeUrl });
}

export const LIST_NAMES: ReadonlySet<string> = new Set(
  `products items data offers results entry entries rows records listings catalog
   @graph itemlistelement datafeedelement`.split(/\s+/),
);

/** Whether the array at this path has a name that shops, feeds and JSON-LD use for lists of products. */
export function hasUsualName(path: readonly string[]): boolean {
  return LIST_NAMES.has(path.at(-1)?.toLowerCase() ?? "");
}
