/**
 * The three shop systems behind one set of edits, for laws that hold for each of them. Products are numbered from 0;
 * each edit is dated half an hour after the one before.
 */
import { createHmac } from "node:crypto";
import { type Json, optionProduct } from "./bigcommerce-products.ts";
import { bigcommerceShop } from "./bigcommerce-shop.ts";
import { product as wooProduct, variableProduct, variation } from "./woocommerce-rows.ts";
import { KEYS, wooShop } from "./woocommerce-shop.ts";
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
  /** Deletes a product so that neither a date nor a report of the shop shows it. */
  readonly erase: (product: number) => void;
  /** From now on the shop lists no products. */
  readonly emptyLists: () => void;
  /** The shop does not say what was deleted. */
  readonly forbidEvents: () => void;
  /** Whether only full reads find deleted products. */
  readonly hidesDeletions: boolean;
  /** Our webhooks at the shop, and what a secret of them is. */
  readonly hooks: () => readonly { readonly url: string; readonly isActive: boolean }[];
  readonly forbidHooks: () => void;
  /** The shop switches our webhooks off, or loses them. */
  readonly stopHooks: () => void;
  /** The request that the shop sends when a product changes. */
  readonly report: (product: number) => { readonly headers: Record<string, string>; readonly body: string };
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

const hmac = (secret: string, body: string): string =>
  createHmac("sha256", secret).update(body).digest("base64");

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
  let hasEvents = true;
  let hasLists = true;
  state.fault = (what) => {
    if (what === "Deletions" && !hasEvents) return { kind: "errors", code: "ACCESS_DENIED" };
    if (what === "Changes" && !hasLists) {
      const data = { products: { nodes: [], pageInfo: { hasNextPage: false } } };
      return { kind: "answer", status: 200, body: JSON.stringify({ data }) };
    }
    if (what !== "Nodes" || !isFailing) return null;
    isFailing = false;
    return { kind: "errors", code: "SHOP_INACTIVE" };
  };
  return {
    kind: "shopify",
    settings: { ...shop.settings, api_secret: "shpss_of_the_app" },
    hooks: () => state.hooks.map(({ uri }) => ({ url: uri, isActive: true })),
    forbidHooks: () => void (state.mayRegisterHooks = false),
    stopHooks: () => void (state.hooks = state.hooks.slice(1)),
    report: (product) => {
      const body = JSON.stringify({ id: 1_000 + product });
      return { body, headers: { "x-shopify-hmac-sha256": hmac("shpss_of_the_app", body) } };
    },
    edit,
    erase: (product) => edit({ kind: "delete", product }),
    emptyLists: () => void (hasLists = false),
    forbidEvents: () => void (hasEvents = false),
    requests: () => shop.requests.length,
    failNext: () => void (isFailing = true),
    hidesDeletions: false,
    changeRequests: 5,
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  };
}

async function anyWooCommerce(count: number): Promise<AnyShop> {
  const shop = await wooShop();
  shop.auth.permission = "read_write";
  const edit = model(count, (number, product, at) => {
    const id = 1_000 + number;
    const date_modified_gmt = at.toISOString().slice(0, 19);
    const previous = shop.products.find((row) => row["id"] === id);
    const products = shop.products.filter((row) => row["id"] !== id);
    const variations = shop.variations.filter((row) => row["parent_id"] !== id);
    if (product === null) {
      const trashed = { ...previous, status: "trash", date_modified_gmt };
      Object.assign(shop, { products: [...products, trashed], variations });
      return;
    }
    const status = product.isHidden ? "draft" : "publish";
    const ids = product.prices.map((_, index) => 1_000_000 + id * 10 + index);
    const priced = (price: number | null | undefined) => {
      const text = price === null || price === undefined ? "" : String(price);
      return { price: text, regular_price: text, date_modified_gmt };
    };
    const isSimple = product.prices.length === 1 && number % 2 === 0;
    const row = isSimple
      ? wooProduct(id, { status, ...priced(product.prices[0]) })
      : variableProduct(id, ids, { status, date_modified_gmt });
    const own = isSimple ? [] : ids.map((own, index) => variation(own, id, priced(product.prices[index])));
    Object.assign(shop, { products: [...products, row], variations: [...variations, ...own] });
  });
  return {
    kind: "woocommerce",
    settings: { url: shop.origin, consumer_key: KEYS.key, consumer_secret: KEYS.secret },
    hooks: () =>
      shop.hooks.map((hook) => ({
        url: String(hook["delivery_url"]),
        isActive: hook["status"] === "active",
      })),
    forbidHooks: () => void (shop.auth.permission = "read"),
    stopHooks: () => {
      shop.hooks = shop.hooks.map((hook) => ({ ...hook, status: "disabled" }));
    },
    report: (product) => {
      const body = JSON.stringify({ id: 5, type: "variation", parent_id: 1_000 + product });
      return { body, headers: { "x-wc-webhook-signature": hmac(String(shop.hooks[0]?.["secret"]), body) } };
    },
    edit,
    erase: (product) => {
      const id = 1_000 + product;
      shop.products = shop.products.filter((row) => row?.["id"] !== id);
      shop.variations = shop.variations.filter((row) => row?.["parent_id"] !== id);
    },
    emptyLists: () =>
      shop.fail({
        route: "wc/v3/products",
        status: 200,
        body: "[]",
        headers: { "content-type": "application/json", "x-wp-total": "0" },
      }),
    forbidEvents: () => undefined,
    requests: () => shop.requests.length,
    failNext: () => shop.fail({ route: "wc/v3/products", times: 1, status: 403 }),
    hidesDeletions: false,
    changeRequests: 16,
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  };
}

async function anyBigCommerce(count: number): Promise<AnyShop> {
  const shop = await bigcommerceShop();
  const { products } = shop.content;
  const edit = model(count, (number, product, at) => {
    const id = 1_000 + number;
    const index = products.findIndex((row) => (row as Json)["id"] === id);
    if (index >= 0) products.splice(index, 1);
    if (product === null) return;
    const row = optionProduct(id, product.prices.length, {
      is_visible: !product.isHidden,
      date_modified: at.toISOString(),
      price: null,
      calculated_price: null,
    });
    const variants = (row["variants"] as Json[]).map((variant, at) => {
      const price = product.prices[at];
      return { ...variant, price, calculated_price: price };
    });
    products.push({ ...row, variants });
  });
  return {
    kind: "bigcommerce",
    settings: shop.settings,
    hooks: () =>
      shop.content.hooks.map((hook) => ({
        url: String(hook["destination"]),
        isActive: hook["is_active"] === true,
      })),
    forbidHooks: () => void shop.content.forbidden.add("hooks"),
    stopHooks: () => {
      shop.content.hooks = shop.content.hooks.map((hook) => ({ ...hook, is_active: false }));
    },
    report: (product) => {
      const data = { type: "sku", id: 7, sku: { product_id: 1_000 + product, variant_id: 9 } };
      const body = JSON.stringify({ producer: "stores/abc123", scope: "store/sku/updated", data });
      return { body, headers: { ...(shop.content.hooks[0]?.["headers"] as Record<string, string>) } };
    },
    edit,
    erase: (product) => edit({ kind: "delete", product }),
    emptyLists: () => void products.splice(0),
    forbidEvents: () => undefined,
    requests: () => shop.requests.length,
    failNext: () => shop.fail("id:in", { status: 409 }),
    hidesDeletions: true,
    changeRequests: 9,
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  };
}

export const SHOPS: Readonly<Record<string, (count: number) => Promise<AnyShop>>> = {
  Shopify: anyShopify,
  WooCommerce: anyWooCommerce,
  BigCommerce: anyBigCommerce,
};
