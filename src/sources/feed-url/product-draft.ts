/**
 * A variant's draft out of its product's and its own: what the variant does not say, the product says for it. What
 * names or prices one variant is never taken from another.
 */
import type { Draft } from "../../catalog/draft.ts";

/** Fields that belong to one variant alone. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "sku",
  "gtin",
  "mpn",
  "price",
  "salePrice",
  "listPrice",
  "saleFrom",
  "saleTo",
  "quantity",
  "availability",
  "options",
  "image",
  "additionalImages",
  "link",
] satisfies (keyof Draft)[]);

/** The draft without these fields. */
export function without(draft: Draft, ...fields: readonly (keyof Draft)[]): Draft {
  const rest: Draft = { ...draft };
  for (const field of fields) delete rest[field];
  return rest;
}

export function variantDraft(product: Draft, variant: Draft): Draft {
  const shared = Object.entries(product).filter(([field]) => !OWN_FIELDS.has(field));
  return { ...Object.fromEntries(shared), ...variant };
}

/** The variant's image first, then the product's, each once. */
export function withImages(draft: Draft, images: readonly (string | undefined)[]): Draft {
  const [image, ...more] = new Set(images.filter((url) => url !== undefined));
  if (image === undefined) return draft;
  return more.length === 0 ? { ...draft, image } : { ...draft, image, additionalImages: more };
}

/** An address in the shop. Without the shop's own address it is relative; the catalog may know where to. */
export function shopLink(storeUrl: string | undefined, path: string): string {
  return `${(storeUrl ?? "").replace(/\/+$/, "")}${path}`;
}
