/**
 * All the variants of a product. A page brings the first ones, and a file may have missed one that was added while it
 * was written: what is short of the product's own count is asked for again, and a gap that stays ends the read.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { AdminApi } from "./admin-api.ts";
import { isJsonObject, numberAt, objectAt, textAt } from "./json.ts";
import { type Extras, variantsQuery } from "./queries.ts";
import { nextCursor, readVariants, type ShopProduct, type ShopVariant } from "./wire.ts";

export type VariantsReader = { readonly api: AdminApi; readonly extras: Extras; readonly pageSize: number };

type Variants = readonly (ShopVariant | null)[];

/** The product with all its variants, each once; null if it was deleted in the meantime. */
export async function withAllVariants(
  reader: VariantsReader,
  product: ShopProduct,
): Promise<ShopProduct | null> {
  let { claimed } = product;
  let variants = once(product.variants);
  if (product.moreAfter !== null) {
    const rest = await readRest(reader, product.gid, product.moreAfter);
    if (rest === null) return null;
    variants = once([...variants, ...rest.variants]);
    claimed = rest.claimed ?? claimed;
  }
  if (claimed !== null && variants.length < claimed) {
    const whole = await readRest(reader, product.gid, null);
    if (whole === null) return null;
    variants = once(whole.variants);
    claimed = whole.claimed;
  }
  if (claimed !== null && variants.length < claimed) throw stillShort(product, variants.length, claimed);
  return { ...product, variants, moreAfter: null };
}

type Rest = { readonly variants: Variants; readonly claimed: number | null };

async function readRest(
  { api, extras, pageSize }: VariantsReader,
  id: string,
  from: string | null,
): Promise<Rest | null> {
  const variants: (ShopVariant | null)[] = [];
  let claimed: number | null = null;
  let first = pageSize;
  for (let after = from, isMore = true; isMore; ) {
    const handles = first > 1 ? ["MAX_COST_EXCEEDED"] : [];
    const reply = await api.ask({ query: variantsQuery(extras), variables: { id, first, after }, handles });
    if (reply.refusal !== null) {
      first = Math.max(1, Math.floor(first / 2));
      continue;
    }
    const { product } = reply.data;
    if (!isJsonObject(product)) return null;
    const connection = objectAt(product, "variants");
    variants.push(...readVariants(connection));
    claimed = numberAt(objectAt(product, "variantsCount"), "count") ?? null;
    after = nextCursor(connection);
    isMore = after !== null;
  }
  return { variants, claimed };
}

/** Pages drift while a shop is edited, so a variant may come twice. What has no id is kept: it must be counted. */
function once(variants: Variants): Variants {
  const seen = new Set<string>();
  return variants.filter((variant) => {
    const id = variant === null ? undefined : textAt(variant.node, "id");
    if (id === undefined) return true;
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

function stillShort({ node, gid }: ShopProduct, read: number, claimed: number): AppError {
  const title = (textAt(node, "title") ?? gid).slice(0, 80);
  return new AppError(
    "source_incomplete",
    `Shopify says that "${title}" has ${counted(claimed, "variant")}, but gave only ${read} of them, twice. Nothing was changed; the next sync reads the shop again.`,
  );
}
