/**
 * Shopify's product export, old and current template. A product is a run of rows with the same handle: the first
 * holds the product, it and others hold a variant each, further ones only an image. The export has no links and no
 * ids of variants: links are made from the handle, and the ids of variants by the rule in `item-ids.ts`.
 */
import { counted } from "../../../lib/counted.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { AGE_GROUP_WORDS, GENDER_WORDS } from "../../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../../catalog/words.ts";
import { urlList } from "../../product-record/cells.ts";
import type { ColumnPlan } from "../../product-record/columns.ts";
import { fold } from "../../product-record/header.ts";
import { shopLink, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { Reading } from "../../product-record/reading.ts";
import { type Dialect, onePass } from "./dialect.ts";
import { tooManyRows } from "./kit.ts";
import { type Stock, type StockReader, stockReader } from "./shopify-stock.ts";
import { type CellReader, cellReader, type MakeRowMapper } from "../row-mapper.ts";

export const shopify: Dialect = {
  name: "Shopify product export",
  matches: (names) =>
    (names.has("handle") || names.has("url_handle")) &&
    ((names.has("option1_name") && names.has("option1_value")) || names.has("variant_price")),
  open: ({ storeUrl, limits }) => onePass(productRows({ storeUrl, maxProductChars: limits.maxRowChars * 4 })),
};

type ShopifyOptions = {
  readonly storeUrl: string | undefined;
  /** How many characters of rows one product may have; its rows are buffered until the next product begins. */
  readonly maxProductChars: number;
};

type Product = {
  readonly handle: string;
  /** Where it begins. */
  readonly line: number;
  readonly draft: Draft;
  readonly isGiftCard: boolean;
  readonly optionNames: readonly (string | undefined)[];
  readonly variants: Variant[];
  readonly images: { readonly url: string; readonly position: number }[];
  chars: number;
};

type Variant = {
  readonly draft: Draft;
  readonly image: string | undefined;
  /** The shop's own number of the variant, in exports of apps that add it. */
  readonly number: string | undefined;
  readonly isStockAssumed: boolean;
};

function productRows({ storeUrl, maxProductChars }: ShopifyOptions): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const names = headers.map(({ name }) => name);
    const context = { plan, names, cell, readStock: stockReader(names) };
    let product: Product | null = null;
    let assumed = 0;
    let giftCards = 0;

    function finish(): Reading[] {
      const finished = product;
      product = null;
      if (finished === null) return [];
      if (finished.isGiftCard) {
        giftCards += 1;
        return [];
      }
      if (finished.variants.length === 0) return [withoutVariants(finished)];
      assumed += finished.variants.filter(({ isStockAssumed }) => isStockAssumed).length;
      const key = [finished.handle];
      return variantsOf(finished, storeUrl).map((draft) => ({ kind: "draft", draft, key }));
    }

    function row(cells: readonly string[], line: number): readonly Reading[] {
      // Some files leave the handle out where it would only be repeated.
      const handle = cell(cells, "handle", "url_handle") ?? product?.handle;
      if (handle === undefined) {
        return [
          {
            kind: "unreadable",
            itemId: null,
            message: `The row on line ${line} has no handle, so its product is unknown. Export the products again.`,
          },
        ];
      }
      const before = handle === product?.handle ? [] : finish();
      product ??= startProduct(handle, line, cells, context);
      addRow(product, cells, context);
      if (product.chars > maxProductChars) throw tooManyRows(handle, line);
      return before;
    }

    return { row, end: () => [...finish(), ...assumedStock(assumed), ...giftCardNotes(giftCards)] };
  };
}

function withoutVariants({ handle, line }: Product): Reading {
  const message = `The product ${JSON.stringify(handle.slice(0, 100))} on line ${line} has no variant: no row of it has a price, an option or an SKU. Add a price in Shopify and export again.`;
  return { kind: "unreadable", itemId: null, message };
}

/** Shopify leaves the column out where a shop has several locations. What the shop sells is then in stock. */
function assumedStock(count: number): Reading[] {
  if (count === 0) return [];
  const message = `The export does not say how many of ${counted(count, "item is in stock; it is", "items are in stock; they are")} taken as in stock. To know which are sold out, connect the shop itself (kind shopify), or export from a shop with one location.`;
  return [{ kind: "note", code: "availability_assumed", message }];
}

function giftCardNotes(giftCards: number): Reading[] {
  if (giftCards === 0) return [];
  const message = `Gift cards left out: ${giftCards}. Google and OpenAI do not accept them.`;
  return [{ kind: "note", code: "left_out", message }];
}

type MapperContext = {
  readonly plan: ColumnPlan;
  readonly names: readonly string[];
  readonly cell: CellReader;
  readonly readStock: StockReader;
};

function startProduct(
  handle: string,
  line: number,
  cells: readonly string[],
  context: MapperContext,
): Product {
  const { plan, cell } = context;
  const draft = {
    ...describedBy(cells, context),
    ...without(plan.map(cells), "groupId", "weight", "weightUnit", "ageGroup"),
  };
  const categories = [cell(cells, "type"), cell(cells, "product_category")].filter(
    (path) => path !== undefined,
  );
  const status = cell(cells, "status");
  return {
    handle,
    line,
    draft: {
      ...draft,
      ...(categories.length > 0 ? { categories } : {}),
      // A product may be published and a draft at once; it is then not for sale.
      ...(status !== undefined && fold(status) !== "active" ? { published: status } : {}),
    },
    isGiftCard: cell(cells, "gift_card")?.toLowerCase() === "true",
    optionNames: [1, 2, 3].map((number) => cell(cells, `option${number}_name`)),
    variants: [],
    images: [],
    chars: 0,
  };
}

/** The standard metafields that hold a word of a fixed list; before them stands a name in the shop's language. */
const WORD_METAFIELDS = [
  { field: "gender", ending: "product_metafields_shopify_target_gender", words: GENDER_WORDS },
  { field: "ageGroup", ending: "product_metafields_shopify_age_group", words: AGE_GROUP_WORDS },
] as const;

/** What columns of Shopify's own say about a product. A metafield of several words says nothing of one item. */
function describedBy(cells: readonly string[], { cell, names }: MapperContext): Draft {
  const draft: Draft = {};
  for (const { field, ending, words } of WORD_METAFIELDS) {
    const name = names.find((column) => column.endsWith(ending));
    const word = name === undefined ? undefined : cell(cells, name);
    if (word !== undefined && meaningOf<string>(words, word) !== undefined) draft[field] = word;
  }
  // The current template explains its words: "Adult (13+ years old)".
  const [ageGroup] = (cell(cells, "google_shopping_age_group") ?? "").split(" (");
  if (ageGroup !== undefined && ageGroup !== "") draft.ageGroup = ageGroup;
  // The Google channel's mark for a product that has neither GTIN nor MPN.
  if (/^true$/i.test(cell(cells, "google_shopping_custom_product") ?? "")) draft.identifierExists = "no";
  return draft;
}

function addRow(product: Product, cells: readonly string[], context: MapperContext): void {
  const { cell } = context;
  for (const text of cells) product.chars += text.length;
  const position = Number(cell(cells, "image_position") ?? product.images.length + 1);
  for (const url of urlList(cell(cells, "image_src", "product_image_url") ?? "")) {
    product.images.push({ url, position: Number.isNaN(position) ? product.images.length + 1 : position });
  }
  const isVariant =
    cell(cells, "option1_value", "variant_price", "price", "variant_sku", "sku", "variant_id") !== undefined;
  if (!isVariant) return;
  const stock = context.readStock(cells, cell);
  product.variants.push({
    draft: variantRow(product, cells, { ...context, stock }),
    image: urlList(cell(cells, "variant_image", "variant_image_url") ?? "")[0],
    number: cell(cells, "variant_id"),
    isStockAssumed: stock.isAssumed,
  });
}

/** Fields that the alias tables would read wrong from a variant's row, or that are its product's. */
const PRODUCT_FIELDS = [
  "id",
  "link",
  "groupId",
  "image",
  "additionalImages",
  "categories",
  "published",
  "options",
  "ageGroup",
  "weight",
  "weightUnit",
] as const satisfies (keyof Draft)[];

function variantRow(
  { optionNames }: Product,
  cells: readonly string[],
  { plan, cell, stock }: MapperContext & { readonly stock: Stock },
): Draft {
  const mapped = plan.map(cells);
  const draft = without(mapped, ...PRODUCT_FIELDS);
  const options = optionNames.flatMap((named, index) => {
    const value = cell(cells, `option${index + 1}_value`);
    // A nameless option still distinguishes variants; it gets the name of its column.
    const name = named ?? `Option${index + 1}`;
    return value === undefined || isPseudoOption(name, value) ? [] : [{ name, value }];
  });
  if (options.length > 0) draft.options = options;
  draft.availability = stock.availability;
  if (!stock.isCounted) delete draft.quantity;
  if (/^false$/i.test(cell(cells, "variant_requires_shipping", "requires_shipping") ?? ""))
    draft.isDigital = "true";
  addUnitPricing(draft, cells, cell);
  addWeight(draft, { mapped, cells, cell });
  return draft;
}

type WeightCells = { readonly mapped: Draft; readonly cells: readonly string[]; readonly cell: CellReader };

/** The export holds grams, whatever unit is chosen for display; zero stands for unknown. Apps export other units. */
function addWeight(draft: Draft, { mapped, cells, cell }: WeightCells): void {
  const grams = cell(cells, "variant_grams", "weight_value");
  const weight = grams ?? mapped.weight;
  const unit = grams === undefined ? mapped.weightUnit : "g";
  if (weight === undefined || unit === undefined || Number(weight) === 0) return;
  draft.weight = weight;
  draft.weightUnit = unit;
}

function addUnitPricing(draft: Draft, cells: readonly string[], cell: CellReader): void {
  const total = cell(cells, "unit_price_total_measure");
  const totalUnit = cell(cells, "unit_price_total_measure_unit");
  if (total === undefined || totalUnit === undefined) return;
  draft.unitPricingMeasure = `${total} ${totalUnit}`;
  const base = cell(cells, "unit_price_base_measure");
  const baseUnit = cell(cells, "unit_price_base_measure_unit");
  if (base !== undefined && baseUnit !== undefined) draft.unitPricingBaseMeasure = `${base} ${baseUnit}`;
}

/** What Shopify gives a product that has no options. No shop writes the value itself, so the name is not asked. */
function isPseudoOption(name: string, value: string): boolean {
  return value === "Default Title" || (name === "Title" && value === "Default");
}

function variantsOf(product: Product, storeUrl: string | undefined): Draft[] {
  const { handle, variants } = product;
  const images = product.images.toSorted((a, b) => a.position - b.position).map(({ url }) => url);
  const isGroup = variants.length > 1 || variants.some(({ draft }) => draft.options !== undefined);
  const page = shopLink(storeUrl, `/products/${encodeURIComponent(handle)}`);
  return variants.map(({ draft: own, image, number }) => {
    const hasCode = own.gtin !== undefined || own.mpn !== undefined;
    const variantPage = number === undefined ? page : `${page}?variant=${encodeURIComponent(number)}`;
    const draft: Draft = {
      ...variantDraft(hasCode ? without(product.draft, "identifierExists") : product.draft, own),
      ...(number === undefined ? {} : { id: number }),
      ...(isGroup ? { groupId: handle } : {}),
      link: product.draft.link ?? variantPage,
    };
    return withImages(draft, [image, ...images]);
  });
}
