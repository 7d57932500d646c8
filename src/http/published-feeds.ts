/**
 * The file of each feed URL. An answer of the database is used for some milliseconds, until a notice says that
 * something was published or revoked; docs/adr/0024 has what that guarantees. Requests that need a lookup at the same
 * time share one.
 *
 * While the database is down the last answers are used, so that a restart of PostgreSQL causes no errors for readers.
 * They are loaded when the notices connection (re)connects, and when a catalog is published. A few hundred bytes per
 * catalog.
 */
import { timingSafeEqual } from "node:crypto";
import { batched } from "../lib/batched.ts";
import type { Db } from "../store/db.ts";
import {
  findPublications,
  listFilesOfRuns,
  listPublications,
  PUBLICATION_MAX_AGE_MS,
} from "../store/feed-files.ts";
import type { FeedFileRow, Publication } from "../store/feed-files.ts";
import type { Notices } from "../store/notices.ts";
import { isAway } from "../store/db.ts";

export type FeedAddress = { readonly slug: string; readonly tokenHash: Buffer; readonly file: string };
export type PublishedFile = FeedFileRow & { readonly catalogId: string; readonly runId: string };

export type PublishedFeeds = {
  /**
   * Finds a file without a lookup. Returns undefined if the last lookup is too old, or if the address was not in it:
   * then `find` decides.
   */
  readonly findCached: (address: FeedAddress) => PublishedFile | undefined;
  readonly find: (address: FeedAddress) => Promise<PublishedFile | undefined>;
  readonly close: () => void;
};

export type PublishedFeedsDeps = { readonly db: Db; readonly notices: Notices };

/**
 * An answer of this age is renewed in the background, so that no request of a busy feed waits: a lookup takes a
 * millisecond or two.
 */
const RENEW_MS = PUBLICATION_MAX_AGE_MS / 2;
/** The lookup timeout: a lookup takes a millisecond, so a slower database counts as down. */
const LOOKUP_TIMEOUT_MS = 2_000;
/** A lookup that takes longer than this does not delay the next one. */
const SLOW_LOOKUP_MS = 50;
/** The limit for a server that is cut off from the database, because it does not learn that a URL was revoked. */
const MAX_AWAY_MS = 86_400_000;

type Files = Readonly<Record<string, PublishedFile>>;
type CachedPublication = {
  readonly publication: Publication;
  readonly files: Files;
  /** When its last lookup began. */
  readonly askedAt: number;
};

export function publishedFeeds(
  { db, notices }: PublishedFeedsDeps,
  { maxAwayMs = MAX_AWAY_MS } = {},
): PublishedFeeds {
  const cache = publicationCache(db);
  const { changedAt, close } = followNotices(notices, cache.load);
  const renewing = new Set<string>();
  let awaySince: number | undefined;

  const lookUp = batched(
    async (slugs) => {
      const answer = cache.lookUp(slugs);
      return { answer, isInTime: await isInTime(answer) };
    },
    { stuckMs: SLOW_LOOKUP_MS },
  );

  const renew = async (slug: string): Promise<void> => {
    renewing.add(slug);
    await lookUp(slug).catch(() => undefined);
    renewing.delete(slug);
  };

  function findWhileAway({ slug, tokenHash, file }: FeedAddress): PublishedFile | undefined {
    awaySince ??= performance.now();
    const entry = cache.get(slug);
    if (entry === undefined || performance.now() - awaySince >= maxAwayMs) return undefined;
    return isValidToken(entry.publication, tokenHash) ? entry.files[file] : undefined;
  }

  return {
    close,
    findCached: ({ slug, tokenHash, file }) => {
      const entry = cache.get(slug);
      if (entry === undefined || entry.askedAt <= changedAt()) return undefined;
      const ageMs = performance.now() - entry.askedAt;
      if (ageMs > PUBLICATION_MAX_AGE_MS || !isValidToken(entry.publication, tokenHash)) return undefined;
      if (ageMs > RENEW_MS && !renewing.has(slug)) void renew(slug);
      return entry.files[file];
    },
    find: async (address) => {
      const { answer, isInTime } = await lookUp(address.slug);
      const last = isInTime ? undefined : findWhileAway(address);
      if (last !== undefined) return last;
      const { publications, askedAt } = await answer;
      awaySince = undefined;
      const publication = publications.get(address.slug);
      if (publication === undefined || !isValidToken(publication, address.tokenHash)) return undefined;
      return (await cache.filesOf(publication, askedAt))[address.file];
    },
  };
}

/** Loads what has changed. `changedAt`: when the last notice of a change came. */
function followNotices({ on }: Notices, load: (catalogId: string | null) => Promise<void>) {
  let changedAt = Number.NEGATIVE_INFINITY;
  // A failed load keeps the old cache: the next notice or request loads it again.
  const loadQuietly = (catalogId: string | null) => void load(catalogId).catch(() => undefined);
  loadQuietly(null);
  const close = on((notice) => {
    if (notice.about === "published") {
      changedAt = performance.now();
      loadQuietly(notice.id);
    }
    // Notices may have been lost while disconnected.
    if (notice.about === "connected") loadQuietly(null);
  });
  return { changedAt: () => changedAt, close };
}

/** The last known publication of each catalog, by slug. */
function publicationCache(db: Db) {
  const known = new Map<string, CachedPublication>();

  const readFiles = batched(
    async (runIds) => Map.groupBy(await listFilesOfRuns(db, runIds), ({ runId }) => runId),
    { stuckMs: SLOW_LOOKUP_MS },
  );

  /** The files of a render never change: they are read once. */
  async function filesOf(publication: Publication, askedAt: number): Promise<Files> {
    const { slug, runId, catalogId } = publication;
    const last = known.get(slug);
    if (last?.publication.runId === runId) return last.files;
    const rows = (await readFiles(runId)).get(runId) ?? [];
    const files = Object.fromEntries(rows.map((row) => [row.file, { ...row, catalogId }]));
    if ((known.get(slug)?.askedAt ?? askedAt) <= askedAt) known.set(slug, { publication, files, askedAt });
    return files;
  }

  function renew(slug: string, publication: Publication | undefined, askedAt: number): void {
    const last = known.get(slug);
    if (last === undefined || last.askedAt > askedAt) return;
    if (publication === undefined) known.delete(slug);
    else if (publication.runId === last.publication.runId)
      known.set(slug, { publication, files: last.files, askedAt });
  }

  return {
    get: (slug: string): CachedPublication | undefined => known.get(slug),
    filesOf,
    lookUp: async (slugs: readonly string[]) => {
      const askedAt = performance.now();
      const rows = await findPublications(db, slugs);
      const publications = new Map(rows.map((row) => [row.slug, row]));
      for (const slug of slugs) renew(slug, publications.get(slug), askedAt);
      return { askedAt, publications };
    },
    /** Loads the publication of one catalog; `null` loads all. */
    load: async (catalogId: string | null): Promise<void> => {
      const askedAt = performance.now();
      const publications = await listPublications(db, catalogId);
      if (publications.length === 0)
        for (const [slug, last] of known) if (last.publication.catalogId === catalogId) known.delete(slug);
      await Promise.all(publications.map(async (publication) => filesOf(publication, askedAt)));
    },
  };
}

async function isInTime(answer: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, LOOKUP_TIMEOUT_MS, false).unref();
  try {
    return await Promise.race([answer.then(() => true), promise]);
  } catch (error) {
    if (isAway(error)) return false;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The current token, or the previous one during the overlap of a rotation. */
function isValidToken(publication: Publication, hash: Buffer): boolean {
  const { tokenHash, previousTokenHash, previousTokenUntil } = publication;
  if (timingSafeEqual(tokenHash, hash)) return true;
  if (previousTokenHash === null || previousTokenUntil === null) return false;
  return timingSafeEqual(previousTokenHash, hash) && previousTokenUntil > new Date();
}
