/**
 * WooCommerce's product export. Variations refer to their product by SKU or `id:123`, and may stand before it or far
 * behind; so the file is read twice, first for the products that have variations, then for the items. A variable or
 * grouped product is no item itself. The export has no links: they are made from the product's number.
 */
import type { Draft } from "../../catalog/draft.ts";
import type { ColumnPlan } from "../product-record/columns.ts";
import { shopLink, variantDraft, withImages, without } from "../product-record/product-draft.ts";
import type { Reading } from "../product-record/reading.ts";
import type { ParentStore } from "./parent-store.ts";
import { type CellReader, cellReader, type MakeRowMapper } from "./row-mapper.ts";

export function isWooCommerceExport(names: ReadonlySet<string>): boolean {
  return ["type", "sku", "name", "regular_price"].every((name) => names.has(name)) && !names.has("link");
}

/** First pass: remembers every product that may have variations. */
export function wooCommerceParents(parents: ParentStore): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const attributeCount = countAttributes(headers.map(({ name }) => name));
    return {
      row: (cells) => {
        if (typesOf(cells, cell).includes("variable")) {
          const sku = cell(cells, "sku");
          const id = cell(cells, "id");
          const keys = [...(sku === undefined ? [] : [sku]), ...(id === undefined ? [] : [`id:${id}`])];
          parents.put(keys, productDraft(cells, { plan, cell, attributeCount }));
        }
        return [];
      },
      end: () => [],
    };
  };
}

/** Second pass: the items. */
export function wooCommerceRows(parents: ParentStore, storeUrl: string | undefined): MakeRowMapper {
  return (plan, headers) => {
    const cell = cellReader(headers);
    const sheet = { plan, cell, attributeCount: countAttributes(headers.map(({ name }) => name)) };

    function row(cells: readonly string[], line: number): readonly Reading[] {
      const types = typesOf(cells, cell);
      if (types.includes("variable") || types.includes("grouped")) return [];
      const own = productDraft(cells, sheet);
      if (!types.includes("variation")) return [{ kind: "draft", draft: withLink(own, own.id, storeUrl) }];
      const parentKey = cell(cells, "parent");
      const parent = parentKey === undefined ? undefined : parents.get(parentKey.replace(/^id:\s+/, "id:"));
      if (parent !== undefined) return [{ kind: "draft", draft: variationDraft(parent, own, storeUrl) }];
      const message = `The variation on line ${line} belongs to ${parentKey ?? "no product"}, which is not in the file.`;
      return [{ kind: "unreadable", itemId: own.id ?? null, message }];
    }

    return { row, end: () => [] };
  };
}

type Sheet = { readonly plan: ColumnPlan; readonly cell: CellReader; readonly attributeCount: number };

/** `simple, downloadable, virtual`: the kind and what more there is to say of it. */
function typesOf(cells: readonly string[], cell: CellReader): string[] {
  return (cell(cells, "type") ?? "simple").toLowerCase().split(/\s*,\s*/);
}

function countAttributes(names: readonly string[]): number {
  return names.filter((name) => /^attribute_\d+_name$/.test(name)).length;
}

function productDraft(cells: readonly string[], { plan, cell, attributeCount }: Sheet): Draft {
  const draft = without(plan.map(cells), "options", "additionalImages", "groupId", "categories");
  const list = (name: string): string[] => splitEscaped(cell(cells, name) ?? "");
  const types = typesOf(cells, cell);
  for (const field of ["description", "shortDescription"] as const)
    if (draft[field] !== undefined) draft[field] = unescapedLines(draft[field]);
  const [brand] = list("brands");
  if (brand !== undefined) draft.brand = brand;
  if (types.includes("downloadable")) draft.isDigital = "true";
  const categories = list("categories");
  if (categories.length > 0) draft.categories = categories;
  const attributes = attributesOf(cells, cell, attributeCount);
  // What a variation chose are its options; a whole product's attributes only describe it.
  if (attributes.length > 0) draft[types.includes("variation") ? "options" : "details"] = attributes;
  return withImages(draft, list("images"));
}

function attributesOf(
  cells: readonly string[],
  cell: CellReader,
  count: number,
): { name: string; value: string }[] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((number) => {
    const name = cell(cells, `attribute_${number}_name`);
    const value = cell(cells, `attribute_${number}_value_s`, `attribute_${number}_values`);
    return name === undefined || value === undefined ? [] : [{ name, value: splitEscaped(value).join(", ") }];
  });
}

/** The export writes a line break of a description as `\n`, and a `\n` of its text with two backslashes. */
function unescapedLines(text: string): string {
  if (!text.includes("\\n")) return text;
  return text.replace(/\\(\\?)n/g, (_, backslash: string) => (backslash === "" ? "\n" : "\\n"));
}

/** Lists are separated by commas; a comma within a name has a backslash before it. */
function splitEscaped(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll("\\,", ",").trim())
    .filter((part) => part !== "");
}

function variationDraft(parent: Draft, own: Draft, storeUrl: string | undefined): Draft {
  const draft = variantDraft(without(parent, "details"), own);
  const images = [
    own.image,
    ...(own.additionalImages ?? []),
    parent.image,
    ...(parent.additionalImages ?? []),
  ];
  const grouped: Draft = {
    ...draft,
    ...(parent.id === undefined ? {} : { groupId: parent.id }),
    ...(parent.title === undefined ? {} : { groupTitle: parent.title }),
    // A variation of a hidden product is hidden, whatever it says itself.
    ...(isHidden(parent) ? { published: "0" } : {}),
  };
  return withImages(withLink(grouped, parent.id, storeUrl), images);
}

function isHidden({ published }: Draft): boolean {
  return published !== undefined && published !== "1";
}

/** WordPress finds any page by its number and sends the visitor on to its proper address. */
function withLink(draft: Draft, pageId: string | undefined, storeUrl: string | undefined): Draft {
  if (pageId === undefined || !/^\d+$/.test(pageId)) return draft;
  return { ...draft, link: shopLink(storeUrl, `/?p=${pageId}`) };
}
