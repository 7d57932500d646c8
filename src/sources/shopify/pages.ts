/**
 * Products and variants page by page. A page that Shopify finds too costly is requested again with half as much, and
 * pages stay that small for the rest of the read.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { listIn, objectIn, textIn } from "../kit/json.ts";
import type { KeysetList } from "../kit/pages.ts";
import type { AdminApi, GraphqlQuery } from "./client.ts";
import { countIn, nextCursor, parseVariants, productGid, productNumber } from "./product.ts";
import type { ShopProduct, ShopVariant } from "./product.ts";
import { type Extras, nodesQuery, pageQuery, variantsQuery } from "./queries.ts";
import type { ShopifyShop } from "./shop.ts";

type PageSize = { readonly products: number; readonly variants: number };

/** Half as many products; with one product, half as many variants; null if there is nothing left to halve. */
export function shrink({ products, variants }: PageSize): PageSize | null {
  if (products > 1) return { products: Math.floor(products / 2), variants };
  return variants > 1 ? { products, variants: Math.floor(variants / 2) } : null;
}

async function queryPage(
  api: AdminApi,
  firstSize: PageSize,
  queryFor: (size: PageSize) => GraphqlQuery,
): Promise<{ readonly data: JsonObject; readonly size: PageSize }> {
  let size = firstSize;
  while (true) {
    const smaller = shrink(size);
    // If the smallest page is still too costly, that is a failure of its own.
    const handles = smaller === null ? [] : ["MAX_COST_EXCEEDED"];
    const { data, refusal } = await api.query({ ...queryFor(size), handles });
    if (refusal === null || smaller === null) return { data, size };
    size = smaller;
  }
}

/**
 * All products that match the shop's filter. Each page begins after the last id, and not at a cursor, because a list
 * of Shopify ends after 25,000 products.
 */
export function productList({ api, filter, limits }: ShopifyShop, extras: Extras, size: number): KeysetList {
  let pageSize: PageSize = { ...limits.page, products: size };
  return {
    size,
    idOf: productNumber,
    fetch: async (lastId, maxProducts) => {
      const query = pageQuery(extras);
      const fromHere = lastId > 0 ? `${filter} AND id:>${lastId}` : filter;
      const page = await queryPage(api, pageSize, ({ products, variants }) => ({
        query,
        variables: { filter: fromHere, first: Math.min(products, maxProducts), variants },
      }));
      pageSize = page.size;
      const list = objectIn(page.data, "products");
      const isLast = objectIn(list, "pageInfo")["hasNextPage"] !== true;
      return { rows: listIn(list, "nodes"), total: null, isLast };
    },
  };
}

/** Products by their numbers, each with its first variants. Those that the shop no longer has are not among them. */
export async function* productsByNumber(
  { api, limits }: Pick<ShopifyShop, "api" | "limits">,
  extras: Extras,
  numbers: readonly number[],
): AsyncGenerator<readonly unknown[], void, void> {
  const query = nodesQuery(extras);
  let size: PageSize = limits.page;
  for (let from = 0; from < numbers.length; ) {
    const page = await queryPage(api, size, ({ products, variants }) => ({
      query,
      variables: { ids: numbers.slice(from, from + products).map(productGid), variants },
    }));
    size = page.size;
    from += size.products;
    yield listIn(page.data, "nodes").filter(isJsonObject);
  }
}

/**
 * The product with all its variants, each once; null if it was deleted in the meantime. A page has only the first
 * ones, and the file of a bulk operation may lack one that was added while it was written. If variants are missing,
 * all are requested again.
 */
export async function withAllVariants(
  shop: Pick<ShopifyShop, "api" | "limits">,
  extras: Extras,
  product: ShopProduct,
): Promise<ShopProduct | null> {
  let { variantCount } = product;
  let variants = uniqueVariants(product.variants);
  const isMissing = (): boolean => variantCount !== null && variants.length < variantCount;
  if (product.moreAfter !== null) {
    const rest = await readVariants(shop, extras, product, product.moreAfter);
    if (rest === null) return null;
    variants = uniqueVariants([...variants, ...rest.variants]);
    variantCount = rest.variantCount ?? variantCount;
  }
  if (isMissing()) {
    const all = await readVariants(shop, extras, product, null);
    if (all === null) return null;
    variants = uniqueVariants(all.variants);
    variantCount = all.variantCount;
  }
  if (isMissing()) {
    const title = (textIn(product.node, "title") ?? String(product.number)).slice(0, 80);
    throw new AppError(
      "source_incomplete",
      `Shopify says that "${title}" has ${counted(variantCount ?? 0, "variant")}, but gave only ${variants.length} of them, twice. Nothing was changed; the next sync reads the shop again.`,
    );
  }
  return { ...product, variants, moreAfter: null };
}

/** The variants of a product after a cursor; null if there is no such product. */
async function readVariants(
  { api, limits }: Pick<ShopifyShop, "api" | "limits">,
  extras: Extras,
  { node }: ShopProduct,
  cursor: string | null,
): Promise<Pick<ShopProduct, "variants" | "variantCount"> | null> {
  const query = variantsQuery(extras);
  const variants: ShopVariant[] = [];
  let size: PageSize = { products: 1, variants: limits.moreVariants };
  let after = cursor;
  while (true) {
    const variables = { id: textIn(node, "id"), after };
    const page = await queryPage(api, size, (smaller) => ({
      query,
      variables: { ...variables, first: smaller.variants },
    }));
    size = page.size;
    const { product } = page.data;
    if (!isJsonObject(product)) return null;
    const connection = objectIn(product, "variants");
    variants.push(...parseVariants(connection));
    after = nextCursor(connection);
    if (after === null) return { variants, variantCount: countIn(product, "variantsCount") };
  }
}

/** Pages overlap when the shop changes between them. A variant without an id is kept, so that it is counted. */
function uniqueVariants(variants: readonly ShopVariant[]): readonly ShopVariant[] {
  return [...new Map(variants.map((variant) => [textIn(variant.node, "id") ?? variant, variant])).values()];
}
