/** One row of Magento's export as a product, the pages that sell other rows, and what these take from them. */
import type { Draft } from "../../../catalog/draft.ts";
import { VARIANT_TRAITS } from "../../../catalog/item.ts";
import { imagesOf, shopLink, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import type { DialectRow } from "./dialect.ts";
import {
  defined,
  disabledUnless,
  humanized,
  imageParts,
  nonEmpty,
  parts,
  withoutUntrackedQuantity,
  withShownPrices,
} from "./kit.ts";
import {
  categoryPaths,
  type DateOrder,
  isoDate,
  pairs,
  type ReadAttributes,
  availabilityOf,
} from "./magento-cells.ts";

/** A product page that sells other rows: a configurable product its variants, a grouped one its members. */
export type ParentProduct = {
  readonly kind: "configurable" | "grouped";
  readonly draft: Draft;
  readonly isEnabled: boolean;
  readonly isInStock: boolean;
  /** A variant's SKU with what it chooses. */
  readonly options: Readonly<Record<string, readonly Choice[]>>;
};

type Choice = { readonly code: string; readonly name: string; readonly value: string };

export function parentProduct(
  kind: ParentProduct["kind"],
  draft: Draft,
  at: DialectRow["at"],
): ParentProduct {
  return {
    kind,
    draft,
    isEnabled: draft.published === undefined,
    isInStock: at("is_in_stock") !== "0",
    options: kind === "configurable" ? optionsBySku(at) : {},
  };
}

/** `sku=A,color=Red,size=M|sku=B,…`, with the options' labels in another column. */
function optionsBySku(at: DialectRow["at"]): ParentProduct["options"] {
  const labels = new Map(pairs(at("configurable_variation_labels")));
  const found: Record<string, Choice[]> = {};
  for (const variation of parts(at("configurable_variations"), "|")) {
    const chosen = pairs(variation);
    const sku = chosen.find(([code]) => code === "sku")?.[1];
    if (sku === undefined) continue;
    found[sku] = chosen
      .filter(([code, value]) => code !== "sku" && code !== "display" && value !== "")
      .map(([code, value]) => ({ code, name: labels.get(code) ?? humanized(code), value }));
  }
  return found;
}

/** `A=5.0000,B=5.0000`: members with their default quantities. */
export function groupedSkus(at: DialectRow["at"]): string[] {
  return parts(at("associated_skus"), ",").map((member) => member.replace(/=[^=]*$/, ""));
}

export type MagentoProductContext = {
  readonly attributes: ReadAttributes;
  readonly storeUrl: string | undefined;
  readonly dateOrder?: DateOrder | null;
  /** The page that sells the row, so that it need not be visible itself. */
  readonly page?: ParentProduct | undefined;
};

export function productDraft({ at, readDraft }: DialectRow, context: MagentoProductContext): Draft {
  const { storeUrl, attributes, dateOrder = null, page } = context;
  const mapped = readDraft();
  const key = at("url_key");
  const link = key === undefined ? undefined : shopLink(storeUrl, `/${encodeURIComponent(key)}.html`);
  const isHidden = isNotVisible(at("visibility"));
  const own: Draft = {
    ...attributes(at("additional_attributes")),
    ...without(mapped, "id"),
    ...defined({
      id: at("sku"),
      link: mapped.link ?? link,
      availability: availabilityOf(at),
      categories: nonEmpty(categoryPaths(at("categories"))),
      saleFrom: isoDate(at("special_price_from_date"), dateOrder),
      saleTo: isoDate(at("special_price_to_date"), dateOrder),
      published: publication(at("product_online"), isHidden && page === undefined),
    }),
  };
  return withImages(withoutUntrackedQuantity(withShownPrices(own)), rowImages(at, storeUrl));
}

/** The words of `visibility` in the languages of Magento's admin; 1 is used in files written by hand. */
export function isNotVisible(text: string | undefined): boolean {
  return /individ|einzeln|singolarmente|^1$/i.test(text ?? "");
}

/** Why the row is not for sale; undefined when it is. `product_online` is 1, or 2 for disabled. */
function publication(online: string | undefined, isHidden: boolean): string | undefined {
  return disabledUnless(online) ?? (isHidden ? "not visible individually" : undefined);
}

const MEDIA = "/media/catalog/product";

function rowImages(at: DialectRow["at"], storeUrl: string | undefined): string[] {
  const hidden = new Set(["no_selection", ...imageParts(at("hide_from_product_page"))]);
  const main = at("base_image", "small_image", "thumbnail_image") ?? [];
  return [main, ...imageParts(at("additional_images"))]
    .flat()
    .filter((image) => !hidden.has(image))
    .map((image) => (image.startsWith("/") ? shopLink(storeUrl, `${MEDIA}${image}`) : image));
}

type SoldRow = { readonly sku: string; readonly isHidden: boolean };

/** What a page adds to a row it sells. A row that is visible has a page of its own as well. */
export function withParent(page: ParentProduct, own: Draft, row: SoldRow): Draft {
  const { kind, draft: product, isEnabled } = page;
  const published = own.published ?? (isEnabled || !row.isHidden ? undefined : "disabled");
  const [first, second] = row.isHidden ? [product.link, own.link] : [own.link, product.link];
  const sold = defined({ link: first ?? second, published });
  return kind === "grouped" ? { ...own, ...sold } : { ...variantOf(page, own, row.sku), ...sold };
}

function variantOf({ draft: product, options, isInStock }: ParentProduct, own: Draft, sku: string): Draft {
  const choices = options[sku] ?? [];
  const codes = new Set(choices.map(({ code }) => code));
  // The product's row has the values that the variant is chosen by.
  const described = without(own, ...VARIANT_TRAITS.filter((field) => codes.has(field)));
  const draft: Draft = {
    ...variantDraft(without(product, "published", "weight", "weightUnit"), described),
    ...defined({
      groupId: product.id,
      groupTitle: product.title,
      options: nonEmpty(choices.map(({ name, value }) => ({ name, value }))),
      availability: isInStock ? own.availability : "out of stock",
      weight: own.weight ?? product.weight,
    }),
  };
  return withImages(draft, [...imagesOf(own), ...imagesOf(product)]);
}
