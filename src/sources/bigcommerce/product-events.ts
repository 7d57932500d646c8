/**
 * A page of products as events: a draft for each variant, in its place; what cannot be read is a rejection in its
 * place; what shoppers do not see is counted and nothing else. Positions go on from page to page.
 */
import { roundToCurrency } from "../currency-rounding.ts";
import type { SourceEvent } from "../source.ts";
import type { ShopApi } from "./api.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { mapVariant, type ProductFacts, type ShopFacts } from "./map.ts";
import type { ProductPage } from "./pages.ts";
import type { PricedVariant, ShownPrice, ShownPrices } from "./shown-prices.ts";
import type { Taxonomy } from "./taxonomy.ts";
import { variantReader } from "./variants.ts";
import { asFields, type Fields, idIn, isTrue, listIn, objectsOf, textIn } from "./wire.ts";

/** What has been read so far. */
export type Tally = {
  /** Products that the shop's list gave us, whatever became of them. */
  products: number;
  /** Variants that must have become an event each: what the read expects of itself. */
  variants: number;
  hidden: number;
  priceHidden: number;
  /** Items whose price had more decimals than can be paid. */
  rounded: number;
  position: number;
};

export function tally(): Tally {
  return { products: 0, variants: 0, hidden: 0, priceHidden: 0, rounded: 0, position: 0 };
}

type Desk = {
  readonly api: ShopApi;
  readonly shop: ShopFacts;
  readonly taxonomy: Taxonomy;
  readonly prices: ShownPrices;
  readonly limits: BigCommerceLimits;
  readonly tally: Tally;
};

export async function* productEvents(
  { rows }: ProductPage,
  desk: Desk,
): AsyncGenerator<SourceEvent, void, void> {
  const { api, taxonomy, prices, limits, tally } = desk;
  const products = objectsOf(rows).filter(isForSale);
  await taxonomy.prepare(products);
  const variantsOf = await variantReader(api, products, limits);
  const shown = new Map(
    await prices.of(products.flatMap((product) => pricedIn(product, listIn(product, "variants")))),
  );
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
    // A long list of variants has more of them than came with the page.
    const more = pricedIn(product, variants).filter(({ variantId }) => !shown.has(variantId));
    for (const [id, price] of await prices.of(more)) shown.set(id, price);
    for (const variant of variants) yield variantEvent(variant, facts, shown, desk);
  }
}

/** The list is asked for visible products, but one may be hidden between the asking and the answer. */
function isForSale(product: Fields): boolean {
  return product["is_visible"] !== false && !isTrue(product, "is_price_hidden");
}

function pricedIn(product: Fields, variants: readonly unknown[]): readonly PricedVariant[] {
  const productId = idIn(product, "id");
  return variants.flatMap((variant) => {
    const variantId = idIn(asFields(variant) ?? {}, "id");
    return productId === undefined || variantId === undefined ? [] : [{ productId, variantId }];
  });
}

function variantEvent(
  value: unknown,
  facts: ProductFacts,
  shown: ReadonlyMap<number, ShownPrice>,
  { shop, prices, tally }: Desk,
): SourceEvent {
  const variant = asFields(value);
  const id = variant === null ? undefined : idIn(variant, "id");
  if (variant === null || id === undefined) return unreadable(tally, facts.product, "variant");
  tally.position += 1;
  const price = shown.get(id);
  if (!prices.isAsEntered && price === undefined) return unpriced(id, tally.position);
  const mapped = mapVariant(variant, facts, shop, price);
  const draft = roundToCurrency(mapped);
  if (draft !== mapped) tally.rounded += 1;
  return { kind: "draft", position: tally.position, draft, decimalMark: "." };
}

function unpriced(id: number, position: number): SourceEvent {
  const message =
    "BigCommerce does not say at which price the shop shows this item, with or without tax (v3/pricing/products). Open its product in the control panel and save it again.";
  const rejection = { itemId: String(id), position, field: "price", code: "missing_price", message } as const;
  return { kind: "rejected", rejection };
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
