/** Products of a BigCommerce store as its API sends them: all fields, with nulls where the real API has them. */

export type Json = Record<string, unknown>;

/** A product with one base variant. `more` replaces fields. */
export function simpleProduct(id: number, more: Json = {}): Json {
  const product = bareProduct(id, more);
  return { variants: [baseVariant(id, product)], ...product, base_variant_id: id + VARIANT_OFFSET };
}

/** A product with this many variants of one option. */
export function optionProduct(id: number, count: number, more: Json = {}): Json {
  const product = bareProduct(id, more);
  return { variants: optionVariants(id, count), ...product, base_variant_id: null };
}

/** Variant ids are a separate series. */
export const VARIANT_OFFSET = 1_000_000;
/** More than a product may have. */
const VARIANTS_EACH = 1_000;

function bareProduct(id: number, more: Json): Json {
  return {
    id,
    name: `Mug ${id}`,
    type: "physical",
    sku: `MUG-${id}`,
    description: `<p>Stoneware mug number ${id}.</p>`,
    weight: 0.4,
    width: 9,
    depth: 8.5,
    height: 10,
    price: 12.5,
    cost_price: 4,
    retail_price: 15,
    sale_price: 0,
    map_price: 0,
    tax_class_id: 0,
    product_tax_code: "",
    calculated_price: 12.5,
    categories: [23],
    brand_id: 7,
    option_set_id: null,
    option_set_display: "right",
    inventory_level: 0,
    inventory_warning_level: 0,
    inventory_tracking: "none",
    reviews_rating_sum: 0,
    reviews_count: 0,
    total_sold: 3,
    fixed_cost_shipping_price: 0,
    is_free_shipping: false,
    is_visible: true,
    is_featured: false,
    related_products: [-1],
    warranty: "",
    bin_picking_number: "",
    layout_file: "product.html",
    upc: "",
    mpn: "",
    gtin: "",
    date_last_imported: null,
    search_keywords: "",
    availability: "available",
    availability_description: "",
    gift_wrapping_options_type: "any",
    gift_wrapping_options_list: [],
    sort_order: 0,
    condition: "New",
    is_condition_shown: false,
    order_quantity_minimum: 0,
    order_quantity_maximum: 0,
    page_title: "",
    meta_keywords: [],
    meta_description: "",
    date_created: "2026-01-05T10:00:00+00:00",
    date_modified: "2026-10-01T10:00:00+00:00",
    view_count: 11,
    preorder_release_date: null,
    preorder_message: "",
    is_preorder_only: false,
    is_price_hidden: false,
    price_hidden_label: "",
    custom_url: { url: `/mug-${id}/`, is_customized: false },
    open_graph_type: "product",
    open_graph_title: "",
    open_graph_description: "",
    open_graph_use_meta_description: true,
    open_graph_use_product_name: true,
    open_graph_use_image: true,
    channels: [1],
    images: [image(id, 1, { is_thumbnail: true })],
    custom_fields: [],
    ...more,
  };
}

export function image(productId: number, number: number, more: Json = {}): Json {
  const file = (size: string): string =>
    `https://cdn.shop.example/products/${productId}/images/${number}/mug__${number}.1700000000.${size}.jpg?c=1`;
  return {
    id: productId * 10 + number,
    product_id: productId,
    is_thumbnail: false,
    sort_order: number,
    description: "",
    image_file: `m/${number}/mug.jpg`,
    url_zoom: file("1280.1280"),
    url_standard: file("386.513"),
    url_thumbnail: file("220.290"),
    url_tiny: file("44.58"),
    date_modified: "2026-10-01T10:00:00+00:00",
    ...more,
  };
}

function baseVariant(productId: number, product: Json): Json {
  const variant = bareVariant(productId, productId + VARIANT_OFFSET);
  return { ...variant, sku: product["sku"], sku_id: null, calculated_price: product["calculated_price"] };
}

function optionVariants(productId: number, count: number): Json[] {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return {
      ...bareVariant(productId, productId * VARIANTS_EACH + number),
      sku: `MUG-${productId}-${number}`,
      sku_id: number,
      option_values: [{ id: number, label: `Glaze ${number}`, option_id: 5, option_display_name: "Color" }],
    };
  });
}

function bareVariant(productId: number, id: number): Json {
  return {
    id,
    product_id: productId,
    sku: "",
    sku_id: null,
    price: null,
    calculated_price: 12.5,
    sale_price: null,
    retail_price: null,
    map_price: null,
    cost_price: null,
    weight: null,
    calculated_weight: 0.4,
    width: null,
    height: null,
    depth: null,
    is_free_shipping: false,
    fixed_cost_shipping_price: null,
    purchasing_disabled: false,
    purchasing_disabled_message: "",
    image_url: "",
    upc: "",
    mpn: "",
    gtin: "",
    inventory_level: 0,
    inventory_warning_level: 0,
    bin_picking_number: "",
    option_values: [],
  };
}
