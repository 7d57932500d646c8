/**
 * WooCommerce's product export. Variations refer to their product by SKU or `id:123`, and may stand before it or far
 * behind; so the file is read twice, first for the products that have variations, then for the items. A variable or
 * grouped product is no item itself. Links are those of the file, or made from the product's number or slug.
 */
import { counted } from "../../../lib/counted.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { type Attribute, attributeFields } from "../../product-record/attribute-fields.ts";
import { urlList } from "../../product-record/cells.ts";
import type { ColumnPlan } from "../../product-record/columns.ts";
import { shopLink, withImages, without } from "../../product-record/product-draft.ts";
import type { Reading } from "../../product-record/reading.ts";
import { withoutSpreadsheetQuotes } from "../../product-record/value.ts";
import type { Dialect } from "./dialect.ts";
import { pageById, stockOf } from "./kit.ts";
import { type ParentStore, parentStore } from "../../kit/parent-store.ts";
import { translatedHeaders } from "./woocommerce-headers.ts";
import { variationDraft } from "./woocommerce-variation.ts";
import { type CellReader, cellReader, type MakeRowMapper } from "../row-mapper.ts";

export const wooCommerce: Dialect = {
  name: "WooCommerce product export",
  matches: (names) =>
    ["type", "sku", "name", "regular_price"].every((name) => names.has(name)) && !names.has("link"),
  translate: translatedHeaders,
  open: ({ storeUrl, scratch }) => {
    const parents = parentStore(scratch);
    return {
      passes: [parentRows(parents, storeUrl), itemRows(parents, storeUrl)],
      close: parents.close,
    };
  },
};

/** First pass: remembers every product that may have variations. */
function parentRows(parents: ParentStore, storeUrl: string | undefined): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const context = {
      plan,
      cell,
      storeUrl,
      attributeCount: countAttributes(headers.map(({ name }) => name)),
    };
    return {
      row: (raw) => {
        const cells = raw.map(unescaped);
        if (typesOf(cells, cell).includes("variable"))
          parents.set(keysOf(cells, cell), productDraft(cells, context));
        return [];
      },
      end: () => [],
    };
  };
}

/** What a variation may call its product. */
function keysOf(cells: readonly string[], cell: CellReader): string[] {
  const sku = cell(cells, "sku");
  const id = cell(cells, "id");
  return [
    ...(sku === undefined ? [] : [withoutSpreadsheetQuotes(sku)]),
    ...(id === undefined ? [] : [`id:${id}`]),
  ];
}

/** Second pass: the items. */
function itemRows(parents: ParentStore, storeUrl: string | undefined): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const context = {
      plan,
      cell,
      storeUrl,
      attributeCount: countAttributes(headers.map(({ name }) => name)),
    };
    const counts = { grouped: 0, withoutVariations: 0, withoutLink: 0, assumedStock: 0 };

    function item(draft: Draft, product: Draft, cells: readonly string[]): Reading {
      if (draft.link === undefined) counts.withoutLink += 1;
      if (draft.availability === undefined && draft.quantity === undefined) counts.assumedStock += 1;
      const key = [product.id ?? product.sku ?? slugOf(cells, cell) ?? product.title ?? ""];
      return { kind: "draft", draft: { availability: availabilityOf(draft, cells, cell), ...draft }, key };
    }

    function variation(own: Draft, cells: readonly string[], line: number): Reading {
      const parentKey = cell(cells, "parent")?.replace(/^id:\s+/, "id:");
      const parent = parentKey === undefined ? undefined : parents.get(withoutSpreadsheetQuotes(parentKey));
      if (parent !== undefined)
        return item(variationDraft(parent, own, attributesOf(cells, context)), parent, cells);
      const message = `The variation on line ${line} belongs to ${parentKey ?? "no product"}, which is not in the file. Export products and variations together.`;
      return { kind: "unreadable", itemId: own.id ?? null, message };
    }

    function row(raw: readonly string[], line: number): readonly Reading[] {
      const cells = raw.map(unescaped);
      const types = typesOf(cells, cell);
      if (types.includes("grouped")) {
        counts.grouped += 1;
        return [];
      }
      if (types.includes("variable")) {
        // No variation can refer to it. Others are counted when all variations have been read.
        if (keysOf(cells, cell).length === 0) counts.withoutVariations += 1;
        return [];
      }
      const own = productDraft(cells, context);
      return [
        types.includes("variation") ? variation(own, cells, line) : item(own, without(own, "sku"), cells),
      ];
    }

    function end(): Reading[] {
      return notes({ ...counts, withoutVariations: counts.withoutVariations + parents.unused() });
    }

    return { row, end };
  };
}

type Counts = {
  readonly grouped: number;
  readonly withoutVariations: number;
  readonly withoutLink: number;
  readonly assumedStock: number;
};

function notes({ grouped, withoutVariations, withoutLink, assumedStock }: Counts): Reading[] {
  const found: Reading[] = [];
  if (grouped > 0) {
    const message = `Grouped products left out: ${grouped}. They have no price of their own, and the products in them are items themselves.`;
    found.push({ kind: "note", code: "left_out", message });
  }
  if (withoutVariations > 0) {
    const message = `Variable products left out because the file has no variations of them: ${withoutVariations}. Export products and variations together.`;
    found.push({ kind: "note", code: "left_out", message });
  }
  if (withoutLink > 0) {
    const message = `Links are missing for ${counted(withoutLink, "item")}: the file has no ID, no permalink and no slug to make them from. Export again with all columns, so that there is an ID, or set link_template to the address of your products with the names of columns in braces.`;
    found.push({ kind: "note", code: "missing_column", message });
  }
  if (assumedStock > 0) {
    const message = `The export says nothing about the stock of ${counted(assumedStock, "item; it is", "items; they are")} taken as in stock, as WooCommerce does.`;
    found.push({ kind: "note", code: "availability_assumed", message });
  }
  return found;
}

type MapperContext = {
  readonly plan: ColumnPlan;
  readonly cell: CellReader;
  readonly storeUrl: string | undefined;
  readonly attributeCount: number;
};

/** WooCommerce puts an apostrophe before a text that a spreadsheet might take for a formula, and takes it off again. */
function unescaped(text: string): string {
  return /^'[=+\-@]/.test(text) ? text.slice(1) : text;
}

/** `simple, downloadable, virtual`: the kind and what more there is to say of it. */
function typesOf(cells: readonly string[], cell: CellReader): string[] {
  return (cell(cells, "type") ?? "simple")
    .toLowerCase()
    .split(",")
    .map((type) => type.trim());
}

function countAttributes(names: readonly string[]): number {
  return names.filter((name) => /^attribute_\d+_name$/.test(name)).length;
}

function productDraft(cells: readonly string[], context: MapperContext): Draft {
  const { plan, cell } = context;
  const mapped = without(plan.map(cells), "options", "image", "additionalImages", "groupId", "categories");
  const list = (name: string): string[] => splitEscaped(cell(cells, name) ?? "");
  const types = typesOf(cells, cell);
  const isVariation = types.includes("variation");
  const draft: Draft = {
    ...attributeDraft(cells, context, isVariation),
    ...withFreeSale(withLineBreaks(mapped)),
  };
  const [brand] = list("brands");
  if (brand !== undefined) draft.brand = brand;
  if (types.includes("downloadable")) draft.isDigital = "true";
  const categories = list("categories");
  if (categories.length > 0) draft.categories = categories;
  if (isHiddenInCatalog(cells, cell)) draft.published = "hidden";
  // A variation has no page of its own, unless the file has an address for it.
  const link = isVariation ? undefined : linkOf(draft, cells, context);
  if (link !== undefined) draft.link = link;
  const images = cell(cells, "images") ?? "";
  return withImages(draft, images.includes("\\,") ? list("images") : urlList(images));
}

/** What a variation chose are its options; a whole product's attributes describe it, if its page shows them. */
function attributeDraft(cells: readonly string[], context: MapperContext, isVariation: boolean): Draft {
  const attributes = attributesOf(cells, context).filter(({ values }) => values.length > 0);
  if (!isVariation) return attributeFields(attributes.filter((attribute) => !attribute.isHidden));
  if (attributes.length === 0) return {};
  return { options: attributes.map(({ name, values }) => ({ name, value: values.join(", ") })) };
}

/** Given away: no feed has a sale price of zero, so that zero is the price. With dates it is so while the sale runs. */
function withFreeSale(draft: Draft): Draft {
  const { salePrice, saleFrom, saleTo } = draft;
  const isFree = salePrice !== undefined && /^0+(?:[.,]0*)?$/.test(salePrice.trim());
  if (!isFree || saleFrom !== undefined || saleTo !== undefined) return draft;
  return { ...without(draft, "salePrice"), price: salePrice };
}

/** The export writes a line break as `\n`, and a backslash with an n behind it as `\\n`. */
function withLineBreaks(draft: Draft): Draft {
  const { description, shortDescription } = draft;
  return {
    ...draft,
    ...(description === undefined ? {} : { description: lineBreaksIn(description) }),
    ...(shortDescription === undefined ? {} : { shortDescription: lineBreaksIn(shortDescription) }),
  };
}

function lineBreaksIn(text: string): string {
  return text
    .split("\\\\n")
    .map((part) => part.replaceAll("\\n", "\n"))
    .join("\\n");
}

function isHiddenInCatalog(cells: readonly string[], cell: CellReader): boolean {
  return cell(cells, "visibility_in_catalog", "catalog_visibility")?.toLowerCase() === "hidden";
}

/** With attributes that leave the choice to the buyer: they have a name and no value. */
function attributesOf(
  cells: readonly string[],
  { cell, attributeCount }: MapperContext,
): (Attribute & { readonly isHidden: boolean })[] {
  return Array.from({ length: attributeCount }, (_, index) => index + 1).flatMap((number) => {
    const name = cell(cells, `attribute_${number}_name`);
    const value = cell(cells, `attribute_${number}_value_s`, `attribute_${number}_values`);
    const isHidden = cell(cells, `attribute_${number}_visible`) === "0";
    return name === undefined ? [] : [{ name, values: splitEscaped(value ?? ""), isHidden }];
  });
}

/** Lists are separated by commas; a comma within a name has a backslash before it. */
function splitEscaped(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll("\\,", ",").trim())
    .filter((part) => part !== "");
}

/**
 * The product's page: as the file has it; else WordPress finds any page by its number or slug, and sends the visitor
 * on to its proper address.
 */
function linkOf(
  draft: Draft,
  cells: readonly string[],
  { cell, storeUrl }: MapperContext,
): string | undefined {
  if (draft.link !== undefined) return draft.link;
  const page = pageById(storeUrl, "/?p=", draft.id);
  if (page !== undefined) return page;
  const slug = slugOf(cells, cell);
  return slug === undefined ? undefined : shopLink(storeUrl, `/?product=${encodeURIComponent(slug)}`);
}

function slugOf(cells: readonly string[], cell: CellReader): string | undefined {
  return cell(cells, "slug", "post_name", "product_slug");
}

/**
 * What the export says of stock, and what a missing value means (docs/sources/README.md): what WooCommerce does not count
 * is in stock; what is sold out can be ordered where backorders are allowed.
 */
function availabilityOf({ quantity }: Draft, cells: readonly string[], cell: CellReader): string {
  const allowsBackorders = /^(?:1|notify|yes)$/i.test(cell(cells, "backorders_allowed") ?? "");
  return stockOf({ isTracked: quantity !== undefined, quantity, allowsBackorders }) ?? "out of stock";
}
