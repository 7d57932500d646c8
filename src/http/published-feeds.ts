/**
 * The file of each feed URL. The database is asked every time; while it is down the last result is used, so that a
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
const PATIENCE_MS = 2_000;

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

  function remembered({ slug, tokenHash, file }: FeedAddress): PublishedFile | undefined {
    const known = bySlug.get(slug);
    return known !== undefined && opens(known, tokenHash) ? known.files[file] : undefined;
  }

  /** Asks the database, and updates the cache. */
  async function ask(address: FeedAddress, known: PublishedFile | undefined) {
    const found = await findPublishedFile(db, address);
    if (found === undefined && known !== undefined) bySlug.delete(address.slug);
    if (found !== undefined && found.folder !== known?.folder) loadQuietly(found.catalogId);
    return found;
  }

  return {
    close,
    find: async (address) => {
      const known = remembered(address);
      const asked = ask(address, known);
      if (known === undefined) return asked;
      const patience = new AbortController();
      const tooLate = delay(PATIENCE_MS, known, { signal: patience.signal, ref: false });
      try {
        return await Promise.race([asked, tooLate]);
      } catch (error) {
        if (isAway(error)) return known;
        throw error;
      } finally {
        patience.abort();
        tooLate.catch(() => undefined);
        asked.catch(() => undefined);
      }
    },
  };
}

/** The current token, or the previous one during the overlap of a rotation. */
function opens({ tokenHash, previousTokenHash, previousTokenUntil }: Publication, given: Buffer): boolean {
  if (timingSafeEqual(tokenHash, given)) return true;
  if (previousTokenHash === null || previousTokenUntil === null) return false;
  return timingSafeEqual(previousTokenHash, given) && previousTokenUntil > new Date();
}
