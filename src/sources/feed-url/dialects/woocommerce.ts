/**
 * WooCommerce's product export. Variations refer to their product by SKU or `id:123`, and may come before it or far
 * behind; so the file is read twice, first for the products that have variations, then for the items. A grouped product
 * and a variable one with variations are not items themselves. Links are those of the file, or made from the product's
 * number or slug.
 */
import { counted } from "../../../lib/counted.ts";
import { isZeroDecimal } from "../../../catalog/decimal.ts";
import type { Draft } from "../../../catalog/draft.ts";
import { type Attribute, attributeField, attributeFields } from "../../product-record/attribute-fields.ts";
import { urlList, withoutSpreadsheetQuotes } from "../../product-record/cells.ts";
import { imagesOf, shopLink, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";
import type { Dialect, FileHeader, MakeRowMapper, DialectRow } from "./dialect.ts";
import { countOmissions, defined, nonEmpty, pageById, stockOf } from "./kit.ts";
import { type ParentStore, parentStore } from "../../kit/parent-store.ts";
import { translatedHeaders } from "./woocommerce-headers.ts";

export const wooCommerce: Dialect = {
  name: "WooCommerce product export",
  matches: (names) =>
    ["type", "sku", "name", "regular_price"].every((name) => names.has(name)) && !names.has("link"),
  translate: translatedHeaders,
  unescape: unescaped,
  open: ({ storeUrl, scratch }) => {
    const store = parentStore(scratch);
    const parents = { ...store, withVariations: new Set<string>() };
    return {
      passes: [parentRows(parents, storeUrl), itemRows(parents, storeUrl)],
      close: store.close,
    };
  },
};

/** WooCommerce puts an apostrophe before a text that a spreadsheet might take for a formula. */
function unescaped(text: string): string {
  return /^'[=+\-@]/.test(text) ? text.slice(1) : text;
}

/** The products that may have variations, and the names by which variations of the file refer to theirs. */
type Parents = ParentStore & { readonly withVariations: Set<string> };

/** First pass: stores every product that may have variations. */
function parentRows(parents: Parents, storeUrl: string | undefined): MakeRowMapper {
  return (header) => {
    const context = { storeUrl, attributeCount: countAttributes(header) };
    return {
      row: (row) => {
        if (typesOf(row).includes("variable")) parents.set(keysOf(row), productDraft(row, context));
        const parentKey = typesOf(row).includes("variation") ? parentKeyOf(row) : undefined;
        // A slice of a row would keep the row's whole chunk in memory; a copy does not.
        if (parentKey !== undefined) parents.withVariations.add(Buffer.from(parentKey).toString());
        return [];
      },
    };
  };
}

/** What a variation calls its product. */
function parentKeyOf({ at }: DialectRow): string | undefined {
  const key = at("parent")?.replace(/^id:\s+/, "id:");
  return key === undefined ? undefined : withoutSpreadsheetQuotes(key);
}

/** What a variation may call its product. */
function keysOf({ at }: DialectRow): string[] {
  const [sku, id] = [at("sku"), at("id")];
  return [
    ...(sku === undefined ? [] : [withoutSpreadsheetQuotes(sku)]),
    ...(id === undefined ? [] : [`id:${id}`]),
  ];
}

/** Second pass: the items. */
function itemRows(parents: Parents, storeUrl: string | undefined): MakeRowMapper {
  return (header) => {
    const context = { storeUrl, attributeCount: countAttributes(header) };
    const counts = omissions();

    function item(draft: Draft, product: Draft, row: DialectRow): RecordResult {
      if (draft.link === undefined) counts.withoutLink.add();
      if (draft.availability === undefined && draft.quantity === undefined) counts.assumedStock.add();
      const key = [product.id ?? product.sku ?? slugOf(row) ?? product.title ?? ""];
      return { kind: "draft", draft: { availability: availabilityOf(draft, row), ...draft }, key };
    }

    function variation(own: Draft, row: DialectRow): RecordResult {
      const parentKey = parentKeyOf(row);
      const parent = parentKey === undefined ? undefined : parents.get(parentKey);
      if (parent !== undefined)
        return item(variationDraft(parent, own, attributesOf(row, context)), parent, row);
      const message = `The variation on line ${row.line} belongs to ${parentKey ?? "no product"}, which is not in the file. Export products and variations together.`;
      return { kind: "unreadable", itemId: own.id ?? null, message };
    }

    return {
      row: (row) => {
        const types = typesOf(row);
        if (types.includes("grouped")) {
          counts.grouped.add();
          return [];
        }
        const isVariable = types.includes("variable");
        if (isVariable && keysOf(row).some((key) => parents.withVariations.has(key))) return [];
        const own = productDraft(row, context);
        if (isVariable && own.price === undefined) return [withoutVariations(own, row)];
        return [types.includes("variation") ? variation(own, row) : item(own, without(own, "sku"), row)];
      },
      end: () => [...counts.grouped.notes(), ...counts.withoutLink.notes(), ...counts.assumedStock.notes()],
    };
  };
}

function omissions() {
  return {
    grouped: countOmissions(
      (count) =>
        `Grouped products left out: ${count}. They have no price of their own, and the products in them are items themselves.`,
      "left_out",
    ),
    withoutLink: countOmissions(
      (count) =>
        `Links are missing for ${counted(count, "item")}: the file has no ID, no permalink and no slug to make them from. Export again with all columns, so that there is an ID, or set link_template to the address of your products with the names of columns in braces.`,
      "missing_column",
    ),
    assumedStock: countOmissions(
      (count) =>
        `The export says nothing about the stock of ${counted(count, "item; it is", "items; they are")} taken as in stock, as WooCommerce does.`,
      "availability_assumed",
    ),
  };
}

function withoutVariations({ id, sku }: Draft, { line }: DialectRow): RecordResult {
  const message = `The variable product on line ${line} has no variations in the file and no price of its own. Export products and variations together.`;
  return { kind: "unreadable", itemId: id ?? sku ?? null, code: "missing_price", message };
}

type WoocommerceProductContext = { readonly storeUrl: string | undefined; readonly attributeCount: number };

/** `simple, downloadable, virtual`: the kind and further marks. */
function typesOf({ at }: DialectRow): string[] {
  return (at("type") ?? "simple")
    .toLowerCase()
    .split(",")
    .map((type) => type.trim());
}

function countAttributes({ names }: FileHeader): number {
  return names.filter((name) => /^attribute_\d+_name$/.test(name)).length;
}

function productDraft(row: DialectRow, context: WoocommerceProductContext): Draft {
  const { at } = row;
  const general = row.readDraft();
  const mapped = without(general, "options", "image", "additionalImages", "groupId", "categories");
  const types = typesOf(row);
  const isVariation = types.includes("variation");
  const draft: Draft = {
    ...attributeDraft(row, context, isVariation),
    ...withFreeSale(withLineBreaks(mapped)),
    ...defined({
      brand: splitEscaped(at("brands"))[0],
      isDigital: types.includes("downloadable") ? "true" : undefined,
      categories: nonEmpty(splitEscaped(at("categories"))) ?? general.categories,
      published: isHiddenInCatalog(row) ? "hidden" : undefined,
      // A variation has no page of its own, unless the file has an address for it.
      link: isVariation ? undefined : linkOf(mapped, row, context),
    }),
  };
  const images = at("images") ?? "";
  const own = images.includes("\\,") ? splitEscaped(images) : urlList(images);
  return withImages(draft, own.length > 0 ? own : imagesOf(general));
}

/** The attributes of a variation are its options; those of a whole product describe it, if its page shows them. */
function attributeDraft(row: DialectRow, context: WoocommerceProductContext, isVariation: boolean): Draft {
  const attributes = attributesOf(row, context).filter(({ values }) => values.length > 0);
  if (!isVariation) return attributeFields(attributes.filter((attribute) => !attribute.isHidden));
  const options = attributes.map(({ name, values }) => ({ name, value: values.join(", ") }));
  return defined({ options: nonEmpty(options) });
}

/** No feed has a sale price of zero, so zero is the price. With dates it is so while the sale runs. */
function withFreeSale(draft: Draft): Draft {
  const { salePrice, saleFrom, saleTo } = draft;
  const isFree = salePrice !== undefined && isZeroDecimal(salePrice.trim());
  if (!isFree || saleFrom !== undefined || saleTo !== undefined) return draft;
  return { ...without(draft, "salePrice"), price: salePrice };
}

/** The export writes a line break as `\n`, and a backslash with an n behind it as `\\n`. */
function withLineBreaks(draft: Draft): Draft {
  const { description, shortDescription } = draft;
  return {
    ...draft,
    ...defined({
      description: lineBreaksIn(description),
      shortDescription: lineBreaksIn(shortDescription),
    }),
  };
}

function lineBreaksIn(text: string | undefined): string | undefined {
  return text
    ?.split("\\\\n")
    .map((part) => part.replaceAll("\\n", "\n"))
    .join("\\n");
}

function isHiddenInCatalog({ at }: DialectRow): boolean {
  return at("visibility_in_catalog", "catalog_visibility")?.toLowerCase() === "hidden";
}

/** With attributes that leave the choice to the buyer: they have a name and no value. */
function attributesOf(
  { at }: DialectRow,
  { attributeCount }: WoocommerceProductContext,
): (Attribute & { readonly isHidden: boolean })[] {
  return Array.from({ length: attributeCount }, (_, index) => index + 1).flatMap((number) => {
    const name = at(`attribute_${number}_name`);
    const value = at(`attribute_${number}_value_s`, `attribute_${number}_values`);
    const isHidden = at(`attribute_${number}_visible`) === "0";
    return name === undefined ? [] : [{ name, values: splitEscaped(value), isHidden }];
  });
}

/** Lists are separated by commas; a comma within a name has a backslash before it. */
function splitEscaped(text = ""): string[] {
  return text
    .split(/(?<!\\),/)
    .map((part) => part.replaceAll("\\,", ",").trim())
    .filter((part) => part !== "");
}

/** The page in the file; else WordPress finds any page by its number or slug, and redirects to its proper address. */
function linkOf(
  { link, id }: Draft,
  row: DialectRow,
  { storeUrl }: WoocommerceProductContext,
): string | undefined {
  const page = link ?? pageById(storeUrl, "/?p=", id);
  if (page !== undefined) return page;
  const slug = slugOf(row);
  return slug === undefined ? undefined : shopLink(storeUrl, `/?product=${encodeURIComponent(slug)}`);
}

function slugOf({ at }: DialectRow): string | undefined {
  return at("slug", "post_name", "product_slug");
}

/**
 * What a missing value means (docs/sources/README.md): what WooCommerce does not count is in stock; what is sold out
 * can be ordered where backorders are allowed.
 */
function availabilityOf({ quantity }: Draft, { at }: DialectRow): string {
  const allowsBackorders = /^(?:1|notify|yes)$/i.test(at("backorders_allowed") ?? "");
  return stockOf({ isTracked: quantity !== undefined, quantity, allowsBackorders }) ?? "out of stock";
}

/** A variation with what it shares with its product. */
function variationDraft(parent: Draft, own: Draft, attributes: readonly Attribute[]): Draft {
  const isHidden = parent.published !== undefined && parent.published !== "1";
  const grouped: Draft = {
    ...variantDraft(sharedBy(parent, attributes), own),
    ...defined({
      groupId: parent.id ?? parent.sku,
      groupTitle: parent.title,
      link: variationLink(own.link, parent.link),
      // A variation of a hidden product is hidden, whatever its own row says.
      published: isHidden ? "0" : undefined,
    }),
  };
  return withImages(grouped, [...imagesOf(own), ...imagesOf(parent)]);
}

/** What describes the product and all its variations: none of what they differ in, and no choice of several. */
function sharedBy(parent: Draft, attributes: readonly Attribute[]): Draft {
  const chosen = new Set(attributes.map(({ name }) => name.toLowerCase()));
  const fields = attributes.flatMap(({ name }) => attributeField(name) ?? []);
  const shared = without(parent, "details", ...fields);
  const details = parent.details?.filter(
    ({ name }) => !chosen.has(name.toLowerCase()) && attributeField(name) === undefined,
  );
  return { ...shared, ...defined({ details: nonEmpty(details ?? []) }) };
}

/** The page of a link template is the product's; an address of its own is that page with the choice in it. */
function variationLink(own: string | undefined, product: string | undefined): string | undefined {
  if (own === undefined || product === undefined) return own ?? product;
  return own.startsWith(product) && "?#".includes(own.charAt(product.length)) ? own : product;
}
