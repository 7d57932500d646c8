/** The URLs of the hosted feeds: `{base_url}/f/<catalog_slug>/<token>/<file>`. */
import type { Sealer } from "../lib/seal.ts";
import type { Catalog } from "../store/catalogs.ts";
import { openFeedToken } from "./catalogs.ts";

export type FeedUrl = (catalog: Pick<Catalog, "slug" | "feedTokenSealed">, file: string) => string;

export function feedUrls(baseUrl: string, sealer: Sealer): FeedUrl {
  const open = openFeedToken(sealer);
  return ({ slug, feedTokenSealed }, file) => `${baseUrl}/f/${slug}/${open(feedTokenSealed)}/${file}`;
}
