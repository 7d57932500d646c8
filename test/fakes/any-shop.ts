/**
 * The three shop systems behind one set of edits, for laws that hold for each of them. Products are numbered from 0; each edit is dated half an
 * hour after the one before.
 */
import { fakeProduct, fakeVariant } from "./shopify-data.ts";
import { shopifyShop } from "./shopify-shop.ts";

export type Edit =
  | { readonly kind: "price"; readonly product: number; readonly price: number }
  | { readonly kind: "variants"; readonly product: number; readonly count: number }
  | { readonly kind: "hide" | "show" | "delete" | "add" | "unprice"; readonly product: number };

export type AnyShop = AsyncDisposable & {
  readonly kind: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Edits of products that the shop does not have do nothing. */
  readonly edit: (edit: Edit, when?: { readonly minutesAgo: number }) => void;
  readonly requests: () => number;
  /** The next read fails. */
  readonly failNext: () => void;
  /** Whether only full reads find deleted products. */
  readonly hidesDeletions: boolean;
  /** The most requests that a read of one changed product may need. */
  readonly changeRequests: number;
};

/** A product of the model. Its variants differ in their prices; null: it has none. */
export type ModelProduct = {
  readonly number: number;
  readonly isHidden: boolean;
  readonly prices: readonly (number | null)[];
  readonly changedAt: Date;
};

/** Within the last day: a read continues from at most a day before it began. */
const START = Date.now() - 23 * 3_600_000;
const STEP_MS = 30 * 60_000;

/** `write` puts a product into the fake; null removes it. */
export function model(
  count: number,
  write: (number: number, product: ModelProduct | null, at: Date) => void,
): AnyShop["edit"] {
  const products = new Map<number, ModelProduct>();
  let edits = 0;
  const set = (product: ModelProduct): void => {
    products.set(product.number, product);
    write(product.number, product, product.changedAt);
  };
  for (let number = 0; number < count; number += 1) {
    const prices = Array.from({ length: 1 + (number % 3) }, (_, index) => 10 + index);
    set({ number, isHidden: false, prices, changedAt: new Date(START - number * STEP_MS) });
  }
  return (edit, { minutesAgo } = { minutesAgo: 0 }) => {
    if (minutesAgo === 0) edits += 1;
    const changedAt = new Date(START + edits * STEP_MS - minutesAgo * 60_000);
    const { number, ...product } = { ...products.get(edit.product), number: edit.product };
    if (edit.kind === "add") {
      if (product.prices === undefined) set({ number, isHidden: false, prices: [20], changedAt });
      return;
    }
    const { isHidden, prices } = product;
    if (isHidden === undefined || prices === undefined) return;
    const [, ...others] = prices;
    switch (edit.kind) {
      case "delete":
        products.delete(number);
        return write(number, null, changedAt);
      case "price":
        return set({ number, isHidden, prices: [edit.price, ...others], changedAt });
      case "unprice":
        return set({ number, isHidden, prices: [null, ...others], changedAt });
      case "variants": {
        const next = Array.from({ length: edit.count }, (_, index) => prices[index] ?? 30 + index);
        return set({ number, isHidden, prices: next, changedAt });
      }
      case "hide":
      case "show":
        return set({ number, isHidden: edit.kind === "hide", prices, changedAt });
    }
  };
}

async function anyShopify(count: number): Promise<AnyShop> {
  const shop = await shopifyShop();
  const { state } = shop;
  const edit = model(count, (number, product, at) => {
    const own = 1_000 + number;
    const others = state.products.filter((one) => one.number !== own);
    if (product === null) {
      state.products = others;
      state.deletions = [...state.deletions, { number: own, at: at.toISOString() }];
      return;
    }
    const changed = fakeProduct(own, {
      status: product.isHidden ? "DRAFT" : "ACTIVE",
      updatedAt: at.toISOString(),
      variants: product.prices.map((price, index) =>
        fakeVariant(10_000_000 + own * 100 + index, {
          price: price === null ? "free" : `${price}.00`,
          selectedOptions: [{ name: "Size", value: String(index) }],
        }),
      ),
    });
    state.products = [...others, changed];
  });
  let isFailing = false;
  state.fault = (what) => {
    if (what !== "Nodes" || !isFailing) return null;
    isFailing = false;
    return { kind: "errors", code: "SHOP_INACTIVE" };
  };
  return {
    kind: "shopify",
    settings: shop.settings,
    edit,
    requests: () => shop.requests.length,
    failNext: () => void (isFailing = true),
    hidesDeletions: false,
    changeRequests: 5,
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  };
}

export const SHOPS: Readonly<Record<string, (count: number) => Promise<AnyShop>>> = {
  Shopify: anyShopify,
};
