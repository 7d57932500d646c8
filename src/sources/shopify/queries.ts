/**
 * Everything we ask Shopify, as text. A test checks each question against the vendor's own schema of every API
 * version we accept, so a field that is misspelled, gone or on its way out is found before a shop finds it.
 */
import type { MetafieldRule } from "./metafields.ts";

/** Pinned here and nowhere else. Supported by Shopify until at least 2027-10-01. */
export const API_VERSION = "2026-10";

/** What the settings of a source add to the questions. Bulk operations take no variables, so it is in the text. */
export type Extras = {
  readonly country: string | null;
  readonly metafields: readonly MetafieldRule[];
  /** Only what no item can do without: for a shop that does not understand the rest. */
  readonly isLean?: boolean;
};

/** More than any feed takes; the same number on both ways, so that the way does not change an item. */
export const MOST_MEDIA = 20;

export const SHOP_QUERY = `query ShelfwireShop($filter: String!) {
  shop {
    name myshopifyDomain currencyCode taxesIncluded
    primaryDomain { host }
    shopAddress { countryCodeV2 }
    plan { publicDisplayName }
  }
  currentAppInstallation { accessScopes { handle } }
  listed: productsCount(query: $filter, limit: null) { count }
  draft: productsCount(query: "status:draft", limit: null) { count }
  archived: productsCount(query: "status:archived", limit: null) { count }
  unlisted: productsCount(query: "status:unlisted", limit: null) { count }
}`;

export const COUNT_QUERY = `query ShelfwireCount($filter: String!) {
  productsCount(query: $filter, limit: null) { count }
}`;

export const RUN_BULK = `mutation ShelfwireBulk($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: false) {
    bulkOperation { id status }
    userErrors { code message }
  }
}`;

export const POLL_BULK = `query ShelfwireBulkState($id: ID!) {
  bulkOperation(id: $id) { id status errorCode objectCount rootObjectCount fileSize url }
}`;

export const CANCEL_BULK = `mutation ShelfwireBulkCancel($id: ID!) {
  bulkOperationCancel(id: $id) { bulkOperation { id status } userErrors { message } }
}`;

/** One product with everything that is asked of it: whether the shop understands our questions at all. */
export function trialQuery(extras: Extras): string {
  return `query ShelfwireTrial($filter: String!) {
  products(first: 1, query: $filter) {
    nodes { ${productFields(extras)} variants(first: 1) { nodes { ${variantFields(extras)} } } }
  }
}`;
}

/** A page of products, by ascending id, each with its first variants. */
export function pageQuery(extras: Extras): string {
  return `query ShelfwireProducts($first: Int!, $after: String, $filter: String!, $variants: Int!) {
  products(first: $first, after: $after, query: $filter, sortKey: ID) {
    nodes {
      ${productFields(extras)}
      media(first: ${MOST_MEDIA}) { nodes { ${MEDIA_FIELDS} } }
      variants(first: $variants) {
        nodes { ${variantFields(extras)} media(first: 1) { nodes { ${IMAGE_FIELDS} } } }
        pageInfo { hasNextPage endCursor }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;
}

/** Further variants of one product. */
export function variantsQuery(extras: Extras): string {
  return `query ShelfwireVariants($id: ID!, $first: Int!, $after: String) {
  product(id: $id) {
    variantsCount { count }
    variants(first: $first, after: $after) {
      nodes { ${variantFields(extras)} media(first: 1) { nodes { ${IMAGE_FIELDS} } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;
}

/** The whole shop in one operation: four connections, two levels deep; five and two are the most there may be. */
export function bulkQuery(extras: Extras, filter: string): string {
  return `{
  products(query: ${JSON.stringify(filter)}) {
    edges { node {
      ${productFields(extras)}
      media { edges { node { ${MEDIA_FIELDS} } } }
      variants { edges { node {
        ${variantFields(extras)}
        media { edges { node { ${IMAGE_FIELDS} } } }
      } } }
    } }
  }
}`;
}

const IMAGE_FIELDS = `__typename id ... on MediaImage { image { url } }`;
const MEDIA_FIELDS = `${IMAGE_FIELDS} ... on Video { sources { url mimeType } }`;

function productFields({ metafields, isLean = false }: Extras): string {
  return `__typename id legacyResourceId handle title descriptionHtml vendor productType status isGiftCard
      ${isLean ? "" : "combinedListingRole"} onlineStoreUrl category { fullName } variantsCount { count }
      ${metafields.map(metafieldField).join("\n      ")}`;
}

function variantFields({ country, metafields }: Extras): string {
  return `__typename id legacyResourceId sku barcode price compareAtPrice availableForSale inventoryPolicy
        sellableOnlineQuantity selectedOptions { name value }
        unitPriceMeasurement { quantityUnit quantityValue referenceUnit referenceValue }
        inventoryItem { tracked requiresShipping measurement { weight { value unit } } }
        ${country === null ? "" : contextualPrice(country)}
        ${metafields
          .filter(({ isOfVariant }) => isOfVariant)
          .map(metafieldField)
          .join("\n        ")}`;
}

function contextualPrice(country: string): string {
  return `contextualPricing(context: { country: ${country} }) {
          price { amount currencyCode } compareAtPrice { amount currencyCode }
        }`;
}

function metafieldField({ alias, namespace, key }: MetafieldRule): string {
  return `${alias}: metafield(namespace: ${JSON.stringify(namespace)}, key: ${JSON.stringify(key)}) { value }`;
}
