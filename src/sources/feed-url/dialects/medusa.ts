/**
 * Medusa's product export, of version 1 and 2. Each row is a variant and repeats its product. Prices are in one
 * column for each currency. Medusa has no storefront of its own, so links need a `link_template`.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { currencyExponent } from "../../../catalog/currency.ts";
import { AppError } from "../../../errors.ts";
import { withImages, without } from "../../product-record/product-draft.ts";
import {
  columnTable,
  type Dialect,
  type FileHeader,
  type MakeRowMapper,
  onePass,
  type DialectRow,
} from "./dialect.ts";
import {
  defined,
  isYes,
  isYesOrAbsent,
  nonEmpty,
  stockOf,
  unitlessWeights,
  unlinkedItems,
  withoutUntrackedQuantity,
} from "./kit.ts";

export const medusa: Dialect = {
  name: "Medusa product export",
  matches: (names) => ["product_handle", "product_title", "variant_title"].every((name) => names.has(name)),
  columns: columnTable(
    {
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
    },
    /^(?:product_(?:type|width|height|length)|variant_(?:width|height|length)|(?:product_)?image_\d+(?:_url)?)$/,
  ),
  decimalMark: ".",
  open: () => onePass(variantRows),
};

const variantRows: MakeRowMapper = (header) => {
  const price = priceColumn(header);
  const images = header.names.filter((name) => /^(?:product_)?image_\d+(?:_url)?$/.test(name));
  const categories = header.names.filter((name) => /^product_category_\d+(?:_name)?$/.test(name));
  const options = [1, 2, 3, 4, 5].map((number) => [
    [`variant_option_${number}_name`, `option_${number}_name`],
    [`variant_option_${number}_value`, `option_${number}_value`],
  ]);
  const weights = unitlessWeights();

  function draftOf({ at, readDraft }: DialectRow): Draft {
    const mapped = readDraft();
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
        options: nonEmpty(chosen),
        groupId: chosen.length > 0 ? at("product_id", "product_handle") : undefined,
        groupTitle: chosen.length > 0 ? mapped.title : undefined,
        availability: availabilityOf(at),
        categories: categoriesOf(at, categories),
        published: at("product_status")?.toLowerCase() === "published" ? undefined : "draft",
      }),
    };
    return withImages(weights.drop(withoutUntrackedQuantity(draft)), [
      at("product_thumbnail"),
      ...images.map((name) => at(name)),
    ]);
  }

  const links = unlinkedItems(header.has("link"), "https://shop.example/products/{Product Handle}");
  return { row: (row) => [links.add(draftOf(row))], end: () => [...weights.notes(), ...links.notes()] };
};

type PriceColumn = { readonly name: string; readonly currency: string };

/** The one column of prices; null where the merchant has mapped one. Several cannot be chosen from by us. */
function priceColumn({ names, has }: FileHeader): PriceColumn | null {
  if (has("price")) return null;
  const found = names.flatMap((name): PriceColumn[] => {
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
function availabilityOf(at: DialectRow["at"]): string | undefined {
  const isTracked = isYesOrAbsent(at("variant_manage_inventory"));
  const allowsBackorders = isYes(at("variant_allow_backorder"));
  return stockOf({ isTracked, quantity: at("variant_inventory_quantity"), allowsBackorders });
}

/** Version 1 names the type and the collection; version 2 has ids, which say nothing to a reader. */
function categoriesOf(at: DialectRow["at"], columns: readonly string[]): readonly string[] | undefined {
  const names = [...columns, "product_type", "product_collection_title"].flatMap(
    (column) => at(column) ?? [],
  );
  return nonEmpty(names.filter((name) => !/^(?:pcat|ptyp|pcol)_/.test(name)));
}
