/**
 * Merges the draft of a product into that of its variant. Identifiers are never inherited; whether prices and stock are
 * depends on the format.
 */
import type { Draft } from "../../catalog/draft.ts";
import { joinGoogle } from "./google-columns.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** Fields that belong to one variant alone. */
const VARIANT_FIELDS: ReadonlySet<string> = new Set([
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

/**
 * What a variant inherits from its product. `described`: descriptive fields; exports repeat prices and stock on every
 * variant, and those of a parent's row are a range or a sum. `everything`: all fields but the codes of one variant, as
 * in JSON, where a product states once what applies to all its variants.
 */
type Inheritance = "described" | "everything";

export function variantDraft(product: Draft, variant: Draft, inheritance: Inheritance = "described"): Draft {
  const kept = inheritance === "described" ? VARIANT_FIELDS : notInherited(variant);
  const shared = Object.entries(product).filter(([field]) => !kept.has(field));
  const draft: Draft = { ...Object.fromEntries(shared), ...variant };
  const google = joinGoogle(product.google, variant.google);
  return google === undefined ? draft : { ...draft, google };
}

/** Fields that name one variant. */
const NAMES = ["id", "sku", "gtin", "mpn"] as const satisfies (keyof Draft)[];

/** Fields that belong together: a variant with a value for one of `by` inherits none of `with`. */
const LINKED_FIELDS: readonly {
  readonly by: readonly (keyof Draft)[];
  readonly with: readonly (keyof Draft)[];
}[] = [
  // A sale of the product's price is not a sale of another one.
  { by: ["price"], with: ["salePrice", "listPrice", "saleWindow", "saleFrom", "saleTo"] },
  { by: ["availability", "quantity"], with: ["availability", "quantity", "availabilityDate"] },
];

function notInherited(variant: Draft): ReadonlySet<string> {
  const stated = LINKED_FIELDS.filter(({ by }) => by.some((field) => variant[field] !== undefined));
  return new Set([...NAMES, ...stated.flatMap((together) => together.with)]);
}

/** All images of a draft, the main one first. */
export function imagesOf({ image, additionalImages = [] }: Draft): (string | undefined)[] {
  return [image, ...additionalImages];
}

/** The variant's image first, then the product's, each once. */
export function withImages(draft: Draft, images: readonly (string | undefined)[]): Draft {
  const [image, ...more] = new Set(images.filter((url) => url !== undefined));
  if (image === undefined) return draft;
  return more.length === 0 ? { ...draft, image } : { ...draft, image, additionalImages: more };
}

/** An address in the shop. Without the shop's own address it is relative; the catalog may know where to. */
export function shopLink(storeUrl: string | undefined, path: string): string {
  return `${trimEndOf(storeUrl ?? "", /\//)}${path}`;
}
