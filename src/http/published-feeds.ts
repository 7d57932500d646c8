/**
 * What stands behind each feed URL. The database is asked every time; while it is away, the last answer it gave counts,
 * so that a restart of PostgreSQL never shows a reader of the feeds an error. What is remembered is loaded whenever the
 * connection for notices is there (again), when a catalog is published, and when the database answers something else
 * than what is remembered; a few hundred bytes a catalog.
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

/** A look-up takes a millisecond; a database that needs longer than this is as good as away. */
const PATIENCE_MS = 2_000;

export function publishedFeeds({ db, notices }: PublishedFeedsDeps): PublishedFeeds {
  const bySlug = new Map<string, Publication>();

  async function load(catalogId: string | null): Promise<void> {
    for (const publication of await listPublications(db, catalogId))
      bySlug.set(publication.slug, publication);
  }
  // Failing to load leaves what was known before: the next publication, or the next look-up, loads it again.
  const loadQuietly = (catalogId: string | null) => void load(catalogId).catch(() => undefined);
  loadQuietly(null);
  const close = notices.on((notice) => {
    if (notice.about === "published") loadQuietly(notice.id);
    // Publications may have been announced while the connection was broken.
    if (notice.about === "connected") loadQuietly(null);
  });

  function remembered({ slug, tokenHash, file }: FeedAddress): PublishedFile | undefined {
    const known = bySlug.get(slug);
    return known !== undefined && opens(known, tokenHash) ? known.files[file] : undefined;
  }

  /** Asks the database, and corrects what is remembered by its answer. */
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

/** The token of the feeds, or the one before it while a rotation lasts. */
function opens({ tokenHash, previousTokenHash, previousTokenUntil }: Publication, given: Buffer): boolean {
  if (timingSafeEqual(tokenHash, given)) return true;
  if (previousTokenHash === null || previousTokenUntil === null) return false;
  return timingSafeEqual(previousTokenHash, given) && previousTokenUntil > new Date();
}
