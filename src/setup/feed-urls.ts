/** The URLs of the hosted feeds: `{base_url}/f/<catalog_slug>/<token>/<file>`. */
import type { Encryption } from "../lib/encryption.ts";
import type { Catalog } from "../store/catalogs.ts";
import { decryptFeedToken } from "./catalogs.ts";

export type FeedUrl = (catalog: Pick<Catalog, "slug" | "feedTokenEncrypted">, file: string) => string;

export function feedUrls(baseUrl: string, encryption: Encryption): FeedUrl {
  const decrypt = decryptFeedToken(encryption);
  return ({ slug, feedTokenEncrypted }, file) =>
    `${baseUrl}/f/${slug}/${decrypt(feedTokenEncrypted)}/${file}`;
}
