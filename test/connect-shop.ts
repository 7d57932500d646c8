/** A catalog with a source of a fake shop. */
import { addSource } from "../src/setup/sources.ts";
import type { AnyShop } from "./fakes/any-shop.ts";
import type { Installation, TestCatalog } from "./installation.ts";

export type Connected = { readonly catalog: TestCatalog; readonly source: string };

type SourceInput = Parameters<typeof addSource>[2];

export async function connectShop(
  { db, jobs, createCatalog }: Installation,
  { kind, settings }: AnyShop,
  { settings: more = {}, ...input }: Partial<SourceInput> = {},
): Promise<Connected> {
  const catalog = await createCatalog({
    settings: { currency: "EUR", country: "DE", sellerName: "Shop", storeUrl: "https://shop.example/" },
  });
  const { id: source } = await addSource(db, jobs.encryption, {
    catalogId: catalog.id,
    kind,
    settings: { ...settings, ...more },
    intervalS: 21_600,
    ...input,
  });
  return { catalog, source };
}
