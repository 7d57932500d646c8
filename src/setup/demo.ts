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

export type Demo = { readonly catalogId: string; readonly sourceId: string; readonly key: string | null };
export type DemoOptions = {
  readonly intervalS: number;
  /** A key is created only where it can be shown: only its hash is stored. */
  readonly showsKey: boolean;
};

/** Undefined if there is already a catalog. */
export async function createDemo(
  db: Db,
  encryption: Encryption,
  { intervalS, showsKey }: DemoOptions,
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
    const scopes = ["read", "write"] as const;
    const created = showsKey
      ? await createKey(tx, { catalogId, name: "demo", scopes, expiresAt: null })
      : undefined;
    const { id: sourceId } = await addSource(tx, encryption, {
      catalogId,
      kind: "feed_url",
      name: "Sample shop",
      settings: { url: "sample:shop.csv" },
      intervalS,
    });
    return { catalogId, sourceId, key: created?.key ?? null };
  });
}
