/**
 * All queries that are sent to Shopify. A test checks each of them against Shopify's schemas of the API versions we
 * accept, so that a field that is misspelled, removed or deprecated is found there and not in a shop.
 */
import type { MetafieldRule } from "./metafields.ts";

/** Pinned here and nowhere else. Supported by Shopify until at least 2027-10-01. */
export const API_VERSION = "2026-10";

/** What the settings add to queries. Bulk operations have no variables, so it is part of the text. */
export type Extras = {
  readonly country: string | null;
  readonly metafields: readonly MetafieldRule[];
  /** Leaves out fields that a newer API version may not have. */
  readonly isLean?: boolean;
};

/** More than any feed uses. Pages and bulk operations have the same limit, so that both give the same items. */
export const MAX_MEDIA = 20;

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

export const HOOKS_QUERY = `query ShelfwireHooks($after: String) {
  webhookSubscriptions(first: 100, after: $after) {
    nodes { id topic uri }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Only the id is sent: the product is read afterwards. */
export const CREATE_HOOK = `mutation ShelfwireHookCreate($topic: WebhookSubscriptionTopic!, $uri: String!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri, format: JSON, includeFields: ["id"] }) {
    webhookSubscription { id }
    userErrors { message }
  }
}`;

export const DELETE_HOOK = `mutation ShelfwireHookDelete($id: ID!) {
  webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId userErrors { message } }
}`;

/** One product with all fields, to see whether the shop accepts our queries. */
export function trialQuery(extras: Extras): string {
  return `query ShelfwireTrial($filter: String!) {
  products(first: 1, query: $filter) {
    nodes { ${productFields(extras)} variants(first: 1) { nodes { ${variantFields(extras)} } } }
  }
}`;
}

/** A page of products, by ascending id, each with its first variants. */
export function pageQuery(extras: Extras): string {
  return `query ShelfwireProducts($first: Int!, $filter: String!, $variants: Int!) {
  products(first: $first, query: $filter, sortKey: ID) {
    nodes {
      ${productFields(extras)}
      media(first: ${MAX_MEDIA}) { nodes { ${MEDIA_FIELDS} } }
      variants(first: $variants) { ${variantPage(extras)} }
    }
    pageInfo { hasNextPage }
  }
}`;
}

/**
 * Products by their ids, as they are now: the search index may not have the last change. Null for those that were
 * deleted.
 */
export function nodesQuery(extras: Extras): string {
  return `query ShelfwireNodes($ids: [ID!]!, $variants: Int!) {
  nodes(ids: $ids) {
    ... on Product {
      ${productFields(extras)}
      media(first: ${MAX_MEDIA}) { nodes { ${MEDIA_FIELDS} } }
      variants(first: $variants) { ${variantPage(extras)} }
    }
  }
}`;
}

/** Which products changed, by ascending id. */
export const CHANGES_QUERY = `query ShelfwireChanges($first: Int!, $filter: String!) {
  products(first: $first, query: $filter, sortKey: ID) {
    nodes { id updatedAt }
    pageInfo { hasNextPage }
  }
}`;

/** Which products were deleted. */
export const DELETIONS_QUERY = `query ShelfwireDeletions($first: Int!, $filter: String!) {
  events(first: $first, query: $filter, sortKey: ID) {
    nodes { id ... on BasicEvent { subjectId subjectType } }
    pageInfo { hasNextPage }
  }
}`;

/** Further variants of one product. */
export function variantsQuery(extras: Extras): string {
  return `query ShelfwireVariants($id: ID!, $first: Int!, $after: String) {
  product(id: $id) {
    variantsCount { count }
    variants(first: $first, after: $after) { ${variantPage(extras)} }
  }
}`;
}

function variantPage(extras: Extras): string {
  return `nodes { ${variantFields(extras)} media(first: 1) { nodes { ${IMAGE_FIELDS} } } }
      pageInfo { hasNextPage endCursor }`;
}

/** The whole shop in one operation: four connections, two levels deep. Shopify allows five and two. */
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
  return `__typename id legacyResourceId updatedAt handle title descriptionHtml vendor productType tags status isGiftCard
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
