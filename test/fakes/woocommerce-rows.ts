/** Rows as WooCommerce sends them: with all fields of the REST API, and the rows of the Store API derived from them. */
export type WooRow = Record<string, unknown>;

export const SHOP_URL = "https://shop.example";

/** A simple product with every field that WooCommerce sends for one. */
export function product(id: number, more: WooRow = {}): WooRow {
  return {
    id,
    name: `Mug ${id}`,
    slug: `mug-${id}`,
    permalink: `${SHOP_URL}/product/mug-${id}/`,
    date_modified_gmt: "2026-11-01T08:00:00",
    type: "simple",
    status: "publish",
    featured: false,
    catalog_visibility: "visible",
    description: `<p>Glazed by hand &amp; fired twice. Number ${id}.</p>\n`,
    short_description: "",
    sku: `mug-${id}`,
    price: "12.50",
    regular_price: "12.50",
    sale_price: "",
    date_on_sale_from: null,
    date_on_sale_from_gmt: null,
    date_on_sale_to: null,
    date_on_sale_to_gmt: null,
    on_sale: false,
    purchasable: true,
    virtual: false,
    downloadable: false,
    external_url: "",
    button_text: "",
    tax_status: "taxable",
    tax_class: "",
    manage_stock: false,
    stock_quantity: null,
    backorders: "no",
    stock_status: "instock",
    weight: "",
    dimensions: { length: "", width: "", height: "" },
    shipping_class: "",
    average_rating: "0.00",
    rating_count: 0,
    parent_id: 0,
    categories: [],
    tags: [],
    images: [{ id: 9_000 + id, src: `${SHOP_URL}/wp-content/uploads/mug-${id}.jpg`, name: "mug", alt: "" }],
    attributes: [],
    variations: [],
    grouped_products: [],
    meta_data: [],
    post_password: "",
    global_unique_id: "",
    brands: [],
    ...more,
  };
}

export function variableProduct(id: number, variations: readonly number[], more: WooRow = {}): WooRow {
  return product(id, {
    name: `Shirt ${id}`,
    permalink: `${SHOP_URL}/product/shirt-${id}/`,
    type: "variable",
    regular_price: "",
    price: "20",
    attributes: [
      {
        id: 1,
        name: "Color",
        slug: "pa_color",
        position: 0,
        visible: true,
        variation: true,
        options: ["Red", "Sea Blue"],
      },
      { id: 0, name: "Size", slug: "Size", position: 1, visible: true, variation: true, options: ["S", "M"] },
    ],
    variations,
    ...more,
  });
}

export function variation(id: number, parentId: number, more: WooRow = {}): WooRow {
  return {
    id,
    type: "variation",
    parent_id: parentId,
    date_modified_gmt: "2026-11-01T08:00:00",
    name: "Red, S",
    status: "publish",
    description: "",
    permalink: `${SHOP_URL}/product/shirt-${parentId}/?attribute_pa_color=red&attribute_size=S`,
    sku: `shirt-${parentId}-${id}`,
    global_unique_id: "",
    price: "20",
    regular_price: "20",
    sale_price: "",
    date_on_sale_from_gmt: null,
    date_on_sale_to_gmt: null,
    on_sale: false,
    purchasable: true,
    virtual: false,
    downloadable: false,
    tax_status: "taxable",
    tax_class: "",
    manage_stock: false,
    stock_quantity: null,
    stock_status: "instock",
    backorders: "no",
    weight: "",
    dimensions: { length: "", width: "", height: "" },
    shipping_class: "",
    image: null,
    attributes: [
      { id: 1, name: "Color", slug: "pa_color", option: "Red" },
      { id: 0, name: "Size", slug: "Size", option: "S" },
    ],
    meta_data: [],
    ...more,
  };
}

function minor(price: unknown): string {
  const text = typeof price === "string" ? price : "";
  return text.replace(/^(\d+)$/, "$1.00").replace(".", "") || "0";
}

/** The same product or variation in the Store API. */
export function storeRow(row: WooRow, variations: readonly WooRow[] = []): WooRow {
  const isVariation = row["type"] === "variation";
  return {
    id: row["id"],
    name: row["name"],
    parent: row["parent_id"],
    type: row["type"],
    variation: isVariation ? "Color: Red, Size: S" : "",
    permalink: row["permalink"],
    sku: row["sku"],
    short_description: row["short_description"] ?? "",
    description: row["description"],
    on_sale: row["on_sale"],
    prices: {
      price: minor(row["price"]),
      regular_price: minor(row["regular_price"]),
      sale_price: minor(row["sale_price"] === "" ? row["regular_price"] : row["sale_price"]),
      price_range: null,
      currency_code: "EUR",
      currency_symbol: "€",
      currency_minor_unit: 2,
    },
    average_rating: "0",
    review_count: 0,
    images: row["images"] ?? [],
    categories: row["categories"] ?? [],
    tags: [],
    brands: row["brands"] ?? [],
    attributes: isVariation ? [] : (row["attributes"] as WooRow[]).filter(isShown).map(storeAttribute),
    variations: variations.map((child) => ({
      id: child["id"],
      attributes: (child["attributes"] as WooRow[]).map(({ name, option }) => ({
        name,
        value: slugOf(option),
      })),
    })),
    is_purchasable: row["purchasable"],
    is_in_stock: row["stock_status"] !== "outofstock",
    is_on_backorder: row["stock_status"] === "onbackorder",
    low_stock_remaining: null,
    add_to_cart: {},
    extensions: {},
  };
}

/** ProductSchema::get_attributes: only what is visible on the product page, or makes variations. */
function isShown({ visible, variation }: WooRow): boolean {
  return visible !== false || variation === true;
}

function storeAttribute({ id, name, variation, options }: WooRow): WooRow {
  const terms = (options as string[]).map((option) => ({ id: 0, name: option, slug: slugOf(option) }));
  return { id, name, taxonomy: null, has_variations: variation, terms };
}

const slugOf = (option: unknown): string => String(option).toLowerCase().replaceAll(" ", "-");
