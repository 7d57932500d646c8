/**
 * Products from the file of a bulk operation. It has a line for every object; a child names its parent, which may be at
 * the other end of the file. So lines are first distributed over smaller files by product, and then the products of one
 * small file at a time are assembled in memory.
 *
 * The image of a variant names the variant and not the product. It waits in a file by variant, next to lines that state
 * the product of each variant.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { textIn } from "../kit/json.ts";
import type { ShopifyLimits } from "./client.ts";
import { type LineBatches, type LineFiles, lineFiles, readLines } from "./line-files.ts";
import { type ProductBatch, parseProduct } from "./product.ts";

export type BulkSpool = {
  /** The file as Shopify sent it. */
  readonly path: string;
  /** An empty folder for the smaller files. */
  readonly folder: string;
  readonly signal: AbortSignal;
};

export type SortedBulk = Awaited<ReturnType<typeof sortBulkFile>>;

/** A file that is cut off within a line is a FormatError. */
export async function sortBulkFile(
  { path, folder, signal }: BulkSpool,
  { bucketBytes, maxBuckets, maxLineChars }: ShopifyLimits["bulk"],
) {
  const { size } = await stat(path);
  const count = Math.min(maxBuckets, Math.max(1, Math.ceil(size / bucketBytes)));
  const reading = { maxLineChars, signal };
  const byProduct = lineFiles((index) => join(folder, `product-${index}`), count, reading);
  const byVariant = lineFiles((index) => join(folder, `variant-${index}`), count, reading);
  let lines = 0;
  let roots = 0;
  for await (const batch of readLines(path, reading)) {
    lines += batch.length;
    for (const { object, text } of batch) {
      const id = textIn(object, "id") ?? "";
      const parent = textIn(object, "__parentId");
      if (parent === undefined) roots += 1;
      if (parent !== undefined && isVariantId(parent)) byVariant.add(parent, text);
      else byProduct.add(parent ?? id, text);
      if (isVariantId(id)) byVariant.add(id, JSON.stringify({ variant: id, product: parent }));
    }
    await byProduct.drain();
    await byVariant.drain();
  }
  await byVariant.flush();
  for (let index = 0; index < count; index += 1) await moveToProducts(byVariant, index, byProduct);
  await byProduct.flush();
  return {
    /** To be compared with what the operation states. */
    lines,
    roots,
    products: async function* (): AsyncGenerator<ProductBatch, void, void> {
      for (let index = 0; index < count; index += 1) yield await assembleProducts(byProduct.lines(index));
    },
  };
}

function isVariantId(id: string): boolean {
  return id.includes("/ProductVariant/");
}

/** Adds the children of variants to the files of their products. */
async function moveToProducts(byVariant: LineFiles, index: number, byProduct: LineFiles): Promise<void> {
  const productOf = new Map<string, string>();
  for await (const batch of byVariant.lines(index)) {
    for (const { object } of batch) {
      const variant = textIn(object, "variant");
      if (variant !== undefined) productOf.set(variant, textIn(object, "product") ?? "");
    }
  }
  for await (const batch of byVariant.lines(index)) {
    for (const { object, text } of batch) {
      const parent = textIn(object, "__parentId");
      if (parent !== undefined) byProduct.add(productOf.get(parent) ?? "", text);
    }
    await byProduct.drain();
  }
}

type Parent = {
  readonly node: JsonObject;
  readonly media: Map<string, JsonObject>;
  readonly variants: Map<string, Parent>;
};

/**
 * Children are stored by parent and id, because a product and its variants may have the same image. A line without its
 * parent is dropped; the products' own counts show whether a variant is missing.
 */
async function assembleProducts(lines: LineBatches): Promise<ProductBatch> {
  const nodes: Record<NodeKind, JsonObject[]> = { product: [], variant: [], medium: [] };
  for await (const batch of lines) for (const { object } of batch) nodes[kindOf(object)].push(object);
  const products = new Map<string, Parent>();
  for (const node of nodes.product) addOnce(products, node);
  const parents = new Map(products);
  for (const node of nodes.variant) {
    const product = products.get(parentId(node));
    if (product !== undefined) addOnce(product.variants, node, parents);
  }
  for (const node of nodes.medium) parents.get(parentId(node))?.media.set(textIn(node, "id") ?? "", node);
  return [...products.values()].map(({ node, media, variants }) =>
    parseProduct(node, {
      media: [...media.values()],
      variants: [...variants.values()].map((one) => ({ node: one.node, media: [...one.media.values()] })),
      moreAfter: null,
    }),
  );
}

type NodeKind = "product" | "variant" | "medium";

function kindOf(node: JsonObject): NodeKind {
  if (parentId(node) === "") return "product";
  return node["__typename"] === "ProductVariant" ? "variant" : "medium";
}

function parentId(node: JsonObject): string {
  return textIn(node, "__parentId") ?? "";
}

/** A node without an id is kept, so that it is counted as unreadable. */
function addOnce(nodes: Map<string, Parent>, node: JsonObject, all = nodes): void {
  const id = textIn(node, "id") ?? `without id ${nodes.size}`;
  if (nodes.has(id)) return;
  const parent: Parent = { node, media: new Map(), variants: new Map() };
  nodes.set(id, parent);
  all.set(id, parent);
}
