/**
 * The fake shop's answers, field by field, for graphql to execute against the vendor's schema: a field that does not
 * exist, or a kind that does not fit, fails here as it would at Shopify.
 */
import type { FakeMedium, FakeProduct, FakeVariant } from "./shopify-data.ts";

type Args = Readonly<Record<string, unknown>>;
type Connection = { readonly nodes: unknown[]; readonly edges: unknown[]; readonly pageInfo: unknown };

/** How lists are cut. A bulk operation takes everything, whatever `first` says. */
export type Cutting = { readonly isBulk: boolean; readonly listLimit: number };

export const productGid = (number: number): string => `gid://shopify/Product/${number}`;
export const variantGid = (number: number): string => `gid://shopify/ProductVariant/${number}`;

export function connection<T>(
  all: readonly T[],
  args: Args,
  cutting: Cutting,
  toNode: (one: T) => unknown,
): Connection {
  const { first, after } = args;
  if (cutting.isBulk) return wrap(all.map(toNode), false, all.length);
  if (typeof first !== "number") throw new Error("you must provide one of first or last");
  if (first > 250) throw new Error(`the page size of ${first} exceeds the maximum of 250`);
  const start = typeof after === "string" ? Number(Buffer.from(after, "base64").toString()) : 0;
  const end = Math.min(start + first, all.length, cutting.listLimit);
  return wrap(all.slice(start, end).map(toNode), end < Math.min(all.length, cutting.listLimit), end);
}

function wrap(nodes: unknown[], hasNextPage: boolean, end: number): Connection {
  const endCursor = Buffer.from(String(end)).toString("base64");
  return { nodes, edges: nodes.map((node) => ({ node })), pageInfo: { hasNextPage, endCursor } };
}

export function productNode(product: FakeProduct, cutting: Cutting): unknown {
  const { number, metafields, media, variants, variantsClaimed, ...plain } = product;
  return {
    ...plain,
    __typename: "Product",
    id: productGid(number),
    legacyResourceId: String(number),
    variantsCount: { count: variantsClaimed ?? variants.length, precision: "EXACT" },
    metafield: metafieldIn(metafields),
    media: (args: Args) => connection(media, args, cutting, mediumNode),
    variants: (args: Args) => connection(variants, args, cutting, (variant) => variantNode(variant, cutting)),
  };
}

function variantNode(variant: FakeVariant, cutting: Cutting): unknown {
  const { number, metafields, media, tracked, requiresShipping, weight, marketPrices, ...plain } = variant;
  return {
    ...plain,
    __typename: "ProductVariant",
    id: variantGid(number),
    legacyResourceId: String(number),
    inventoryItem: { tracked, requiresShipping, measurement: { weight } },
    metafield: metafieldIn(metafields),
    contextualPricing: ({ context }: { context: { country: string } }) => {
      const market = marketPrices[context.country] ?? { amount: variant.price, currencyCode: "EUR" };
      const { amount, currencyCode, compareAt } = market;
      return {
        price: { amount, currencyCode },
        compareAtPrice: compareAt === undefined ? null : { amount: compareAt, currencyCode },
      };
    },
    media: (args: Args) => connection(media, args, cutting, mediumNode),
  };
}

function mediumNode(medium: FakeMedium): unknown {
  return medium;
}

function metafieldIn(metafields: Readonly<Record<string, string>>) {
  return ({ namespace, key }: { namespace: string; key: string }) => {
    const value = metafields[`${namespace}.${key}`];
    return value === undefined ? null : { value };
  };
}

/** The part of Shopify's search syntax that we speak: `status:a,b` and `id:>n`, all of which must hold. */
export function search(products: readonly FakeProduct[], query: string | undefined): FakeProduct[] {
  const tests = (query ?? "").split(/\s+AND\s+/).map((term) => {
    const status = /^status:([a-z,]+)$/.exec(term)?.[1]?.split(",");
    const behind = /^id:>(\d+)$/.exec(term)?.[1];
    if (status !== undefined) return ({ status: own }: FakeProduct) => status.includes(own.toLowerCase());
    if (behind !== undefined) return ({ number }: FakeProduct) => number > Number(behind);
    throw new Error(`the fake does not know the search term ${term}`);
  });
  return products
    .filter((product) => tests.every((fits) => fits(product)))
    .sort((a, b) => a.number - b.number);
}
