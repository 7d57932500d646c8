/**
 * BigCommerce's two product exports: the current one (rows of `Item` Product, Variant, Image, Video) and the legacy
 * one (rows of `Item Type` Product, SKU, Rule). In both, what belongs to a product follows its row. A product with
 * variants is not an item itself.
 */
import { without } from "../../product-record/product-draft.ts";
import { legacyCategories, legacyImages, legacyOptions, v3Options } from "./bigcommerce-cells.ts";
import { type BigcommerceProduct, productRows, type Rows } from "./bigcommerce-product.ts";
import { columnTable, type Dialect, onePass } from "./dialect.ts";
import { defined, isYes, isYesOrAbsent, nonEmpty, parts } from "./kit.ts";

const COLUMNS = {
  price: "price",
  sale_price: "sale_price",
  retail_price: "compare_at_price",
  description: "description",
  manufacturer_part_number: "mpn",
  gps_manufacturer_part_number: "mpn",
  product_condition: "condition",
  weight: "weight",
} as const;

export const bigcommerce: Dialect = {
  name: "BigCommerce product export",
  matches: (names) =>
    ["item", "sku", "options", "name"].every((name) => names.has(name)) &&
    ["product_url", "variant_image_url", "inventory_tracking", "internal_image_url_export"].some((name) =>
      names.has(name),
    ),
  columns: columnTable(
    {
      ...COLUMNS,
      name: "title",
      sku: "sku",
      current_stock: "quantity",
      upc_ean: "gtin",
      global_trade_number: "gtin",
    },
    /^(?:product_url|categories|is_visible)$/,
  ),
  decimalMark: ".",
  open: ({ limits }) => onePass(() => productRows(v3Rows, limits.maxRowChars * 4)),
};

export const bigcommerceLegacy: Dialect = {
  name: "BigCommerce legacy product export",
  matches: (names) =>
    names.has("item_type") &&
    (names.has("product_name") || names.has("name")) &&
    (names.has("product_code_sku") || names.has("code")),
  columns: columnTable(
    {
      ...COLUMNS,
      product_name: "title",
      name: "title",
      product_code_sku: "sku",
      code: "sku",
      brand_name: "brand",
      brand: "brand",
      product_description: "description",
      product_weight: "weight",
      current_stock_level: "quantity",
      stock_level: "quantity",
      product_upc_ean: "gtin",
      global_trade_item_number: "gtin",
      gps_global_trade_item_number: "gtin",
      gps_gender: "gender",
      gps_age_group: "age_group",
      gps_color: "color",
      gps_size: "size",
      gps_material: "material",
      gps_pattern: "pattern",
    },
    /^(?:product_url|category|product_visible|product_type|product_image_file_\d+)$/,
  ),
  decimalMark: ".",
  open: ({ limits }) => onePass(() => productRows(legacyRows, limits.maxRowChars * 4)),
};

const v3Rows: Rows = {
  kinds: { column: "item", values: { product: "product", variant: "variant", image: "image" } },
  product: (at, mapped) => ({
    id: at("id"),
    draft: {
      ...without(mapped, "quantity"),
      ...defined({
        link: mapped.link ?? pageOf(at("product_url")),
        // Ids of categories mean nothing to a reader.
        categories: nonEmpty(parts(at("categories"), /[;|]/).filter((name) => !/^\d+$/.test(name))),
        published: hidden(at("is_visible")),
        isDigital: at("type")?.toLowerCase() === "digital" ? "true" : undefined,
      }),
    },
    tracking: trackingOf(at("inventory_tracking")),
    stock: mapped.quantity,
    canBeBought: true,
    images: [],
  }),
  variant: (at, mapped) => ({
    key: at("id"),
    image: at("variant_image_url"),
    draft: { ...without(mapped, "title", "link"), ...defined({ options: v3Options(at("options")) }) },
  }),
  image: (at) => {
    const url = at("internal_image_url_export", "image_url_import");
    const rank = isYes(at("image_is_thumbnail")) ? -1 : Number(at("image_sort_order") ?? 0);
    return url === undefined ? null : { url, rank };
  },
};

const legacyRows: Rows = {
  kinds: { column: "item_type", values: { product: "product", sku: "variant", rule: "rule" } },
  product: (at, mapped) => ({
    id: at("product_id"),
    draft: {
      ...without(mapped, "quantity"),
      ...defined({
        link: mapped.link ?? pageOf(at("product_url")),
        categories: legacyCategories(at("category", "category_string", "category_details")),
        published: hidden(at("product_visible")),
        isDigital: /^d/i.test(at("product_type") ?? "") ? "true" : undefined,
      }),
    },
    tracking: trackingOf(at("track_inventory", "product_inventoried")),
    stock: mapped.quantity,
    canBeBought: isYesOrAbsent(at("allow_purchases")),
    images: legacyImages(at),
  }),
  variant: (at, mapped) => ({
    key: at("product_id"),
    image: undefined,
    draft: {
      ...without(mapped, "title", "link", "price", "salePrice", "listPrice", "description", "brand"),
      ...defined({ options: legacyOptions(mapped.title) }),
    },
  }),
  image: () => null,
};

function pageOf(address: string | undefined): string | undefined {
  if (address === undefined || /^(?:https?:)?\//i.test(address)) return address;
  return `/${address}`;
}

function hidden(visible: string | undefined): string | undefined {
  return isYesOrAbsent(visible) ? undefined : "hidden";
}

function trackingOf(text: string | undefined): BigcommerceProduct["tracking"] {
  if (/variant|option|sku/i.test(text ?? "")) return "variant";
  return /product/i.test(text ?? "") || isYes(text) ? "product" : "none";
}
