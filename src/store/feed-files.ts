/** The four files of each render: where they are stored, and the values of their response headers. */
import type { FeedFileName } from "../contract/feeds.ts";
import type { Queries } from "./db.ts";
import { sql } from "./sql.ts";

export type FeedFileRow = {
  readonly file: FeedFileName;
  readonly folder: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly changed: boolean;
  readonly lastModified: Date;
  readonly written: number;
  readonly excluded: number;
};

const COLUMNS = sql`
  f.file, f.folder, f.sha256, f.bytes, f.gzip_bytes as "gzipBytes", f.changed,
  f.last_modified as "lastModified", f.written, f.excluded`;

export async function insertFeedFile(db: Queries, runId: string, file: FeedFileRow): Promise<void> {
  await db.execute(sql`
    insert into feed_files (run_id, file, folder, sha256, bytes, gzip_bytes, zstd_bytes, changed, last_modified, written, excluded)
    values (${runId}, ${file.file}, ${file.folder}, ${file.sha256}, ${file.bytes}, ${file.gzipBytes},
            0, ${file.changed}, ${file.lastModified}, ${file.written}, ${file.excluded})`);
}

export async function listFeedFiles(db: Queries, runId: string): Promise<readonly FeedFileRow[]> {
  return db.query<FeedFileRow>(
    sql`select ${COLUMNS} from feed_files f where f.run_id = ${runId} order by file`,
  );
}

export type PublishedFile = FeedFileRow & { readonly catalogId: string };

export type FeedAddress = { readonly slug: string; readonly tokenHash: Buffer; readonly file: string };

/** One query for every kind of wrong address: a wrong slug, a wrong token and a missing render take the same time. */
export async function findPublishedFile(
  db: Queries,
  { slug, tokenHash, file }: FeedAddress,
): Promise<PublishedFile | undefined> {
  return db.first<PublishedFile>(sql`
    select ${COLUMNS}, c.id as "catalogId"
      from catalogs c join feed_files f on f.run_id = c.published_run_id
     where c.slug = ${slug} and f.file = ${file}
       and c.id not in (select catalog_id from removed_catalogs)
       and (c.feed_token_hash = ${tokenHash}
            or (c.previous_feed_token_hash = ${tokenHash} and c.previous_feed_token_until > now()))`);
}

export type Publication = {
  readonly slug: string;
  readonly tokenHash: Buffer;
  /** The previous token after a rotation, and until when it is valid. */
  readonly previousTokenHash: Buffer | null;
  readonly previousTokenUntil: Date | null;
  readonly files: Readonly<Record<string, PublishedFile>>;
};

/** The publications of one catalog; `null`: of all. */
export async function listPublications(
  db: Queries,
  catalogId: string | null,
): Promise<readonly Publication[]> {
  const rows = await db.query<PublishedFile & Omit<Publication, "files">>(sql`
    select ${COLUMNS}, c.id as "catalogId", c.slug, c.feed_token_hash as "tokenHash",
           c.previous_feed_token_hash as "previousTokenHash", c.previous_feed_token_until as "previousTokenUntil"
      from catalogs c join feed_files f on f.run_id = c.published_run_id
     where (${catalogId}::uuid is null or c.id = ${catalogId}::uuid)
       and c.id not in (select catalog_id from removed_catalogs)`);
  const bySlug = Map.groupBy(rows, ({ slug }) => slug);
  return [...bySlug.values()].flatMap((files) => {
    const [first] = files;
    if (first === undefined) return [];
    const { slug, tokenHash, previousTokenHash, previousTokenUntil } = first;
    const byName = Object.fromEntries(files.map((row) => [row.file, row]));
    return [{ slug, tokenHash, previousTokenHash, previousTokenUntil, files: byName }];
  });
}

export async function neededFolders(
  db: Queries,
  catalogId: string,
  keep: number,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ folder: string }>(sql`
    select distinct folder from feed_files
     where run_id = (select published_run_id from catalogs where id = ${catalogId})
        or run_id in (select id from runs where catalog_id = ${catalogId} and kind = 'render' and state = 'succeeded'
                       order by created_at desc limit ${keep})`);
  return new Set(rows.map(({ folder }) => folder));
}

export async function openFolders(db: Queries, catalogId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ owner: string }>(sql`
    select owner from runs where catalog_id = ${catalogId} and kind = 'render' and state = 'running'`);
  return new Set(rows.map(({ owner }) => owner));
}
