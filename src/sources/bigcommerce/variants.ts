/**
 * All variants of a product. The products list brings them along, and nothing says how many it leaves out: so
 * the long lists of a page are counted by one request, and when the shop has more, those products' variants are read
 * from their own list.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { ShopApi } from "./api.ts";
import { PERMISSIONS } from "./failures.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { asFields, type Fields, idIn, listIn } from "./wire.ts";

/** Gives a product's variants, by whichever way they are whole. */
export type VariantReader = (product: Fields) => Promise<readonly unknown[]>;

const included: VariantReader = (product) => Promise.resolve(listIn(product, "variants"));

export async function variantReader(
  api: ShopApi,
  products: readonly Fields[],
  { countFromVariants }: BigCommerceLimits,
): Promise<VariantReader> {
  const long = products.filter((product) => listIn(product, "variants").length >= countFromVariants);
  const ids = long.flatMap((product) => idIn(product, "id") ?? []);
  if (ids.length === 0) return included;
  const known = long.reduce((sum, product) => sum + listIn(product, "variants").length, 0);
  const params = { "product_id:in": ids.join(",") };
  const total = await api.count({ path: "v3/catalog/variants", params, needs: PERMISSIONS.products });
  if (total <= known) return included;
  const cut = new Set(ids);
  return (product) => {
    const id = idIn(product, "id");
    return id !== undefined && cut.has(id) ? readVariants(api, id) : included(product);
  };
}

const PAGE = 250;
const WALKS = 2;

/** This list has page numbers only: a walk that comes out short met a change, and is walked once more. */
async function readVariants(api: ShopApi, productId: number): Promise<readonly unknown[]> {
  let claimed = 0;
  let most = 0;
  for (let walk = 0; walk < WALKS; walk += 1) {
    const variants = new Map<number, unknown>();
    const unnamed: unknown[] = [];
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const { rows, total } = await api.list({
        path: `v3/catalog/products/${productId}/variants`,
        params: { limit: PAGE, page },
        needs: PERMISSIONS.products,
      });
      for (const row of rows) {
        const id = idIn(asFields(row) ?? {}, "id");
        if (id === undefined) unnamed.push(row);
        else variants.set(id, row);
      }
      claimed = total ?? 0;
      isLast = rows.length === 0 || (total !== null && page * PAGE >= total);
    }
    most = variants.size + unnamed.length;
    if (most >= claimed) return [...variants.values(), ...unnamed];
  }
  throw new AppError(
    "source_incomplete",
    `Product ${productId} has ${counted(claimed, "variant")}, but only ${most} could be read. Nothing was changed; the next sync reads the shop again.`,
  );
}
