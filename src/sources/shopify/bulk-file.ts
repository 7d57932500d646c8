/**
 * Products out of a bulk operation's file. The file has a line for every object; a child names its parent and stands
 * somewhere behind it, perhaps at the other end of the file. So the lines are first sorted into smaller files by the
 * product they belong to, and each of those is put together in memory: what is held at once is one small file's worth,
 * however large the shop is. Files rather than a database, because everything is written once and read once, in order.
 *
 * The image of a variant names the variant and not the product, so it takes one step more: it waits in a file sorted
 * by variants, beside the pairs that say which product a variant belongs to.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { assembleProducts } from "./assemble.ts";
import { type JsonObject, textIn } from "../kit/json.ts";
import type { BulkLimits } from "./limits.ts";
import { eachLines, type LineBatches, type LineFiles, lineFiles } from "./line-files.ts";
import type { Batch } from "./pages.ts";

export type BulkSpool = {
  /** The file as Shopify sent it. */
  readonly path: string;
  /** An empty folder for what is made of it. */
  readonly folder: string;
  readonly signal: AbortSignal;
};

export type SortedBulk = {
  /** What was counted: to be compared with what the operation says it wrote. */
  readonly lines: number;
  readonly roots: number;
  readonly products: () => AsyncGenerator<Batch, void, void>;
};

/** The file as small files, and what was counted on the way. A file that ends within a line is a FormatError. */
export async function sortBulkFile(
  { path, folder, signal }: BulkSpool,
  { bucketBytes, maxBuckets, maxLineChars }: Pick<BulkLimits, "bucketBytes" | "maxBuckets" | "maxLineChars">,
): Promise<SortedBulk> {
  const { size } = await stat(path);
  const count = Math.min(maxBuckets, Math.max(1, Math.ceil(size / bucketBytes)));
  const reading = { maxLineChars, signal };
  const byProduct = lineFiles((index) => join(folder, `product-${index}`), count, reading);
  const byVariant = lineFiles((index) => join(folder, `variant-${index}`), count, reading);
  let lines = 0;
  let roots = 0;
  for await (const batch of eachLines(path, reading)) {
    lines += batch.length;
    for (const { object, text } of batch) {
      const place = placeOf(object);
      if (place.kind === "root") roots += 1;
      const { full, noted } = put(place, text, { byProduct, byVariant });
      if (full) await full;
      if (noted) await noted;
    }
  }
  await byVariant.flush();
  await bringHome(byVariant, byProduct, count);
  await byProduct.flush();
  return { lines, roots, products: () => productsOf(byProduct, count) };
}

async function* productsOf(byProduct: LineFiles, count: number): AsyncGenerator<Batch, void, void> {
  for (let index = 0; index < count; index += 1) yield await assembleProducts(byProduct.lines(index));
}

/** Where a line belongs. The child of a variant does not know its product yet. */
type Place =
  | { readonly kind: "root"; readonly product: string }
  | { readonly kind: "variant"; readonly product: string; readonly variant: string }
  | { readonly kind: "child"; readonly product: string }
  | { readonly kind: "orphan"; readonly variant: string };

function placeOf(object: JsonObject): Place {
  const id = textIn(object, "id") ?? "";
  const parent = textIn(object, "__parentId");
  if (parent === undefined) return { kind: "root", product: id };
  if (parent.includes("/ProductVariant/")) return { kind: "orphan", variant: parent };
  if (id.includes("/ProductVariant/")) return { kind: "variant", product: parent, variant: id };
  return { kind: "child", product: parent };
}

type Files = { readonly byProduct: LineFiles; readonly byVariant: LineFiles };
type Pending = { readonly full: Promise<void> | undefined; readonly noted?: Promise<void> | undefined };

function put(place: Place, text: string, { byProduct, byVariant }: Files): Pending {
  if (place.kind === "orphan") return { full: byVariant.add(place.variant, text) };
  const full = byProduct.add(place.product, text);
  if (place.kind !== "variant") return { full };
  const { variant, product } = place;
  return { full, noted: byVariant.add(variant, JSON.stringify({ variant, product })) };
}

/** Brings the children of variants to the files of their products. */
async function bringHome(byVariant: LineFiles, byProduct: LineFiles, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const productOf = await readPairs(byVariant.lines(index));
    for await (const batch of byVariant.lines(index)) {
      for (const { object, text } of batch) {
        const parent = textIn(object, "__parentId");
        const full = parent === undefined ? undefined : byProduct.add(productOf.get(parent) ?? "", text);
        if (full) await full;
      }
    }
  }
}

/** Which product a variant belongs to. */
async function readPairs(lines: LineBatches): Promise<ReadonlyMap<string, string>> {
  const productOf = new Map<string, string>();
  for await (const batch of lines) {
    for (const { object } of batch) {
      const variant = textIn(object, "variant");
      if (variant !== undefined) productOf.set(variant, textIn(object, "product") ?? "");
    }
  }
  return productOf;
}
