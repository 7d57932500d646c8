/**
 * The products of the shop, page by page, by ascending id: a page begins after the last id seen, so nothing that
 * stays can be skipped or doubled while the shop changes under the walk. Each step is one request. How many products
 * a page holds follows from how many variants they have, and shrinks when the shop cannot deliver it.
 */
import { AppError, type ErrorCode } from "../../errors.ts";
import type { ShopApi, ShopCall, ShopList } from "./api.ts";
import { malformed, PERMISSIONS, RefusedAnswer } from "./failures.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { asFields, idIn, listIn } from "./wire.ts";

export type ProductFilter = Readonly<Record<string, string | number>>;

export type ProductPage = {
  /** In the shop's order, without those that an earlier page had. */
  readonly rows: readonly unknown[];
  /** Where the next page begins. */
  readonly lastId: number;
  /** How many the shop says there are from the first of these on; null if it does not say. */
  readonly remaining: number | null;
};

export function productCall(filter: ProductFilter): ShopCall {
  return { path: "v3/catalog/products", params: filter, needs: PERMISSIONS.products };
}

export async function* productPages(
  api: ShopApi,
  filter: ProductFilter,
  limits: BigCommerceLimits,
  afterId = 0,
): AsyncGenerator<ProductPage, void, void> {
  let lastId = afterId;
  let size = Math.min(limits.firstPageProducts, limits.maxPageProducts);
  while (true) {
    const answer = await shrinking(size, limits, async (fewer) => {
      size = fewer;
      return api.list(pageCall(filter, lastId, fewer));
    });
    if (answer.rows.length === 0) return;
    const page = pageOf(answer, lastId);
    yield page;
    if (answer.total !== null && answer.rows.length >= answer.total) return;
    // Nothing on it was new: the shop does not heed where we asked it to begin.
    if (page.lastId === lastId) throw malformed("the same page came twice").error;
    lastId = page.lastId;
    size = nextSize(size, page, limits);
  }
}

/** Options and modifiers are never asked for: they cut a page to ten products, and each variant names its options. */
function pageCall(filter: ProductFilter, lastId: number, size: number): ShopCall {
  return productCall({
    include: "variants,images,custom_fields",
    sort: "id",
    direction: "asc",
    limit: size,
    "id:greater": lastId,
    ...filter,
  });
}

/** Pages overlap when the shop changes between them, and some shops repeat a row: what is not new is dropped. */
function pageOf({ rows, total }: ShopList, afterId: number): ProductPage {
  let lastId = afterId;
  const seen = new Set<number>();
  const fresh = rows.filter((row) => {
    const id = idIn(asFields(row) ?? {}, "id");
    // Without an id it cannot be told from others; it is handed on, to be counted as unreadable.
    if (id === undefined) return true;
    if (id <= afterId || seen.has(id)) return false;
    seen.add(id);
    lastId = Math.max(lastId, id);
    return true;
  });
  return { rows: fresh, lastId, remaining: total };
}

const SMALLER = 5;
/** Documented advice for these is to ask for fewer objects. */
const SHRINKS_ON_STATUS: ReadonlySet<number> = new Set([500, 502, 504]);
const SHRINKS_ON_CODE: ReadonlySet<ErrorCode> = new Set(["source_timeout", "source_too_large"]);

async function shrinking(
  size: number,
  { maxShrinks }: BigCommerceLimits,
  read: (size: number) => Promise<ShopList>,
): Promise<ShopList> {
  let wanted = size;
  for (let shrinks = 0; ; shrinks += 1) {
    try {
      return await read(wanted);
    } catch (error) {
      if (wanted === 1 || shrinks === maxShrinks || !isTooMuch(error)) throw error;
      wanted = Math.max(1, Math.floor(wanted / SMALLER));
    }
  }
}

function isTooMuch(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { code, cause } = error;
  return SHRINKS_ON_CODE.has(code) || (cause instanceof RefusedAnswer && SHRINKS_ON_STATUS.has(cause.status));
}

/** At most twice as many as before, so that one page of small products does not lead to one that is far too large. */
function nextSize(size: number, { rows }: ProductPage, limits: BigCommerceLimits): number {
  const variants = rows.reduce<number>(
    (sum, row) => sum + listIn(asFields(row) ?? {}, "variants").length,
    rows.length,
  );
  const perProduct = variants / Math.max(1, rows.length);
  const fitting = Math.floor(limits.pageVariants / perProduct);
  return Math.max(1, Math.min(fitting, size * 2, limits.maxPageProducts));
}
