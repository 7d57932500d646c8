/**
 * Shopify's product export, old and current template. A product is a run of rows with the same handle: the first
 * has the product, it and others have a variant each, further ones only an image. The export has no links and no
 * ids of variants: links are made from the handle, and the ids of variants by the rule in `item-ids.ts`.
 */
import { counted } from "../../../lib/counted.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { AGE_GROUP_WORDS, GENDER_WORDS } from "../../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../../catalog/words.ts";
import { urlList } from "../../product-record/cells.ts";
import { fold } from "../../product-record/aliases.ts";
import { imagesOf, shopLink, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";
import { type Dialect, type MakeRowMapper, onePass, type DialectRow } from "./dialect.ts";
import { countOmissions, stockOf, tooManyRows } from "./kit.ts";

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

type CsvProduct = {
  readonly handle: string;
  /** Where it begins. */
  readonly line: number;
  readonly draft: Draft;
  readonly isGiftCard: boolean;
  readonly optionNames: readonly (string | undefined)[];
  readonly variants: CsvVariant[];
  readonly images: { readonly url: string; readonly position: number }[];
  chars: number;
};

type CsvVariant = {
  readonly draft: Draft;
  readonly image: string | undefined;
  /** The shop's own number of the variant, in exports of apps that add it. */
  readonly number: string | undefined;
  readonly isStockAssumed: boolean;
};

function productRows({ storeUrl, maxProductChars }: ShopifyOptions): MakeRowMapper {
  return ({ names }) => {
    const hasTracker = names.includes("variant_inventory_tracker") || names.includes("inventory_tracker");
    const assumed = countOmissions(assumedStock, "availability_assumed");
    const giftCards = countOmissions(
      (count) => `Gift cards left out: ${count}. Google and OpenAI do not accept them.`,
      "left_out",
    );
    let product: CsvProduct | null = null;

    function finish(): RecordResult[] {
      const finished = product;
      product = null;
      if (finished === null) return [];
      if (finished.isGiftCard) {
        giftCards.add();
        return [];
      }
      if (finished.variants.length === 0) return [withoutVariants(finished)];
      for (const { isStockAssumed } of finished.variants) if (isStockAssumed) assumed.add();
      const key = [finished.handle];
      return variantsOf(finished, storeUrl).map((draft) => ({ kind: "draft", draft, key }));
    }

    function row(row: DialectRow): readonly RecordResult[] {
      // Some files leave the handle out where it would only be repeated.
      const handle = row.at("handle", "url_handle") ?? product?.handle;
      if (handle === undefined) {
        const message = `The row on line ${row.line} has no handle, so its product is unknown. Export the products again.`;
        return [{ kind: "unreadable", itemId: null, message }];
      }
      const before = handle === product?.handle ? [] : finish();
      product ??= startProduct(handle, row, names);
      addRow(product, row, hasTracker);
      if (product.chars > maxProductChars) throw tooManyRows(handle, row.line);
      return before;
    }

    return { row, lose: finish, end: () => [...finish(), ...assumed.notes(), ...giftCards.notes()] };
  };
}

function withoutVariants({ handle, line }: CsvProduct): RecordResult {
  const message = `The product ${JSON.stringify(handle.slice(0, 100))} on line ${line} has no variant: no row of it has a price, an option or an SKU. Add a price in Shopify and export again.`;
  return { kind: "unreadable", itemId: null, message };
}

/** Shopify leaves the column out where a shop has several locations. What the shop sells is then in stock. */
const assumedStock = (count: number): string =>
  `The export does not say how many of ${counted(count, "item is in stock; it is", "items are in stock; they are")} taken as in stock. To know which are sold out, connect the shop itself (kind shopify), or export from a shop with one location.`;

function startProduct(
  handle: string,
  { at, line, readDraft }: DialectRow,
  names: readonly string[],
): CsvProduct {
  const categories = [at("type"), at("product_category")].filter((path) => path !== undefined);
  const status = at("status");
  return {
    handle,
    line,
    draft: {
      ...describedBy(at, names),
      ...without(readDraft(), "groupId", "weight", "weightUnit", "ageGroup"),
      ...(categories.length > 0 ? { categories } : {}),
      // A product may be published and a draft at once; it is then not for sale.
      ...(status !== undefined && fold(status) !== "active" ? { published: status } : {}),
    },
    isGiftCard: at("gift_card")?.toLowerCase() === "true",
    optionNames: [1, 2, 3].map((number) => at(`option${number}_name`)),
    variants: [],
    images: [],
    chars: 0,
  };
}

/** The standard metafields with a value of a fixed list; their column begins with a name in the shop's language. */
const WORD_METAFIELDS = [
  { field: "gender", ending: "product_metafields_shopify_target_gender", words: GENDER_WORDS },
  { field: "ageGroup", ending: "product_metafields_shopify_age_group", words: AGE_GROUP_WORDS },
] as const;

/** A product's values from Shopify's own columns. A metafield with several values is not used for an item. */
function describedBy(at: DialectRow["at"], names: readonly string[]): Draft {
  const draft: Draft = {};
  for (const { field, ending, words } of WORD_METAFIELDS) {
    const name = names.find((column) => column.endsWith(ending));
    const word = name === undefined ? undefined : at(name);
    if (word !== undefined && meaningOf<string>(words, word) !== undefined) draft[field] = word;
  }
  // The current template explains its words: "Adult (13+ years old)".
  const [ageGroup] = (at("google_shopping_age_group") ?? "").split(" (");
  if (ageGroup !== undefined && ageGroup !== "") draft.ageGroup = ageGroup;
  // The Google channel's mark for a product that has neither GTIN nor MPN.
  if (/^true$/i.test(at("google_shopping_custom_product") ?? "")) draft.identifierExists = "no";
  return draft;
}

function addRow(product: CsvProduct, row: DialectRow, hasTracker: boolean): void {
  const { at } = row;
  for (const text of row.cells) product.chars += text.length;
  const position = Number(at("image_position") ?? product.images.length + 1);
  for (const url of imagesIn(row)) {
    product.images.push({ url, position: Number.isNaN(position) ? product.images.length + 1 : position });
  }
  const isVariant = at("option1_value", "variant_price", "price", "variant_sku", "sku", "variant_id");
  if (isVariant === undefined) return;
  const stock = readStock(at, hasTracker);
  product.variants.push({
    draft: variantRow(product, row, stock),
    image: urlList(at("variant_image", "variant_image_url") ?? "")[0],
    number: at("variant_id"),
    isStockAssumed: stock.isAssumed,
  });
}

/** Shopify's own columns; an app may call them otherwise. A variant's own image is not one of the product's. */
function imagesIn({ at, readDraft }: DialectRow): readonly string[] {
  const own = urlList(at("image_src", "product_image_url") ?? "");
  return own.length > 0 ? own : imagesOf(readDraft()).filter((url) => url !== undefined);
}

type Stock = {
  readonly availability: string;
  readonly isCounted: boolean;
  /** Shopify may count the item, but the export does not say how many there are. */
  readonly isAssumed: boolean;
};

/**
 * What a missing value means (docs/sources/README.md): goods that Shopify does not count are in stock; sold-out ones
 * can be ordered where the shop continues to sell; without a quantity, what the shop sells is in stock.
 */
function readStock(at: DialectRow["at"], hasTracker: boolean): Stock {
  const quantity = at("variant_inventory_qty", "inventory_quantity");
  // Without the column for it, any item may be counted.
  const isCounted = !hasTracker || at("variant_inventory_tracker", "inventory_tracker") !== undefined;
  // Exports have written `continue`, `CONTINUE`, `TRUE` and `true`.
  const policy = at("variant_inventory_policy", "continue_selling_when_out_of_stock");
  const allowsBackorders = /^(?:continue|true|yes|1)$/i.test(policy ?? "");
  if (isCounted && quantity === undefined)
    return { availability: "in stock", isCounted, isAssumed: !allowsBackorders };
  const availability = stockOf({ isTracked: isCounted, quantity, allowsBackorders }) ?? "out of stock";
  return { availability, isCounted, isAssumed: false };
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

function variantRow({ optionNames }: CsvProduct, { at, readDraft }: DialectRow, stock: Stock): Draft {
  const mapped = readDraft();
  const draft = without(mapped, ...PRODUCT_FIELDS);
  const options = optionNames.flatMap((named, index) => {
    const value = at(`option${index + 1}_value`);
    // A nameless option still distinguishes variants; it gets the name of its column.
    const name = named ?? `Option${index + 1}`;
    return value === undefined || isPseudoOption(name, value) ? [] : [{ name, value }];
  });
  if (options.length > 0) draft.options = options;
  draft.availability = stock.availability;
  if (!stock.isCounted) delete draft.quantity;
  if (/^false$/i.test(at("variant_requires_shipping", "requires_shipping") ?? "")) draft.isDigital = "true";
  addUnitPricing(draft, at);
  return { ...draft, ...weightOf(mapped, at("variant_grams", "weight_value")) };
}

/** The export has grams, whatever unit is chosen for display; zero means unknown. Apps export other units. */
function weightOf(mapped: Draft, grams: string | undefined): Draft {
  const weight = grams ?? mapped.weight;
  const weightUnit = grams === undefined ? mapped.weightUnit : "g";
  return weight === undefined || weightUnit === undefined || Number(weight) === 0
    ? {}
    : { weight, weightUnit };
}

function addUnitPricing(draft: Draft, at: DialectRow["at"]): void {
  const [total, totalUnit] = [at("unit_price_total_measure"), at("unit_price_total_measure_unit")];
  if (total === undefined || totalUnit === undefined) return;
  draft.unitPricingMeasure = `${total} ${totalUnit}`;
  const [base, baseUnit] = [at("unit_price_base_measure"), at("unit_price_base_measure_unit")];
  if (base !== undefined && baseUnit !== undefined) draft.unitPricingBaseMeasure = `${base} ${baseUnit}`;
}

/** What Shopify gives a product that has no options. No shop writes the value itself, so the name is not asked. */
function isPseudoOption(name: string, value: string): boolean {
  return value === "Default Title" || (name === "Title" && value === "Default");
}

function variantsOf(product: CsvProduct, storeUrl: string | undefined): Draft[] {
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
