/**
 * The composition root: settings become running parts, opened in order and closed in the reverse. Everything below
 * gets its parts as arguments from here.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { AppError } from "../errors.ts";
import { type AllowList, parseAllowList } from "../lib/outbound/allow-list.ts";
import { withBundledFiles } from "../lib/bundled-files.ts";
import { httpClient } from "../lib/outbound/http-client.ts";
import { type Poster, poster } from "../lib/outbound/poster.ts";
import { sealer } from "../lib/seal.ts";
import type { Sealer } from "../lib/seal.ts";
import type { JobDeps } from "../pipeline/job.ts";
import { localFeedFolders } from "../publish/local-files.ts";
import { feedUrls } from "../setup/feed-urls.ts";
import { openSecrets } from "../setup/sources.ts";
import { CONNECTORS } from "../sources/registry.ts";
import { openDb } from "../store/db.ts";
import type { Db, DbTarget } from "../store/db.ts";
import { openEmbedded } from "../store/embedded.ts";
import { migrate } from "../store/migrate.ts";
import { listenForNotices } from "../store/notices.ts";
import type { Notices } from "../store/notices.ts";
import { waitForDb } from "../store/wait-for-db.ts";
import { readableLine } from "./log-lines.ts";
import { SAMPLE_DIR, USER_AGENT } from "./program.ts";
import { secretKeyOf } from "./secret-key.ts";

const SCHEMA = "shelfwire";

export type System = {
  readonly config: Config;
  readonly isEmbedded: boolean;
  readonly target: DbTarget;
  readonly db: Db;
  readonly notices: Notices;
  readonly sealer: Sealer;
  /** Of ALLOW_PRIVATE_TARGETS. */
  readonly allow: AllowList;
  /** For webhooks. */
  readonly poster: Poster;
  readonly log: Logger;
  /** What runs need; the command line works with the same parts as the worker. */
  readonly jobs: JobDeps;
  readonly close: () => Promise<void>;
};

export type SystemOptions = {
  /** How the process shows up in the database's list of connections. */
  readonly name: string;
  readonly log: {
    readonly level: string;
    readonly stream: (text: string) => void;
    /** For a person at a terminal. */
    readonly isReadable?: boolean;
  };
  /** The most connections to the database this process may need at once, beside its own for notices and locks. */
  readonly connections?: number;
  /** The longest any statement of this process may take, once the schema is up to date. */
  readonly statementMs?: number;
  /** For a process that stays: until this aborts, a database that is away at the start is waited for. */
  readonly waiting?: { readonly signal: AbortSignal; readonly onAway?: () => void };
};

export async function openSystem(
  config: Config,
  { name, log: logOptions, connections = 10, statementMs, waiting }: SystemOptions,
): Promise<System> {
  const log = openLog(name, logOptions);
  await using parts = new AsyncDisposableStack();
  const { dataDir } = config;
  await mkdir(dataDir, { recursive: true });
  const seal = sealer(config.secretKey ?? (await secretKeyOf(dataDir)));

  const target = { connectionString: await databaseOf(config, dataDir, { log, parts }), schema: SCHEMA };
  await migrateAtStart(target, name, { log, waiting });
  const db = openDb(target, { max: connections, name, ...(statementMs !== undefined && { statementMs }) });
  parts.defer(db.close);
  const notices = await listenForNotices(target);
  parts.defer(notices.close);
  const http = withBundledFiles(
    httpClient({ allowPrivate: config.allowPrivateTargets, userAgent: USER_AGENT }),
    SAMPLE_DIR,
  );
  parts.defer(http.close);
  const webhooks = poster({ allowPrivate: config.allowPrivateTargets });
  parts.defer(webhooks.close);

  const closing = parts.move();
  return {
    config,
    isEmbedded: config.databaseUrl === null,
    target,
    db,
    notices,
    sealer: seal,
    allow: parseAllowList(config.allowPrivateTargets),
    poster: webhooks,
    log,
    jobs: {
      db,
      http,
      connectors: CONNECTORS,
      openSecrets: openSecrets(seal),
      feedUrl: feedUrls(config.baseUrl, seal),
      folders: localFeedFolders(join(dataDir, "feeds")),
      spoolRoot: join(dataDir, "spool"),
      log,
    },
    close: async () => closing.disposeAsync(),
  };
}

/** The database alone, as it is: not migrated, without any of the other parts. */
export async function openTarget(
  config: Config,
  { name, log, parts }: Pick<SystemOptions, "name" | "log"> & { readonly parts: AsyncDisposableStack },
): Promise<DbTarget> {
  await mkdir(config.dataDir, { recursive: true });
  const connectionString = await databaseOf(config, config.dataDir, { log: openLog(name, log), parts });
  return { connectionString, schema: SCHEMA };
}

function openLog(name: string, { level, stream, isReadable }: SystemOptions["log"]): Logger {
  const write = isReadable ? (line: string) => stream(readableLine(line)) : stream;
  return pino({ level, base: { process: name } }, { write });
}

async function migrateAtStart(
  target: DbTarget,
  name: string,
  { log, waiting }: { readonly log: Logger; readonly waiting: SystemOptions["waiting"] },
): Promise<void> {
  if (waiting === undefined) return migrateOnce(target, name);
  const onAway = ({ cause }: AppError) => {
    log.warn({ reason: String(cause) }, "the database does not answer; waiting for it");
    waiting.onAway?.();
  };
  return waitForDb(async () => migrateOnce(target, name), { signal: waiting.signal, onAway });
}

/** On a connection of its own: a migration may take as long as it needs. */
async function migrateOnce(target: DbTarget, name: string): Promise<void> {
  const db = openDb(target, { max: 1, name });
  try {
    await migrate(db);
  } finally {
    await db.close();
  }
}

async function databaseOf(
  config: Config,
  dataDir: string,
  { log, parts }: { log: Logger; parts: AsyncDisposableStack },
): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const embedded = await openEmbedded({ dataDir, log: (event, fields) => log.debug(fields ?? {}, event) });
  parts.defer(embedded.close);
  return embedded.connectionString;
}
