/**
 * The nodes that all items of a catalog share: the source of the file, the store, and its return policy. These nodes
 * have absolute ids, and offers refer to them.
 */
import type { Returns } from "../../catalog/item.ts";
import type { FeedContext } from "../channel.ts";
import { MAX_RETURN_COUNTRIES } from "./fields.ts";
import { array, type JsonText, maybeStr, node, reference, str, term } from "./json-text.ts";

export type SchemaOrgStore = {
  readonly seller: JsonText;
  /** The policy of an offer: the shared one unless the item has its own. */
  readonly returnPolicy: (own: Returns | undefined) => JsonText | undefined;
  readonly country: string | undefined;
  readonly sharedNodes: readonly JsonText[];
};

type Terms = { readonly returns: Returns; readonly countries: readonly string[] | undefined };

function countryList(countries: readonly string[]): JsonText | undefined {
  const codes = countries.slice(0, MAX_RETURN_COUNTRIES).map(str);
  return codes.length === 1 ? codes[0] : array(codes);
}

/**
 * A policy counts only with its countries and, when goods can be returned, with the days: an incomplete one is not
 * stated.
 */
function policy({ returns, countries }: Terms, id: string | undefined): JsonText | undefined {
  const { accepted, days, policyUrl } = returns;
  const hasDays = days !== undefined && days > 0;
  if (countries === undefined || accepted === undefined || (accepted && !hasDays)) return undefined;
  return node("MerchantReturnPolicy", {
    "@id": maybeStr(id),
    applicableCountry: countryList(countries),
    returnPolicyCategory: term(accepted ? "MerchantReturnFiniteReturnWindow" : "MerchantReturnNotPermitted"),
    merchantReturnDays: accepted ? String(days) : undefined,
    merchantReturnLink: maybeStr(policyUrl),
  });
}

/** Absolute names even for a store without an address. */
function nameIn({ catalog, settings }: FeedContext): (name: string) => string {
  const page = settings.storeUrl?.replace(/#.*$/s, "");
  return (name) => (page === undefined ? `urn:catalog:${catalog.slug}:${name}` : `${page}#${name}`);
}

function storeReturns({ settings }: FeedContext): Returns {
  return {
    ...(settings.acceptsReturns !== undefined && { accepted: settings.acceptsReturns }),
    ...(settings.returnDays !== undefined && { days: settings.returnDays }),
    ...(settings.returnPolicyUrl !== undefined && { policyUrl: settings.returnPolicyUrl }),
  };
}

function marketsOf({ settings }: FeedContext): readonly string[] | undefined {
  if (settings.targetCountries !== undefined && settings.targetCountries.length > 0)
    return settings.targetCountries;
  return settings.country === undefined ? undefined : [settings.country];
}

/** Without terms, a link to the policy still helps, but only at the store: an offer needs the terms. */
function linkOnly({ policyUrl }: Returns): JsonText | undefined {
  return policyUrl === undefined
    ? undefined
    : node("MerchantReturnPolicy", { merchantReturnLink: str(policyUrl) });
}

/** A feed that is rendered without a catalog may have no name. */
const nameOf = (name: string): JsonText | undefined => maybeStr(name === "" ? undefined : name);

export function schemaOrgStore(context: FeedContext): SchemaOrgStore {
  const { catalog, settings, snapshotAt } = context;
  const name = nameIn(context);
  const returns = storeReturns(context);
  const countries = marketsOf(context);
  const organizationId = name("organization");
  const returnsId = name("returns");
  const sharedPolicy = policy({ returns, countries }, returnsId);
  const sharedReference = sharedPolicy && reference(returnsId);
  const feed = node("DataFeed", {
    "@id": str(`urn:catalog:${catalog.slug}`),
    name: nameOf(catalog.name),
    dateModified: str(snapshotAt.toISOString()),
    inLanguage: maybeStr(settings.language),
    publisher: reference(organizationId),
  });
  const store = node("OnlineStore", {
    "@id": str(organizationId),
    name: nameOf(settings.sellerName ?? catalog.name),
    url: maybeStr(settings.storeUrl),
    hasMerchantReturnPolicy: sharedReference ?? linkOnly(returns),
  });
  return {
    seller: reference(organizationId),
    returnPolicy: (own) =>
      own === undefined ? sharedReference : policy({ returns: { ...returns, ...own }, countries }, undefined),
    country: settings.country,
    sharedNodes: sharedPolicy === undefined ? [feed, store] : [feed, store, sharedPolicy],
  };
}
