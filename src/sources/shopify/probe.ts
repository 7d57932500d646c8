/** A first call that proves the credentials, and what the owner should know of the shop before the first sync. */
import { AppError } from "../../errors.ts";
import type { Probe } from "../source.ts";
import type { AdminApi } from "./admin-api.ts";
import { probeFacts } from "../kit/connector.ts";
import { yesNo } from "../kit/draft.ts";
import { dropSentences } from "../kit/event-builder.ts";
import { DROP_REASONS } from "./drop-reasons.ts";
import { API_VERSION } from "./queries.ts";
import type { OpenShop, Shop } from "./shop.ts";

export function probeShopify({ api, shop }: OpenShop): Promise<Probe> {
  requireScope(shop);
  return Promise.resolve({ facts: factsOf(shop, api), notes: notesOf(shop, api) });
}

/** Who may write products may read them. An app that does not tell its scopes has been let in already. */
function requireScope({ scopes }: Shop): void {
  if (scopes.length === 0 || scopes.includes("read_products") || scopes.includes("write_products")) return;
  throw new AppError(
    "source_unauthorized",
    "The app lacks the scope read_products. Give it this scope in its configuration, release the new version, and approve or install it again on the shop.",
  );
}

function factsOf(shop: Shop, api: AdminApi): Probe["facts"] {
  return probeFacts({
    Shop: shop.name,
    Address: shop.domain,
    Plan: shop.plan,
    Country: shop.country,
    Currency: shop.currency,
    "Prices include tax": yesNo(shop.taxesIncluded),
    "Products to be read": String(shop.listed),
    "API version": api.versionServed() ?? API_VERSION,
    Scopes: shop.scopes.join(", "),
  });
}

function notesOf(shop: Shop, api: AdminApi): string[] {
  const notes = dropSentences(DROP_REASONS, shop.notAskedFor).map((sentence) =>
    sentence.replace(" was left out", " will be left out").replace(" were left out", " will be left out"),
  );
  const served = api.versionServed();
  if (served !== null && served !== API_VERSION) {
    notes.push(
      `Shopify answers with API version ${served} instead of ${API_VERSION}: update this program soon.`,
    );
  }
  if (shop.listed === 0) notes.push("The shop has no active products yet.");
  return notes;
}
