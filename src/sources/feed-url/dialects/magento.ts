/**
 * Magento 2's product export (also of Adobe Commerce). A configurable product is a page, not an item: its variants are
 * rows of their own, anywhere in the file, and take from it what they lack. The file is read twice, first for the
 * pages. Rows with a store view are translations of a product, not products.
 *
 * Links are `{store_url}/{url_key}.html`, which is Magento's default; another form is a `link_template`. Images lie
 * under `media/catalog/product`.
 */
import { counted } from "../../../lib/counted.ts";
import type { RecordResult } from "../../source.ts";
import { type ParentStore, parentStore } from "../../kit/parent-store.ts";
import { columnTable, type Dialect, type DialectRow, type RowMapper } from "./dialect.ts";
import { countOmissions, parts, unitlessWeights } from "./kit.ts";
import { attributeReader, type DateOrder, dateOrderDetector, pairs } from "./magento-cells.ts";
import {
  groupedSkus,
  isNotVisible,
  type ParentProduct,
  parentProduct,
  productDraft,
  withParent,
} from "./magento-product.ts";

export const magento: Dialect = {
  name: "Magento product export",
  matches: (names) =>
    names.has("sku") &&
    names.has("product_type") &&
    ["attribute_set_code", "product_websites", "configurable_variations", "additional_attributes"].some(
      (name) => names.has(name),
    ),
  columns: columnTable(
    {
      sku: "sku",
      name: "title",
      description: "description",
      short_description: "short_description",
      price: "price",
      special_price: "sale_price",
      weight: "weight",
      qty: "quantity",
      url: "link",
      link: "link",
      product_url: "link",
      currency: "currency",
      // Attributes that merchants export as columns of their own.
      brand: "brand",
      manufacturer: "brand",
      color: "color",
      size: "size",
      material: "material",
      gender: "gender",
      condition: "condition",
      ean: "gtin",
      gtin: "gtin",
      upc: "gtin",
      barcode: "gtin",
      mpn: "mpn",
    },
    /^(?:product_type|categories|visibility|product_online|is_in_stock|base_image|additional_images|special_price_(?:from|to)_date)$/,
  ),
  decimalMark: ".",
  open: ({ storeUrl, scratch }) => {
    const parents = parentStore<ParentProduct>(scratch);
    const file: MagentoFileFacts = { defaultRows: 0, firstView: undefined, dateOrder: null };
    return {
      passes: [() => pageRows(parents, file, storeUrl), () => itemRows(parents, file, storeUrl)],
      close: parents.close,
    };
  },
};

/** What the first pass finds out about the file as a whole. */
type MagentoFileFacts = { defaultRows: number; firstView: string | undefined; dateOrder: DateOrder | null };

/** A page that is switched off is only used where no other page sells the variant. */
const disabledKey = (sku: string): string => `off:${sku}`;

/** First pass: the pages, and how the file writes dates. */
function pageRows(
  parents: ParentStore<ParentProduct>,
  file: MagentoFileFacts,
  storeUrl: string | undefined,
): RowMapper {
  const context = { storeUrl, attributes: attributeReader() };
  const dates = dateOrderDetector();

  function addPage(type: ParentProduct["kind"], row: DialectRow): void {
    const page = parentProduct(type, productDraft(row, context), row.at);
    const members = type === "configurable" ? Object.keys(page.options) : groupedSkus(row.at);
    const keys = members.map((sku) => (page.isEnabled ? sku : disabledKey(sku)));
    parents.set(keys, page);
  }

  return {
    row: (row) => {
      const { at } = row;
      const view = at("store_view_code");
      if (view === undefined) file.defaultRows += 1;
      file.firstView ??= view;
      for (const column of DATE_COLUMNS) dates.add(at(column) ?? "");
      const type = at("product_type")?.toLowerCase();
      if (view === undefined && (type === "configurable" || type === "grouped")) addPage(type, row);
      return [];
    },
    end: () => {
      file.dateOrder = dates.order();
      return [];
    },
  };
}

const DATE_COLUMNS = ["created_at", "updated_at", "special_price_from_date", "special_price_to_date"];

/** Second pass: the items. */
function itemRows(
  parents: ParentStore<ParentProduct>,
  file: MagentoFileFacts,
  storeUrl: string | undefined,
): RowMapper {
  const context = { storeUrl, attributes: attributeReader(), dateOrder: file.dateOrder };
  const counts = omissions();

  function row(row: DialectRow): readonly RecordResult[] {
    const { at, line } = row;
    const sku = at("sku");
    if (sku === undefined) return [withoutSku(line)];
    const view = at("store_view_code");
    if (view !== undefined && isTranslation(view, file)) {
      counts.translations.add(view);
      return [];
    }
    const type = at("product_type")?.toLowerCase() ?? "simple";
    if (type === "grouped") return [];
    if (type !== "configurable") return [type === "bundle" ? bundle(row, sku) : item(row, sku, type)];
    if (at("configurable_variations") === undefined) counts.childless.add(sku);
    return [];
  }

  function item(row: DialectRow, sku: string, type: string): RecordResult {
    const parent = parents.get(sku) ?? parents.get(disabledKey(sku));
    const own = productDraft(row, { ...context, page: parent });
    if (parent !== undefined) counts.matched += 1;
    const isHidden = isNotVisible(row.at("visibility"));
    const draft = parent === undefined ? own : withParent(parent, own, { sku, isHidden });
    if (type === "downloadable") draft.isDigital = "true";
    return { kind: "draft", draft: counts.weights.drop(draft) };
  }

  function bundle(row: DialectRow, sku: string): RecordResult {
    if (hasOwnPrice(row.at)) {
      const draft = { ...productDraft(row, context), isBundle: "true" };
      return { kind: "draft", draft: counts.weights.drop(draft) };
    }
    const message = `The bundle ${sku} has no price of its own: it depends on the chosen parts. Give it a fixed price to list it.`;
    return { kind: "unreadable", itemId: sku, code: "missing_price", message };
  }

  return { row, end: () => counts.notes(parents.size()) };
}

function withoutSku(line: number): RecordResult {
  const message = `The row on line ${line} has no sku. Export the products again with the column sku.`;
  return { kind: "unreadable", itemId: null, message };
}

/** An export of one store view only has no other rows: then these are the products. */
function isTranslation(view: string, { defaultRows, firstView }: MagentoFileFacts): boolean {
  return defaultRows > 0 || view !== firstView;
}

function omissions() {
  const translations = countOmissions(
    (count, views) =>
      `${counted(count, "row is a translation", "rows are translations")} for store views (${views}) of products in the file; the default texts are used.`,
  );
  const childless = countOmissions(
    (count, skus) =>
      `${count} configurable products have no variations in the export and are left out: ${skus}. Export the column configurable_variations.`,
  );
  const weights = unitlessWeights();
  const counts = {
    translations,
    childless,
    weights,
    matched: 0,
    notes: (listed: number): RecordResult[] => {
      const absent = listed - counts.matched;
      const message = `${absent} variations are named by their configurable or grouped product, but have no row in the file. Export all products.`;
      const missing: RecordResult[] = absent > 0 ? [{ kind: "warning", code: "source_note", message }] : [];
      return [...translations.notes(), ...childless.notes(), ...missing, ...weights.notes()];
    },
  };
  return counts;
}

/** A bundle with a fixed price, none of whose parts changes it. */
function hasOwnPrice(at: DialectRow["at"]): boolean {
  if (at("bundle_price_type")?.toLowerCase() !== "fixed") return false;
  const values = parts(at("bundle_values"), "|").flatMap(pairs);
  return values.every(([code, value]) => code !== "price" || Number(value) === 0);
}
