/** One element of a JSON list to its items: itself, its variants, or the products of a JSON-LD node. */
import type { Draft } from "../../catalog/draft.ts";
import type { DynamicColumns } from "./dynamic-columns.ts";
import { exactNumbers, isJsonObject, type JsonObject, setJsonFields } from "./json-fields.ts";
import { isJsonLdNode, jsonLdDrafts } from "./json-ld.ts";
import { type MapObject, variantDrafts, variantsIn } from "./json-variants.ts";
import { readSystemProduct } from "./json-systems.ts";
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
  const { columns, limits } = options;
  const exact = exactNumbers(value, text);
  const object = readSystemProduct(isJsonObject(exact) ? exact : value);
  const map = (part: JsonObject): Draft => columns.map((set) => setJsonFields(part, limits, set));
  return draftsIn(object, map, options).map((draft) => ({ kind: "draft", draft }));
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
  `products items edges data offers results entry entries rows records listings catalog
   @graph itemlistelement datafeedelement`.split(/\s+/),
);

/** Whether the array at this path has a name that shops, feeds and JSON-LD use for lists of products. */
export function hasUsualName(path: readonly string[]): boolean {
  return LIST_NAMES.has(path.at(-1)?.toLowerCase() ?? "");
}
