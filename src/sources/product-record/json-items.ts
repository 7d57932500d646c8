/** One element of a JSON list to its items: itself, its variants, or the products of a JSON-LD node. */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { DynamicColumns } from "./dynamic-columns.ts";
import { exactNumbers, setJsonFields } from "./json-fields.ts";
import { isJsonLdNode, jsonLdDrafts } from "./json-ld.ts";
import { type MapObject, variantDrafts, variantsIn } from "./json-variants.ts";
import { readSystemProduct, unclearMedusaAmount } from "./json-systems.ts";
import type { RecordLimits } from "./limits.ts";
import type { JsonElementReader, OtherList } from "../../lib/formats/json-elements.ts";
import { aliasNames, fold, TEXT_ALIASES } from "./aliases.ts";
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
  const object = readSystemProduct(isJsonObject(exact) ? exact : value);
  const map = (part: JsonObject): Draft => columns.map((set) => setJsonFields(part, limits, set));
  return draftsIn(object, map, options).map((draft) => ({ kind: "draft", draft }));
}

/**
 * The price of a flat object as `{"amount": 1990, "currency": "USD"}`: shops write 1990.00 or 19.90 in this way. With
 * variants it is OpenAI's nested feed, whose amounts are in cents.
 */
function unclearPrice(object: JsonObject): RecordResult | undefined {
  if (variantsIn(object) !== null) return unclearVersion(object);
  if (isJsonLdNode(object)) return undefined;
  for (const [name, value] of Object.entries(object)) {
    const money = /price$/i.test(name) ? wholeAmount(value) : undefined;
    if (money === undefined) continue;
    const itemId = typeof object["id"] === "string" ? object["id"] : null;
    const message = `${name} has the amount ${money.amount} ${money.currency}, which can be ${money.amount} or ${money.asCents}. Send a text such as "${money.asCents} ${money.currency}".`;
    return { kind: "unreadable", itemId, message, code: "ambiguous_price" };
  }
  return undefined;
}

function unclearVersion(object: JsonObject): RecordResult | undefined {
  const money = wholeAmount(unclearMedusaAmount(object));
  if (money === undefined) return undefined;
  const itemId = typeof object["id"] === "string" ? object["id"] : null;
  const message = `The prices have the amount ${money.amount} ${money.currency}, which is ${money.asCents} in Medusa 1 and ${money.amount} in Medusa 2, and the file does not show its version. Export the prices with their id, or with calculated_price.`;
  return { kind: "unreadable", itemId, message, code: "ambiguous_price" };
}

/** A whole number of a currency that has cents, and the amount if the number is in cents. */
function wholeAmount(value: unknown) {
  if (!isJsonObject(value)) return undefined;
  const { amount, currency } = value;
  if (typeof amount !== "number" || !Number.isInteger(amount) || typeof currency !== "string")
    return undefined;
  const exponent = currencyExponent(currency) ?? 2;
  if (exponent === 0 || amount === 0) return undefined;
  return { amount, currency: currency.slice(0, 10), asCents: (amount / 10 ** exponent).toFixed(exponent) };
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
  `products items edges data offers results entry entries rows records listings catalog member hydra:member
   @graph itemlistelement datafeedelement`.split(/\s+/),
);

/** Whether the array at this path has a name that shops, feeds and JSON-LD use for lists of products. */
export function hasUsualName(path: readonly string[]): boolean {
  return LIST_NAMES.has(path.at(-1)?.toLowerCase() ?? "");
}

const PRICE_NAMES: ReadonlySet<string> = new Set(aliasNames(TEXT_ALIASES.price ?? ""));

/** Whether a list that is not read has the fields of the products: most of them, and a price. */
export function hasProducts({ fields }: OtherList, known: readonly string[]): boolean {
  const shared = fields.filter((name) => known.includes(name));
  return shared.length * 2 > fields.length && shared.some((name) => PRICE_NAMES.has(fold(name)));
}

/**
 * The lists with products as those of the list that is read. Ways of shipping have a name and a price as well, and
 * little else.
 */
export function furtherLists({
  fields,
  otherLists,
}: Pick<JsonElementReader, "fields" | "otherLists">): readonly (readonly string[])[] {
  const own = fields();
  const further = otherLists().filter(
    (list) =>
      hasProducts(list, own) && list.fields.filter((name) => own.includes(name)).length * 2 > own.length,
  );
  return further.map(({ path }) => path);
}
