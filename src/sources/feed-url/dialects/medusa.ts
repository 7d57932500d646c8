/**
 * Medusa's product export, of version 1 and 2. Each row is a variant and repeats its product. Prices stand in one
 * column for each currency. Medusa has no storefront of its own, so links need a `link_template`.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { currencyExponent } from "../../../catalog/currency.ts";
import { AppError } from "../../../errors.ts";
import type { ColumnPlan } from "../../product-record/columns.ts";
import type { Header } from "../../product-record/header.ts";
import { withImages, without } from "../../product-record/product-draft.ts";
import { cellReader, type MakeRowMapper } from "../row-mapper.ts";
import { columnTable, type Dialect, onePass } from "./dialect.ts";
import {
  defined,
  isYes,
  missingLink,
  type Row,
  rowOf,
  stockOf,
  unitlessWeights,
  withoutUntrackedQuantity,
  withoutUnitlessWeight,
} from "./kit.ts";

export const medusa: Dialect = {
  name: "Medusa product export",
  matches: (names) => ["product_handle", "product_title", "variant_title"].every((name) => names.has(name)),
  columns: columnTable({
    variant_id: "item_id",
    product_title: "title",
    product_description: "description",
    variant_sku: "sku",
    variant_ean: "gtin",
    variant_upc: "gtin",
    variant_barcode: "gtin",
    variant_material: "material",
    product_material: "material",
    variant_weight: "weight",
    product_weight: "weight",
    variant_inventory_quantity: "quantity",
  }),
  decimalMark: ".",
  open: () => onePass(variantRows),
};

const variantRows: MakeRowMapper = (plan, headers) => {
  const cell = cellReader(headers);
  const price = priceColumn(headers, plan);
  const images = headers
    .map(({ name }) => name)
    .filter((name) => /^(?:product_)?image_\d+(?:_url)?$/.test(name));
  const options = [1, 2, 3, 4, 5].map((number) => [
    [`variant_option_${number}_name`, `option_${number}_name`],
    [`variant_option_${number}_value`, `option_${number}_value`],
  ]);
  const weights = unitlessWeights();

  function draftOf(cells: readonly string[]): Draft {
    const at = rowOf(cells, cell);
    const mapped = plan.map(cells);
    const amount = price === null ? mapped.price : at(price.name);
    const chosen = options.flatMap(([names = [], values = []]) => {
      const [name, value] = [at(...names), at(...values)];
      const isReal = name !== undefined && value !== undefined && !/^default\b/i.test(value);
      return isReal ? [{ name, value }] : [];
    });
    const draft: Draft = {
      ...without(mapped, "id"),
      ...defined({
        id: mapped.id ?? mapped.sku,
        price: amount,
        currency: price?.currency ?? mapped.currency,
        options: chosen.length > 0 ? chosen : undefined,
        groupId: chosen.length > 0 ? at("product_id", "product_handle") : undefined,
        groupTitle: chosen.length > 0 ? mapped.title : undefined,
        availability: availabilityOf(at),
        categories: categoriesOf(at, headers),
        published: at("product_status")?.toLowerCase() === "published" ? undefined : "draft",
      }),
    };
    return withImages(withoutUnitlessWeight(withoutUntrackedQuantity(draft), weights), [
      at("product_thumbnail"),
      ...images.map((name) => at(name)),
    ]);
  }

  return {
    row: (cells) => {
      const draft = draftOf(cells);
      // What is not published has a better reason to be left out.
      if (draft.link !== undefined || draft.published !== undefined) return [{ kind: "draft", draft }];
      return [missingLink(draft.id, plan.has("link"), "https://shop.example/products/{Product Handle}")];
    },
    end: () => weights.notes(),
  };
};

type PriceColumn = { readonly name: string; readonly currency: string };

/** The one column of prices; null where the merchant has mapped one. Several cannot be chosen from by us. */
function priceColumn(headers: readonly Header[], plan: ColumnPlan): PriceColumn | null {
  if (plan.has("price")) return null;
  const found = headers.flatMap(({ name }): PriceColumn[] => {
    const currency = /^(?:variant_)?price_([a-z]{3})$/.exec(name)?.[1]?.toUpperCase();
    return currency === undefined || currencyExponent(currency) === undefined ? [] : [{ name, currency }];
  });
  const [first, ...more] = found;
  if (first !== undefined && more.length === 0) return first;
  const reason =
    first === undefined
      ? "no column of prices was found"
      : `it has prices in ${found.map(({ currency }) => currency).join(", ")}`;
  const message = `The file is a Medusa product export, and ${reason}. Say which column to use: set columns, e.g. "Variant Price EUR = price".`;
  throw new AppError("source_settings_invalid", message, {
    fields: [
      {
        pointer: "/settings/columns",
        detail: 'Name the column of prices, e.g. "Variant Price EUR = price".',
      },
    ],
  });
}

/** Version 2 exports no quantities: what is counted may be there or not. */
function availabilityOf(at: Row): string | undefined {
  const isTracked = at("variant_manage_inventory") === undefined || isYes(at("variant_manage_inventory"));
  const allowsBackorders = isYes(at("variant_allow_backorder"));
  return stockOf({ isTracked, quantity: at("variant_inventory_quantity"), allowsBackorders });
}

/** Version 1 names the type and the collection; version 2 has ids, which say nothing to a reader. */
function categoriesOf(at: Row, headers: readonly Header[]): string[] | undefined {
  const names = headers
    .map(({ name }) => name)
    .filter((name) => /^product_category_\d+(?:_name)?$/.test(name));
  const found = [...names.map((name) => at(name)), at("product_type"), at("product_collection_title")].filter(
    (name) => name !== undefined && !/^(?:pcat|ptyp|pcol)_/.test(name),
  );
  return found.length > 0 ? found.map(String) : undefined;
}
