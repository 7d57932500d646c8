/** A product of a BigCommerce export with all rows that follow it, until the next one begins; and its items. */
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import type { ColumnPlan } from "../../product-record/columns.ts";
import { variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { Reading } from "../../product-record/reading.ts";
import { cellReader, type MakeRowMapper } from "../row-mapper.ts";
import { applyRules, type Rule, ruleOf } from "./bigcommerce-cells.ts";
import {
  defined,
  fileNameImages,
  type Row,
  rowOf,
  stockOf,
  tooManyRows,
  unitlessWeights,
  withoutUnitlessWeight,
  withShownPrices,
} from "./kit.ts";

export type Image = { readonly url: string; readonly rank: number };
export type Variant = {
  readonly draft: Draft;
  readonly key: string | undefined;
  readonly image: string | undefined;
};
export type Product = {
  readonly id: string | undefined;
  readonly draft: Draft;
  readonly tracking: "none" | "product" | "variant";
  readonly stock: string | undefined;
  readonly canBeBought: boolean;
  readonly images: Image[];
  readonly variants: Variant[];
  readonly rules: Rule[];
  chars: number;
};

/** How one of the exports says what a row is. */
export type Rows = {
  readonly kindOf: (at: Row) => "product" | "variant" | "image" | "rule" | "other";
  readonly product: (at: Row, mapped: Draft) => Omit<Product, "variants" | "rules" | "chars">;
  readonly variant: (at: Row, mapped: Draft) => Variant;
  readonly image: (at: Row) => Image | null;
};

export function productRows(rows: Rows, maxChars: number): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const weights = unitlessWeights();
    const fileNames = fileNameImages();
    let product: Product | null = null;

    function finish(): Reading[] {
      const finished = product;
      product = null;
      if (finished === null) return [];
      for (const { url } of finished.images) if (!isAddress(url)) fileNames.add(url);
      return itemsOf(finished).map((draft) => ({
        kind: "draft",
        draft: withoutUnitlessWeight(draft, weights),
      }));
    }

    function row(cells: readonly string[], line: number): readonly Reading[] {
      const at = rowOf(cells, cell);
      const kind = rows.kindOf(at);
      const before = kind === "product" ? finish() : [];
      if (kind === "product") product = startProduct(rows, at, plan, cells);
      if (product === null) {
        return [
          {
            kind: "unreadable",
            itemId: null,
            message: `The row on line ${line} has no product above it. Export the products again without sorting the rows.`,
          },
        ];
      }
      addRow(product, rows, { kind, at, mapped: plan.map(cells) });
      for (const text of cells) product.chars += text.length;
      if (product.chars <= maxChars) return before;
      throw tooManyRows(product.draft.title ?? "", line);
    }

    return { row, end: () => [...finish(), ...fileNames.notes(), ...weights.notes()] };
  };
}

function startProduct(rows: Rows, at: Row, plan: ColumnPlan, cells: readonly string[]): Product {
  return { ...rows.product(at, plan.map(cells)), variants: [], rules: [], chars: 0 };
}

type ReadRow = { readonly kind: ReturnType<Rows["kindOf"]>; readonly at: Row; readonly mapped: Draft };

function addRow(product: Product, rows: Rows, { kind, at, mapped }: ReadRow): void {
  if (kind === "variant") product.variants.push(rows.variant(at, mapped));
  if (kind === "rule") product.rules.push(ruleOf(at, mapped));
  const image = kind === "image" ? rows.image(at) : null;
  if (image !== null) product.images.push(image);
}

function itemsOf(product: Product): Draft[] {
  const { draft, variants, stock, tracking } = product;
  const images = product.images
    .filter(({ url }) => isAddress(url))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ url }) => url);
  if (variants.length > 0) return variants.map((variant) => variantItem(product, variant, images));
  const quantity = tracking === "none" ? undefined : stock;
  const availability = availabilityOf(product, quantity);
  const item: Draft = { ...draft, ...defined({ id: draft.sku ?? product.id, quantity, availability }) };
  return [withImages(cleaned(item), images)];
}

function variantItem(product: Product, variant: Variant, images: readonly string[]): Draft {
  const { draft: own, key, image } = variant;
  const { draft } = product;
  const result = applyRules(withProductPrice(own, draft), product.rules);
  const quantity = quantityOf(product, own);
  const item: Draft = {
    ...without(variantDraft(draft, result.draft), "quantity"),
    ...defined({
      id: own.sku ?? (product.id === undefined || key === undefined ? undefined : `${product.id}-${key}`),
      link: draft.link,
      groupId: product.id ?? draft.sku,
      groupTitle: draft.title,
      title: draft.title,
      quantity,
      availability: availabilityOf(product, quantity, result.canBeBought),
    }),
  };
  const addresses = [result.image ?? image, ...images].filter((url) => url !== undefined && isAddress(url));
  return withImages(cleaned(item), addresses);
}

/** A variant without a price of its own has its product's, with the sale that goes with it. */
function withProductPrice(own: Draft, { price, salePrice, listPrice }: Draft): Draft {
  return own.price === undefined ? { ...own, ...defined({ price, salePrice, listPrice }) } : own;
}

function quantityOf({ tracking, stock }: Product, own: Draft): string | undefined {
  if (tracking === "none") return undefined;
  return tracking === "product" ? stock : own.quantity;
}

function availabilityOf(
  { tracking, canBeBought }: Product,
  quantity: string | undefined,
  isForSale = true,
): string | undefined {
  if (!canBeBought || !isForSale) return "out of stock";
  return stockOf({ isTracked: tracking !== "none", quantity, allowsBackorders: false });
}

/** Prices as the shop shows them; a sale or retail price of zero is none. */
function cleaned(draft: Draft): Draft {
  const absent = (["salePrice", "listPrice"] as const).filter((field) => isZeroDecimal(draft[field]));
  return withShownPrices(without(draft, ...absent));
}

function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|\/)/i.test(text);
}
