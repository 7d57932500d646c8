/** The four files of each render: where they are stored, and the values of their response headers. */
import { setTimeout as delay } from "node:timers/promises";
import type { FeedFileName } from "../contract/feeds.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { Queries } from "./db.ts";
import { prepared, sql } from "./sql.ts";

/** A file that a render wrote. */
export type RenderedFile = {
  readonly file: FeedFileName;
  readonly folder: string;
  readonly etag: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly written: number;
  /** Items that the merchant leaves out. */
  readonly excluded: number;
  /** Items in the file that its destination will refuse. */
  readonly refused: number;
};

export type FeedFileRow = RenderedFile & {
  /** Whether the file has other bytes than the file that was published before. */
  readonly changed: boolean;
  readonly lastModified: Date;
};

const COLUMNS = sql`
  f.file, f.folder, f.etag, f.bytes, f.gzip_bytes, f.changed, f.last_modified, f.written, f.excluded, f.refused`;

/** Saves the files of a render. If the render is published later than it was made, the dates of the files change. */
export async function saveFeedFiles(
  db: Queries,
  runId: string,
  files: readonly FeedFileRow[],
): Promise<void> {
  await db.execute(sql`
    insert into feed_files (run_id, zstd_bytes, file, folder, etag, bytes, gzip_bytes, changed, last_modified, written,
                            excluded, refused)
    select ${runId}::uuid, 0, ${COLUMNS} from jsonb_populate_recordset(null::feed_files, ${JSON.stringify(withSnakeCase(files))}) f
    on conflict (run_id, file) do update set changed = excluded.changed, last_modified = excluded.last_modified`);
}

export async function listFeedFiles(db: Queries, runId: string): Promise<readonly FeedFileRow[]> {
  return db.query<FeedFileRow>(
    sql`select ${COLUMNS} from feed_files f where f.run_id = ${runId} order by file`,
  );
}

type IdentifiedFile = Pick<FeedFileRow, "file" | "etag">;

/** Whether each file has the same bytes as the other file with its name. */
export function areSameFiles(files: readonly IdentifiedFile[], others: readonly IdentifiedFile[]): boolean {
  const etags = new Map(others.map(({ file, etag }) => [file, etag]));
  return files.every(({ file, etag }) => etags.get(file) === etag);
}

/** The render that the feed URLs of a catalog serve, and the tokens that open the URLs. */
export type Publication = {
  readonly slug: string;
  readonly catalogId: string;
  readonly runId: string;
  readonly tokenHash: Buffer;
  /** The previous token after a rotation; null after the overlap. */
  readonly previousTokenHash: Buffer | null;
  readonly previousTokenUntil: Date | null;
};

/**
 * For how long a server uses a publication that it has read, unless a notice says earlier that the publication has
 * changed. See docs/adr/0024.
 */
export const PUBLICATION_MAX_AGE_MS = 50;

/** Waits after a commit until every server answers by the new publication, even if notices were lost. */
export async function publishedEverywhere(): Promise<void> {
  // A timer may be a millisecond early.
  await delay(PUBLICATION_MAX_AGE_MS + 2);
}

const PUBLICATIONS = sql`
  select c.slug, c.id as catalog_id, c.published_run_id as run_id, c.feed_token_hash as token_hash,
         case when c.previous_feed_token_until > now() then c.previous_feed_token_hash end as previous_token_hash,
         c.previous_feed_token_until as previous_token_until
    from catalogs c
   where c.published_run_id is not null and not exists (select 1 from removed_catalogs where catalog_id = c.id)`;

export async function findPublications(
  db: Queries,
  slugs: readonly string[],
): Promise<readonly Publication[]> {
  return db.query<Publication>(prepared(sql`${PUBLICATIONS} and c.slug = any (${slugs})`, "publications"));
}

/** Lists the publication of one catalog; `null` lists all publications. */
export async function listPublications(
  db: Queries,
  catalogId: string | null,
): Promise<readonly Publication[]> {
  return db.query<Publication>(
    catalogId === null ? PUBLICATIONS : sql`${PUBLICATIONS} and c.id = ${catalogId}`,
  );
}

export async function listFilesOfRuns(
  db: Queries,
  runIds: readonly string[],
): Promise<readonly (FeedFileRow & { readonly runId: string })[]> {
  return db.query(sql`
    select ${COLUMNS}, f.run_id from feed_files f where f.run_id = any (${runIds})`);
}

export async function openFolders(db: Queries, catalogId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ owner: string }>(sql`
    select owner from runs
     where catalog_id = ${catalogId} and kind in ('render', 'plan', 'sync_plan') and state = 'running'`);
  return new Set(rows.map(({ owner }) => owner));
}
