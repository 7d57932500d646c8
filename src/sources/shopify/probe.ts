/** A first call that proves the credentials, and what the owner should know of the shop before the first sync. */
import { AppError } from "../../errors.ts";
import type { Probe, ReadContext, SourceSettings } from "../source.ts";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { leftOutSentences } from "./left-out.ts";
import type { ShopifyLimits } from "./limits.ts";
import { API_VERSION } from "./queries.ts";
import { readShopifySettings } from "./settings.ts";
import { readShop, type Shop } from "./shop.ts";

export async function probeShopify(
  settings: SourceSettings,
  context: Pick<ReadContext, "http" | "signal">,
  limits: ShopifyLimits,
): Promise<Probe> {
  const shopify = readShopifySettings(settings);
  const api = adminApi(shopify, context, limits);
  const shop = await readShop(api, shopify);
  requireScope(shop);
  return { facts: factsOf(shop, api), notes: notesOf(shop, api) };
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
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Shop", shop.name],
    ["Address", shop.domain],
    ["Plan", shop.plan],
    ["Country", shop.country],
    ["Currency", shop.currency],
    ["Prices include tax", shop.taxesIncluded === undefined ? undefined : shop.taxesIncluded ? "yes" : "no"],
    ["Products to be read", String(shop.listed)],
    ["API version", api.versionServed() ?? API_VERSION],
    ["Scopes", shop.scopes.join(", ")],
  ];
  return facts.flatMap(([label, value]) => (value === undefined || value === "" ? [] : [{ label, value }]));
}

function notesOf(shop: Shop, api: AdminApi): string[] {
  const notes = leftOutSentences(shop.notAskedFor).map((sentence) =>
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
