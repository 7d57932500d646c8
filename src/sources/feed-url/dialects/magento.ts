/**
 * Magento 2's product export (Adobe Commerce alike). A configurable product is a page, not an item: its variants are
 * rows of their own, anywhere in the file, and take from it what they lack. The file is read twice, first for the
 * pages. Rows with a store view are translations of a product, not products.
 *
 * Links are `{store_url}/{url_key}.html`, which is Magento's default; another form is a `link_template`. Images lie
 * under `media/catalog/product`.
 */
import { counted } from "../../../lib/counted.ts";
import type { Reading } from "../../product-record/reading.ts";
import { type ParentStore, parentStore } from "../../kit/parent-store.ts";
import { cellReader, type MakeRowMapper } from "../row-mapper.ts";
import { columnTable, type Dialect } from "./dialect.ts";
import { countOmissions, parts, type Row, rowOf, unitlessWeights, withoutUnitlessWeight } from "./kit.ts";
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
  columns: columnTable({
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
  }),
  decimalMark: ".",
  open: ({ storeUrl, scratch }) => {
    const parents = parentStore<ParentProduct>(scratch);
    const file: FileFacts = { defaultRows: 0, firstView: undefined, dateOrder: null };
    return {
      passes: [pageRows(parents, file, storeUrl), itemRows(parents, file, storeUrl)],
      close: parents.close,
    };
  },
};

/** What the first pass finds out about the file as a whole. */
type FileFacts = { defaultRows: number; firstView: string | undefined; dateOrder: DateOrder | null };

/** A page that is switched off is only used where no other page sells the variant. */
const disabledKey = (sku: string): string => `off:${sku}`;

/** First pass: the pages, and how the file writes dates. */
function pageRows(
  parents: ParentStore<ParentProduct>,
  file: FileFacts,
  storeUrl: string | undefined,
): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const context = { plan, storeUrl, attributes: attributeReader() };
    const dates = dateOrderDetector();
    return {
      row: (cells) => {
        const row = rowOf(cells, cell);
        const view = row("store_view_code");
        if (view === undefined) file.defaultRows += 1;
        file.firstView ??= view;
        dates.see(
          row("created_at"),
          row("updated_at"),
          row("special_price_from_date"),
          row("special_price_to_date"),
        );
        const type = row("product_type")?.toLowerCase();
        if (view === undefined && (type === "configurable" || type === "grouped")) {
          const page = parentProduct(type, productDraft(cells, row, context), row);
          const members = type === "configurable" ? Object.keys(page.options) : groupedSkus(row);
          parents.set(
            members.map((sku) => (page.isEnabled ? sku : disabledKey(sku))),
            page,
          );
        }
        return [];
      },
      end: () => {
        file.dateOrder = dates.order();
        return [];
      },
    };
  };
}

/** Second pass: the items. */
function itemRows(
  parents: ParentStore<ParentProduct>,
  file: FileFacts,
  storeUrl: string | undefined,
): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const context = { plan, storeUrl, attributes: attributeReader() };
    const counts = omissions();

    function row(cells: readonly string[], line: number): readonly Reading[] {
      const at = rowOf(cells, cell);
      const sku = at("sku");
      if (sku === undefined) return [withoutSku(line)];
      const view = at("store_view_code");
      if (view !== undefined && isTranslation(view, file)) {
        counts.translations.add(view);
        return [];
      }
      const type = at("product_type")?.toLowerCase() ?? "simple";
      if (type === "bundle") return bundle(cells, at, sku);
      return type === "configurable" || type === "grouped" ? page(type, at, sku) : item(cells, at, sku);
    }

    function page(type: ParentProduct["kind"], at: Row, sku: string): readonly Reading[] {
      const hasVariations = type !== "configurable" || at("configurable_variations") !== undefined;
      if (!hasVariations) counts.childless.add(sku);
      return [];
    }

    function item(cells: readonly string[], at: Row, sku: string): readonly Reading[] {
      const parent = parents.get(sku) ?? parents.get(disabledKey(sku));
      const own = productDraft(cells, at, { ...context, dateOrder: file.dateOrder, page: parent });
      if (parent !== undefined) counts.matched += 1;
      const isHidden = isNotVisible(at("visibility"));
      const draft = parent === undefined ? own : withParent(parent, own, { sku, isHidden });
      if (at("product_type")?.toLowerCase() === "downloadable") draft.isDigital = "true";
      return [{ kind: "draft", draft: withoutUnitlessWeight(draft, counts.weights) }];
    }

    function bundle(cells: readonly string[], at: Row, sku: string): readonly Reading[] {
      const draft = productDraft(cells, at, { ...context, dateOrder: file.dateOrder });
      if (hasOwnPrice(at)) {
        const sold = { ...draft, isBundle: "true" };
        return [{ kind: "draft", draft: withoutUnitlessWeight(sold, counts.weights) }];
      }
      const message = `The bundle ${sku} has no price of its own: it depends on the chosen parts. Give it a fixed price to list it.`;
      return [{ kind: "unreadable", itemId: sku, code: "missing_price", message }];
    }

    return { row, end: () => counts.notes(parents.size()) };
  };
}

function withoutSku(line: number): Reading {
  const message = `The row on line ${line} has no sku. Export the products again with the column sku.`;
  return { kind: "unreadable", itemId: null, message };
}

/** An export of one store view only has no other rows: then these are the products. */
function isTranslation(view: string, { defaultRows, firstView }: FileFacts): boolean {
  return defaultRows > 0 || view !== firstView;
}

function omissions() {
  const translations = countOmissions(
    "source_note",
    (count, views) =>
      `${counted(count, "row is a translation", "rows are translations")} for store views (${views}) of products in the file; the default texts are used.`,
  );
  const childless = countOmissions(
    "source_note",
    (count, skus) =>
      `${count} configurable products have no variations in the export and are left out: ${skus}. Export the column configurable_variations.`,
  );
  const weights = unitlessWeights();
  const counts = {
    translations,
    childless,
    weights,
    matched: 0,
    notes: (listed: number): Reading[] => {
      const absent = listed - counts.matched;
      const message = `${absent} variations are named by their configurable or grouped product, but have no row in the file. Export all products.`;
      const missing: Reading[] = absent > 0 ? [{ kind: "note", code: "source_note", message }] : [];
      return [...translations.notes(), ...childless.notes(), ...missing, ...weights.notes()];
    },
  };
  return counts;
}

/** A bundle with a fixed price, none of whose parts changes it. */
function hasOwnPrice(row: Row): boolean {
  if (row("bundle_price_type")?.toLowerCase() !== "fixed") return false;
  const surcharges = parts(row("bundle_values"), "|").flatMap((part) =>
    pairs(part).filter(([code, value]) => code === "price" && Number(value) !== 0),
  );
  return surcharges.length === 0;
}
