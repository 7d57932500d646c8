/** Every shop system whose export is known; the first whose header matches reads the file. */
import { parentStore } from "../parent-store.ts";
import { isShopifyExport, shopifyRows } from "../shopify-csv.ts";
import { isWooCommerceExport, wooCommerceParents, wooCommerceRows } from "../woocommerce-csv.ts";
import { readHeader } from "../../product-record/header.ts";
import { type Dialect, type FileHead, onePass } from "./dialect.ts";
import { translatedHeaders } from "./woocommerce-headers.ts";
import { bigcommerce, bigcommerceLegacy } from "./bigcommerce.ts";
import { magento } from "./magento.ts";
import { medusa } from "./medusa.ts";
import { opencart } from "./opencart.ts";
import { prestashop } from "./prestashop.ts";
import { shopware5 } from "./shopware5.ts";
import { shopware6 } from "./shopware6.ts";
import { vendure } from "./vendure.ts";

const shopify: Dialect = {
  name: "Shopify product export",
  matches: isShopifyExport,
  open: ({ storeUrl, limits }) => onePass(shopifyRows({ storeUrl, maxProductChars: limits.maxRowChars * 4 })),
};

const wooCommerce: Dialect = {
  name: "WooCommerce product export",
  matches: isWooCommerceExport,
  translate: translatedHeaders,
  open: ({ storeUrl, scratch }) => {
    const parents = parentStore(scratch);
    return {
      passes: [wooCommerceParents(parents, storeUrl), wooCommerceRows(parents, storeUrl)],
      close: parents.close,
    };
  },
};

export const DIALECTS: readonly Dialect[] = [
  shopify,
  wooCommerce,
  magento,
  bigcommerce,
  bigcommerceLegacy,
  prestashop,
  opencart,
  medusa,
  vendure,
  shopware6,
  shopware5,
];

/** The dialect of a file that begins like this. */
export function dialectOf(head: FileHead): Dialect | undefined {
  const names = new Set(head.header.map((raw) => readHeader(raw).name));
  const own = DIALECTS.find(({ matches }) => matches(names));
  if (own !== undefined) return own;
  for (const dialect of DIALECTS) {
    const translation = dialect.translate?.(head);
    if (translation !== undefined) return { ...dialect, translation };
  }
  return undefined;
}
