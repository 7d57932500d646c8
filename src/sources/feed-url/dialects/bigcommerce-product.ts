/** A product of a BigCommerce export with all rows that follow it, until the next one begins; and its items. */
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";
import { applyRules, type ModifierRule, ruleOf } from "./bigcommerce-cells.ts";
import type { DialectRow, RowMapper } from "./dialect.ts";
import { defined, fileNameImages, stockOf, tooManyRows, unitlessWeights, withShownPrices } from "./kit.ts";
import { ownValue } from "../../../lib/own-value.ts";

export type Image = { readonly url: string; readonly rank: number };
export type BigcommerceVariant = {
  readonly draft: Draft;
  readonly key: string | undefined;
  readonly image: string | undefined;
};
export type BigcommerceProduct = {
  readonly id: string | undefined;
  readonly draft: Draft;
  readonly tracking: "none" | "product" | "variant";
  readonly stock: string | undefined;
  readonly canBeBought: boolean;
  readonly images: Image[];
  readonly variants: BigcommerceVariant[];
  readonly rules: ModifierRule[];
  chars: number;
};

type RowKind = "product" | "variant" | "image" | "rule";

/** How one of the exports writes its rows. */
export type Rows = {
  /** The column with the kind of a row, and its values in lower case. */
  readonly kinds: {
    readonly column: string;
    readonly values: Readonly<Record<string, RowKind>>;
  };
  readonly product: (
    at: DialectRow["at"],
    mapped: Draft,
  ) => Omit<BigcommerceProduct, "variants" | "rules" | "chars">;
  readonly variant: (at: DialectRow["at"], mapped: Draft) => BigcommerceVariant;
  readonly image: (at: DialectRow["at"]) => Image | null;
};

export function productRows(rows: Rows, maxChars: number): RowMapper {
  const weights = unitlessWeights();
  const fileNames = fileNameImages();
  let product: BigcommerceProduct | null = null;

  function finish(): RecordResult[] {
    const finished = product;
    product = null;
    if (finished === null) return [];
    for (const { url } of finished.images) if (!isAddress(url)) fileNames.add(url);
    return itemsOf(finished).map((draft) => ({
      kind: "draft",
      draft: weights.drop(draft),
    }));
  }

  function row(row: DialectRow): readonly RecordResult[] {
    const kind = ownValue(rows.kinds.values, row.at(rows.kinds.column)?.toLowerCase() ?? "");
    const before = kind === "product" ? finish() : [];
    if (kind === "product")
      product = { ...rows.product(row.at, row.readDraft()), variants: [], rules: [], chars: 0 };
    if (product === null) {
      const message = `The row on line ${row.line} has no product above it. Export the products again without sorting the rows.`;
      return [{ kind: "unreadable", itemId: null, message }];
    }
    if (kind !== undefined) addRow(product, rows, kind, row);
    for (const text of row.cells) product.chars += text.length;
    if (product.chars <= maxChars) return before;
    throw tooManyRows(product.draft.title ?? "", row.line);
  }

  return { row, lose: finish, end: () => [...finish(), ...fileNames.notes(), ...weights.notes()] };
}

function addRow(product: BigcommerceProduct, rows: Rows, kind: RowKind, row: DialectRow): void {
  if (kind === "variant") product.variants.push(rows.variant(row.at, row.readDraft()));
  if (kind === "rule") product.rules.push(ruleOf(row));
  const image = kind === "image" ? rows.image(row.at) : null;
  if (image !== null) product.images.push(image);
}

function itemsOf(product: BigcommerceProduct): Draft[] {
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

function variantItem(
  product: BigcommerceProduct,
  variant: BigcommerceVariant,
  images: readonly string[],
): Draft {
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

function quantityOf({ tracking, stock }: BigcommerceProduct, own: Draft): string | undefined {
  if (tracking === "none") return undefined;
  return tracking === "product" ? stock : own.quantity;
}

function availabilityOf(
  { tracking, canBeBought }: BigcommerceProduct,
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
