/**
 * Resolvers of the fake shop. graphql executes them against Shopify's schema, so that an unknown field or a wrong type
 * fails here as it would at Shopify.
 */
import type { FakeMedium, FakeProduct, FakeVariant } from "./shopify-data.ts";

type Args = Readonly<Record<string, unknown>>;
type Connection = { readonly nodes: unknown[]; readonly edges: unknown[]; readonly pageInfo: unknown };

/** A bulk operation ignores `first` and the limit of lists. */
export type ListLimits = { readonly isBulk: boolean; readonly listLimit: number };

export const productGid = (number: number): string => `gid://shopify/Product/${number}`;
export const variantGid = (number: number): string => `gid://shopify/ProductVariant/${number}`;

export function connection<T>(
  all: readonly T[],
  args: Args,
  limits: ListLimits,
  toNode: (one: T) => unknown,
): Connection {
  const { first, after } = args;
  if (limits.isBulk) return wrap(all.map(toNode), false, all.length);
  if (typeof first !== "number") throw new Error("you must provide one of first or last");
  if (first > 250) throw new Error(`the page size of ${first} exceeds the maximum of 250`);
  const start = typeof after === "string" ? Number(Buffer.from(after, "base64").toString()) : 0;
  const end = Math.min(start + first, all.length, limits.listLimit);
  return wrap(all.slice(start, end).map(toNode), end < Math.min(all.length, limits.listLimit), end);
}

function wrap(nodes: unknown[], hasNextPage: boolean, end: number): Connection {
  const endCursor = Buffer.from(String(end)).toString("base64");
  return { nodes, edges: nodes.map((node) => ({ node })), pageInfo: { hasNextPage, endCursor } };
}

export function productNode(product: FakeProduct, limits: ListLimits): unknown {
  const { number, metafields, media, variants, variantsClaimed, ...plain } = product;
  return {
    ...plain,
    __typename: "Product",
    id: productGid(number),
    legacyResourceId: String(number),
    variantsCount: { count: variantsClaimed ?? variants.length, precision: "EXACT" },
    metafield: metafieldIn(metafields),
    media: (args: Args) => connection(media, args, limits, mediumNode),
    variants: (args: Args) => connection(variants, args, limits, (variant) => variantNode(variant, limits)),
  };
}

function variantNode(variant: FakeVariant, limits: ListLimits): unknown {
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
    media: (args: Args) => connection(media, args, limits, mediumNode),
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

/** The part of Shopify's search syntax that we use: `status:a,b`, `id:>n` and `updated_at:>'time'`, joined by AND. */
export function search(products: readonly FakeProduct[], query: string | undefined): FakeProduct[] {
  const tests = (query ?? "").split(/\s+AND\s+/).map((term) => {
    const status = /^status:([a-z,]+)$/.exec(term)?.[1]?.split(",");
    const after = /^id:>(\d+)$/.exec(term)?.[1];
    if (status !== undefined) return ({ status: own }: FakeProduct) => status.includes(own.toLowerCase());
    const time = /^updated_at:>'([^']+)'$/.exec(term)?.[1];
    if (time !== undefined) return ({ updatedAt }: FakeProduct) => Date.parse(updatedAt) > Date.parse(time);
    if (after !== undefined) return ({ number }: FakeProduct) => number > Number(after);
    throw new Error(`the fake does not know the search term ${term}`);
  });
  return products
    .filter((product) => tests.every((fits) => fits(product)))
    .sort((a, b) => a.number - b.number);
}
