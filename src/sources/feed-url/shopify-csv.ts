/**
 * Shopify's product export, old and current template. A product is a run of rows with the same handle: the first
 * holds the product, it and others hold a variant each, further ones only an image. The export has no links and no
 * ids of variants: links are made from the handle, and a variant without a SKU is named by handle and options.
 */
import type { Draft } from "../../catalog/draft.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import { fold } from "../product-record/header.ts";
import { shopLink, variantDraft, withImages, without } from "../product-record/product-draft.ts";
import type { Reading } from "../product-record/reading.ts";
import { type CellReader, cellReader, type MakeRowMapper } from "./row-mapper.ts";

export type ShopifyOptions = {
  readonly storeUrl: string | undefined;
  /** How many characters of rows one product may have; its rows are held until the next product begins. */
  readonly maxProductChars: number;
};

export function isShopifyExport(names: ReadonlySet<string>): boolean {
  const hasHandle = names.has("handle") || names.has("url_handle");
  return hasHandle && names.has("option1_name") && names.has("option1_value");
}

type Product = {
  readonly handle: string;
  readonly draft: Draft;
  readonly optionNames: readonly (string | undefined)[];
  readonly variants: { readonly draft: Draft; readonly image: string | undefined }[];
  readonly images: { readonly url: string; readonly position: number }[];
  chars: number;
};

export function shopifyRows({ storeUrl, maxProductChars }: ShopifyOptions): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    let product: Product | null = null;

    function finish(): Reading[] {
      const finished = product;
      product = null;
      if (finished === null) return [];
      return variantsOf(finished, storeUrl).map((draft) => ({ kind: "draft", draft }));
    }

    function row(cells: readonly string[], line: number): readonly Reading[] {
      // Some files leave the handle out where it would only be repeated.
      const handle = cell(cells, "handle", "url_handle") ?? product?.handle;
      if (handle === undefined) {
        return [{ kind: "unreadable", itemId: null, message: `The row on line ${line} has no handle.` }];
      }
      const before = handle === product?.handle ? [] : finish();
      product ??= startProduct(handle, cells, { plan, cell });
      addRow(product, cells, { plan, cell });
      if (product.chars > maxProductChars) {
        throw new FormatError(
          "too_large",
          `The product ${handle} has more rows than are held for one product.`,
          { line },
        );
      }
      return before;
    }

    return { row, end: finish };
  };
}

type Sheet = { readonly plan: ColumnPlan; readonly cell: CellReader };

function startProduct(handle: string, cells: readonly string[], { plan, cell }: Sheet): Product {
  const draft = without(plan.map(cells), "groupId", "weight", "weightUnit");
  const categories = [cell(cells, "type"), cell(cells, "product_category")].filter(
    (path) => path !== undefined,
  );
  const status = cell(cells, "status");
  return {
    handle,
    draft: {
      ...draft,
      ...(categories.length > 0 ? { categories } : {}),
      // A product may be published and a draft at once; it is then not for sale.
      ...(status !== undefined && fold(status) !== "active" ? { published: status } : {}),
    },
    optionNames: [1, 2, 3].map((number) => cell(cells, `option${number}_name`)),
    variants: [],
    images: [],
    chars: 0,
  };
}

function addRow(product: Product, cells: readonly string[], { plan, cell }: Sheet): void {
  for (const text of cells) product.chars += text.length;
  const url = cell(cells, "image_src", "product_image_url");
  if (url !== undefined) {
    const position = Number(cell(cells, "image_position") ?? product.images.length + 1);
    product.images.push({ url, position });
  }
  const isVariant =
    cell(cells, "option1_value", "variant_price", "price", "variant_sku", "sku") !== undefined;
  if (!isVariant) return;
  const image = cell(cells, "variant_image", "variant_image_url");
  product.variants.push({ draft: variantRow(product, cells, { plan, cell }), image });
}

/** Fields that a variant's row says in another way than the alias tables know, or not for itself. */
const NOT_THE_VARIANTS = [
  "id",
  "link",
  "groupId",
  "image",
  "additionalImages",
  "categories",
  "published",
  "options",
  "weight",
  "weightUnit",
] as const satisfies (keyof Draft)[];

function variantRow({ optionNames }: Product, cells: readonly string[], { plan, cell }: Sheet): Draft {
  const said = plan.map(cells);
  const draft = without(said, ...NOT_THE_VARIANTS);
  const options = optionNames.flatMap((name, index) => {
    const value = cell(cells, `option${index + 1}_value`);
    return name === undefined || value === undefined || isPseudoOption(name, value) ? [] : [{ name, value }];
  });
  if (options.length > 0) draft.options = options;
  const availability = stockOf(cells, cell);
  if (availability !== undefined) draft.availability = availability;
  // The columns hold grams, whatever unit is chosen for display; zero stands for unknown.
  if (said.weight === undefined || Number(said.weight) === 0) return draft;
  return { ...draft, weight: said.weight, weightUnit: "g" };
}

/** What Shopify gives a product that has no options. */
function isPseudoOption(name: string, value: string): boolean {
  return name === "Title" && value === "Default Title";
}

/** Untracked goods are in stock; sold-out ones can be ordered where the shop goes on selling. */
function stockOf(cells: readonly string[], cell: CellReader): string | undefined {
  const quantity = cell(cells, "variant_inventory_qty", "inventory_quantity");
  const tracker = cell(cells, "variant_inventory_tracker", "inventory_tracker");
  const policy = cell(cells, "variant_inventory_policy", "continue_selling_when_out_of_stock")?.toLowerCase();
  if (tracker === undefined && policy !== undefined) return "in stock";
  if (quantity === undefined) return undefined;
  if (Number(quantity) > 0) return "in stock";
  return policy === "continue" || policy === "true" ? "backorder" : "out of stock";
}

function variantsOf(product: Product, storeUrl: string | undefined): Draft[] {
  const { handle, variants } = product;
  const images = product.images.toSorted((a, b) => a.position - b.position).map(({ url }) => url);
  const isGroup = variants.length > 1 || variants.some(({ draft }) => draft.options !== undefined);
  return variants.map(({ draft: own, image }) => {
    const draft = variantDraft(product.draft, own);
    const id = own.sku ?? [handle, ...(own.options ?? []).map(({ value }) => fold(value))].join("-");
    const named: Draft = {
      ...draft,
      id,
      link: shopLink(storeUrl, `/products/${encodeURIComponent(handle)}`),
    };
    return withImages(isGroup ? { ...named, groupId: handle } : named, [image, ...images]);
  });
}
