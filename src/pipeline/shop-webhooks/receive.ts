/**
 * A request from a shop: if it is authentic, the products that it names are noted, and a sync soon reads them. Nothing
 * else in it is used, so a request that is sent again has no effect but another read.
 */
import { isUuid } from "../../lib/id.ts";
import type { Encryption } from "../../lib/encryption.ts";
import type { Connector, ShopHookRequest } from "../../sources/source.ts";
import { noteChangedProducts } from "../../store/changed-products.ts";
import type { Queries } from "../../store/db.ts";
import { ENCRYPTION_PURPOSES } from "../../store/encrypted-columns.ts";
import { findShopWebhook } from "../../store/shop-webhooks.ts";
import { requireLive } from "../../store/restores.ts";
import { findSource } from "../../store/sources.ts";

export type ReceiveDeps = {
  readonly db: Queries;
  readonly connectors: Readonly<Record<string, Connector>>;
  readonly encryption: Encryption;
  readonly decryptSecrets: (encrypted: Buffer | null) => Readonly<Record<string, string>>;
};

/** `unknown`: there is no such address (any more), so that the shop gives up. */
export type Received = "accepted" | "unknown" | "not_authentic";

export async function receiveShopWebhook(
  deps: ReceiveDeps,
  id: string,
  request: ShopHookRequest,
): Promise<Received> {
  const found = isUuid(id) ? await findHook(deps, id) : undefined;
  if (found === undefined) return "unknown";
  const { source, webhooks, settings, secret } = found;
  const products = webhooks.receive(request, settings, { secret });
  if (products === null) return "not_authentic";
  // The shop sends it again later, or the next sync reads the product: the webhooks may be those of the original.
  await requireLive(deps.db);
  if (source.enabled) await noteChangedProducts(deps.db, source.id, products);
  return "accepted";
}

async function findHook({ db, connectors, encryption, decryptSecrets }: ReceiveDeps, id: string) {
  const hook = await findShopWebhook(db, id);
  const webhooks = hook && connectors[hook.kind]?.webhooks;
  const source = hook?.sourceId ? await findSource(db, hook.sourceId) : undefined;
  if (!hook || !source || !webhooks) return undefined;
  return {
    source,
    webhooks,
    settings: { ...source.settings, ...decryptSecrets(source.secretsEncrypted) },
    secret: encryption.decrypt(hook.secretEncrypted, ENCRYPTION_PURPOSES.webhookSecret),
  };
}
