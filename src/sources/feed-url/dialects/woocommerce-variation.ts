/** A variation of a WooCommerce export with what it shares with its product. */
import type { Draft } from "../../../catalog/draft.ts";
import { type Attribute, attributeField } from "../../product-record/attribute-fields.ts";
import { imagesOf, variantDraft, withImages, without } from "../../product-record/product-draft.ts";

export function variationDraft(parent: Draft, own: Draft, attributes: readonly Attribute[]): Draft {
  const draft = variantDraft(sharedBy(parent, attributes), own);
  const groupId = parent.id ?? parent.sku;
  const link = variationLink(own.link, parent.link);
  const grouped: Draft = {
    ...draft,
    ...(groupId === undefined ? {} : { groupId }),
    ...(parent.title === undefined ? {} : { groupTitle: parent.title }),
    ...(link === undefined ? {} : { link }),
    // A variation of a hidden product is hidden, whatever it says itself.
    ...(isHidden(parent) ? { published: "0" } : {}),
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
  return details === undefined || details.length === 0 ? shared : { ...shared, details };
}

/** The page of a link template is the product's; an address of its own is that page with the choice in it. */
function variationLink(own: string | undefined, product: string | undefined): string | undefined {
  if (own === undefined || product === undefined) return own ?? product;
  return own.startsWith(product) && "?#".includes(own.charAt(product.length)) ? own : product;
}

function isHidden({ published }: Draft): boolean {
  return published !== undefined && published !== "1";
}
