/**
 * The file of each feed URL. Every lookup queries the database; while it is down the last result is used, so that a
 * restart of PostgreSQL causes no errors for readers. The cache is loaded when the notices connection (re)connects,
 * when a catalog is published, and when the database returns something else. A few hundred bytes per catalog.
 */
import { timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../store/db.ts";
import { findPublishedFile, listPublications } from "../store/feed-files.ts";
import type { FeedAddress, Publication, PublishedFile } from "../store/feed-files.ts";
import type { Notices } from "../store/notices.ts";
import { isAway } from "../store/wait-for-db.ts";

export type PublishedFeeds = {
  readonly find: (address: FeedAddress) => Promise<PublishedFile | undefined>;
  readonly close: () => void;
};

export type PublishedFeedsDeps = { readonly db: Db; readonly notices: Notices };

/** The lookup timeout: a lookup takes a millisecond, so a slower database counts as down. */
const LOOKUP_TIMEOUT_MS = 2_000;

export function publishedFeeds({ db, notices }: PublishedFeedsDeps): PublishedFeeds {
  const bySlug = new Map<string, Publication>();

  async function load(catalogId: string | null): Promise<void> {
    for (const publication of await listPublications(db, catalogId))
      bySlug.set(publication.slug, publication);
  }
  // A failed load keeps the old cache: the next publication or lookup loads it again.
  const loadQuietly = (catalogId: string | null) => void load(catalogId).catch(() => undefined);
  loadQuietly(null);
  const close = notices.on((notice) => {
    if (notice.about === "published") loadQuietly(notice.id);
    // Notices may have been lost while disconnected.
    if (notice.about === "connected") loadQuietly(null);
  });

  function findCached({ slug, tokenHash, file }: FeedAddress): PublishedFile | undefined {
    const known = bySlug.get(slug);
    return known !== undefined && isValidToken(known, tokenHash) ? known.files[file] : undefined;
  }

  async function findAndCache(address: FeedAddress, known: PublishedFile | undefined) {
    const found = await findPublishedFile(db, address);
    if (found === undefined && known !== undefined) bySlug.delete(address.slug);
    if (found !== undefined && found.folder !== known?.folder) loadQuietly(found.catalogId);
    return found;
  }

  return {
    close,
    find: async (address) => {
      const known = findCached(address);
      const found = findAndCache(address, known);
      if (known === undefined) return found;
      const done = new AbortController();
      const timeout = delay(LOOKUP_TIMEOUT_MS, known, { signal: done.signal, ref: false });
      try {
        return await Promise.race([found, timeout]);
      } catch (error) {
        if (isAway(error)) return known;
        throw error;
      } finally {
        done.abort();
        timeout.catch(() => undefined);
        found.catch(() => undefined);
      }
    },
  };
}

/** The current token, or the previous one during the overlap of a rotation. */
function isValidToken(publication: Publication, hash: Buffer): boolean {
  const { tokenHash, previousTokenHash, previousTokenUntil } = publication;
  if (timingSafeEqual(tokenHash, hash)) return true;
  if (previousTokenHash === null || previousTokenUntil === null) return false;
  return timingSafeEqual(previousTokenHash, hash) && previousTokenUntil > new Date();
}
