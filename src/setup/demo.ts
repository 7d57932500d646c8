/**
 * The demo: a small shop that ships with the program, so that the first start shows feeds. Created once, in an
 * installation without a catalog.
 */
import type { Encryption } from "../lib/encryption.ts";
import { listCatalogs } from "../store/catalogs.ts";
import type { Db } from "../store/db.ts";
import { createCatalog } from "./catalogs.ts";
import { createKey } from "./keys.ts";
import { addSource } from "./sources.ts";

export const DEMO_SLUG = "demo";

export type Demo = { readonly catalogId: string; readonly sourceId: string; readonly key: string };
export type DemoOptions = {
  readonly intervalS: number;
  /** Stores the key. Called inside the transaction, so that there is never a demo without its key. */
  readonly saveKey: (key: string) => Promise<void>;
};

/** Undefined if there is already a catalog. */
export async function createDemo(
  db: Db,
  encryption: Encryption,
  { intervalS, saveKey }: DemoOptions,
): Promise<Demo | undefined> {
  return db.tx(async (tx) => {
    if ((await listCatalogs(tx)).length > 0) return undefined;
    const { id: catalogId } = await createCatalog(tx, encryption, {
      slug: DEMO_SLUG,
      name: "Fjord & Fern",
      settings: {
        currency: "USD",
        country: "US",
        language: "en",
        sellerName: "Fjord & Fern",
        storeUrl: "https://fjordandfern.example/",
        returnPolicyUrl: "https://fjordandfern.example/returns",
        acceptsReturns: true,
        returnDays: 30,
      },
    });
    const { key } = await createKey(tx, {
      catalogId,
      name: "demo",
      scopes: ["read", "write"],
      expiresAt: null,
    });
    const { id: sourceId } = await addSource(tx, encryption, {
      catalogId,
      kind: "feed_url",
      name: "Sample shop",
      settings: { url: "sample:shop.csv" },
      intervalS,
    });
    await saveKey(key);
    return { catalogId, sourceId, key };
  });
}
