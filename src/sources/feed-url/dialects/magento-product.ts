/** One row of Magento's export as a product, the pages that sell other rows, and what these take from them. */
import type { Draft } from "../../../catalog/draft.ts";
import { VARIANT_TRAITS } from "../../../catalog/item.ts";
import type { ColumnPlan } from "../../product-record/columns.ts";
import { imagesOf, shopLink, variantDraft, withImages, without } from "../../product-record/product-draft.ts";
import {
  defined,
  humanized,
  imageParts,
  isYes,
  parts,
  type Row,
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

export function parentProduct(kind: ParentProduct["kind"], draft: Draft, row: Row): ParentProduct {
  return {
    kind,
    draft,
    isEnabled: draft.published === undefined,
    isInStock: row("is_in_stock") !== "0",
    options: kind === "configurable" ? optionsBySku(row) : {},
  };
}

/** `sku=A,color=Red,size=M|sku=B,…`, with the options' labels in a column beside it. */
function optionsBySku(row: Row): ParentProduct["options"] {
  const labels = new Map(pairs(row("configurable_variation_labels")));
  const found: Record<string, Choice[]> = {};
  for (const variation of parts(row("configurable_variations"), "|")) {
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
export function groupedSkus(row: Row): string[] {
  return parts(row("associated_skus"), ",").map((member) => member.replace(/=[^=]*$/, ""));
}

export type ProductContext = {
  readonly attributes: ReadAttributes;
  readonly plan: ColumnPlan;
  readonly storeUrl: string | undefined;
  readonly dateOrder?: DateOrder | null;
  /** The page that sells the row, so that it need not be visible itself. */
  readonly page?: ParentProduct | undefined;
};

export function productDraft(cells: readonly string[], row: Row, context: ProductContext): Draft {
  const { plan, storeUrl, attributes, dateOrder = null, page } = context;
  const mapped = plan.map(cells);
  const key = row("url_key");
  const isHidden = isNotVisible(row("visibility"));
  const own: Draft = {
    ...attributes(row("additional_attributes")),
    ...without(mapped, "id"),
    ...defined({
      id: row("sku"),
      link:
        mapped.link ??
        (key === undefined ? undefined : shopLink(storeUrl, `/${encodeURIComponent(key)}.html`)),
      availability: availabilityOf(row),
      categories: nonEmpty(categoryPaths(row("categories"))),
      saleFrom: isoDate(row("special_price_from_date"), dateOrder),
      saleTo: isoDate(row("special_price_to_date"), dateOrder),
      published: publication(row, isHidden && page === undefined),
    }),
  };
  return withImages(withoutUntrackedQuantity(withShownPrices(own)), rowImages(row, storeUrl));
}

function nonEmpty<Part>(list: readonly Part[]): readonly Part[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** The words of `visibility` in the languages of Magento's admin; 1 is how hand-made files say it. */
export function isNotVisible(text: string | undefined): boolean {
  return /individ|einzeln|singolarmente|^1$/i.test(text ?? "");
}

/** Why the row is not for sale; undefined when it is. `product_online` is 1, or 2 for disabled. */
function publication(row: Row, isHidden: boolean): string | undefined {
  const online = row("product_online");
  if (online !== undefined && !isYes(online)) return "disabled";
  return isHidden ? "not visible individually" : undefined;
}

const MEDIA = "/media/catalog/product";

function rowImages(row: Row, storeUrl: string | undefined): string[] {
  const hidden = new Set(imageParts(row("hide_from_product_page")));
  const images = [
    row("base_image") ?? row("small_image") ?? row("thumbnail_image"),
    ...imageParts(row("additional_images")),
  ];
  return images
    .filter((image) => image !== undefined && image !== "no_selection" && !hidden.has(image))
    .map((image) =>
      image?.startsWith("/") === true ? shopLink(storeUrl, `${MEDIA}${image}`) : (image ?? ""),
    );
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
