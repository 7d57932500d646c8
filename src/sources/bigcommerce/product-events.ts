/**
 * A page of products as events: a draft for each variant, in its place; what cannot be read is a rejection in its
 * place; what shoppers do not see is counted and nothing else. Positions go on from page to page.
 */
import type { SourceEvent } from "../source.ts";
import type { ShopApi } from "./api.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { mapVariant, type ProductFacts, type ShopFacts } from "./map.ts";
import type { ProductPage } from "./pages.ts";
import type { Taxonomy } from "./taxonomy.ts";
import { variantReader } from "./variants.ts";
import { asFields, type Fields, idIn, isTrue, objectsOf, textIn } from "./wire.ts";

/** What has been read so far. */
export type Tally = {
  /** Products that the shop's list gave us, whatever became of them. */
  products: number;
  /** Variants that must have become an event each: what the read expects of itself. */
  variants: number;
  hidden: number;
  priceHidden: number;
  position: number;
};

export function tally(): Tally {
  return { products: 0, variants: 0, hidden: 0, priceHidden: 0, position: 0 };
}

type Desk = {
  readonly api: ShopApi;
  readonly shop: ShopFacts;
  readonly taxonomy: Taxonomy;
  readonly limits: BigCommerceLimits;
  readonly tally: Tally;
};

export async function* productEvents(
  { rows }: ProductPage,
  desk: Desk,
): AsyncGenerator<SourceEvent, void, void> {
  const { api, shop, taxonomy, limits, tally } = desk;
  const products = objectsOf(rows).filter(isForSale);
  await taxonomy.prepare(products);
  const variantsOf = await variantReader(api, products, limits);
  for (const row of rows) {
    tally.products += 1;
    const product = asFields(row);
    if (product !== null && !isForSale(product)) {
      tally[isTrue(product, "is_price_hidden") ? "priceHidden" : "hidden"] += 1;
      continue;
    }
    const variants = product === null ? [] : await variantsOf(product);
    tally.variants += Math.max(1, variants.length);
    if (product === null || variants.length === 0) {
      yield unreadable(tally, product);
      continue;
    }
    const facts: ProductFacts = {
      product,
      brand: taxonomy.brandOf(product),
      categories: taxonomy.categoriesOf(product),
      hasSeveralVariants: variants.length > 1,
    };
    for (const variant of variants) yield variantEvent(variant, facts, shop, tally);
  }
}

/** The list is asked for visible products, but one may be hidden between the asking and the answer. */
function isForSale(product: Fields): boolean {
  return product["is_visible"] !== false && !isTrue(product, "is_price_hidden");
}

function variantEvent(value: unknown, facts: ProductFacts, shop: ShopFacts, tally: Tally): SourceEvent {
  const variant = asFields(value);
  if (variant === null || idIn(variant, "id") === undefined)
    return unreadable(tally, facts.product, "variant");
  tally.position += 1;
  const draft = mapVariant(variant, facts, shop);
  return { kind: "draft", position: tally.position, draft, decimalMark: "." };
}

/** A product without variants cannot be sold: BigCommerce gives even the simplest one. */
function unreadable(
  tally: Tally,
  product: Fields | null,
  what: "product" | "variant" = "product",
): SourceEvent {
  tally.position += 1;
  const id = product === null ? undefined : idIn(product, "id");
  const name = product === null ? undefined : textIn(product, "name");
  const which = id === undefined ? "A product without an id" : `Product ${id}${named(name)}`;
  const problem = what === "variant" ? "has a variant without an id" : "came without variants";
  return {
    kind: "rejected",
    rejection: {
      itemId: null,
      position: tally.position,
      field: null,
      code: "unreadable_row",
      message: `${which} ${problem}, so it cannot be read. Open it in the control panel of BigCommerce and save it again.`,
    },
  };
}

/** How much of a name a message repeats. */
const NAME_CHARS = 80;

function named(name: string | undefined): string {
  return name === undefined ? "" : ` ("${name.slice(0, NAME_CHARS).toWellFormed()}")`;
}
