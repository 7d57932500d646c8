/**
 * Products from lines that name their parents. Children are kept by parent and id, never by id alone: the same image
 * may hang on a product and on its variants. Lines whose parent is not there are dropped; the products' own counts
 * tell whether anything was lost by that.
 */
import { type JsonObject, textIn } from "../kit/json.ts";
import type { Line } from "./line-files.ts";
import type { Batch } from "./pages.ts";
import { readProduct, type ShopVariant } from "./wire.ts";

type WithMedia = { readonly node: JsonObject; readonly media: Map<string, JsonObject> };
type Gathered = WithMedia & { readonly variants: Map<string, WithMedia> };

export async function assembleProducts(lines: AsyncIterable<readonly Line[]>): Promise<Batch> {
  const products = new Map<string, Gathered>();
  const variants = new Map<string, WithMedia>();
  const children: JsonObject[] = [];

  for await (const batch of lines) {
    for (const { object: node } of batch) {
      if (textIn(node, "__parentId") === undefined) addProduct(node, products);
      else children.push(node);
    }
  }
  for (const node of children) if (isVariant(node)) addVariant(node, products, variants);
  for (const node of children) if (!isVariant(node)) addMedium(node, products, variants);
  return [...products.values()].map((product) => readProduct(product.node, () => childrenOf(product)));
}

function isVariant(node: JsonObject): boolean {
  return node["__typename"] === "ProductVariant";
}

/** What has no id keeps its place: it will be counted as unreadable. */
function addProduct(node: JsonObject, products: Map<string, Gathered>): void {
  const id = textIn(node, "id") ?? `nameless ${products.size}`;
  if (!products.has(id)) products.set(id, { node, media: new Map(), variants: new Map() });
}

function addVariant(
  node: JsonObject,
  products: ReadonlyMap<string, Gathered>,
  variants: Map<string, WithMedia>,
): void {
  const product = products.get(textIn(node, "__parentId") ?? "");
  if (product === undefined) return;
  const id = textIn(node, "id") ?? `nameless ${product.variants.size}`;
  if (product.variants.has(id)) return;
  const variant = { node, media: new Map<string, JsonObject>() };
  product.variants.set(id, variant);
  variants.set(id, variant);
}

function addMedium(
  node: JsonObject,
  products: ReadonlyMap<string, Gathered>,
  variants: ReadonlyMap<string, WithMedia>,
): void {
  const parent = textIn(node, "__parentId") ?? "";
  const id = textIn(node, "id");
  if (id !== undefined) (products.get(parent) ?? variants.get(parent))?.media.set(id, node);
}

function childrenOf({ media, variants }: Gathered) {
  return {
    media: [...media.values()],
    variants: [...variants.values()].map(
      (variant): ShopVariant => ({ node: variant.node, media: [...variant.media.values()] }),
    ),
    moreAfter: null,
  };
}
