/**
 * Makes the parts of the program from its settings, and closes them in reverse order. Other modules get them as
 * arguments.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pino, stdTimeFunctions } from "pino";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Senders } from "../destinations/send.ts";
import { AppError } from "../errors.ts";
import { type AllowList, parseAllowList } from "../lib/outbound/allow-list.ts";
import { exists } from "../lib/files.ts";
import { withBundledFiles } from "../lib/bundled-files.ts";
import { httpClient } from "../lib/outbound/http-client.ts";
import { type WebhookHttpClient, webhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import { type MailClient, mailClient } from "../lib/outbound/mail-client.ts";
import { socketClient } from "../lib/outbound/socket-client.ts";
import { uploadHttpClient } from "../lib/outbound/upload-http-client.ts";
import { createEncryption } from "../lib/encryption.ts";
import type { Encryption } from "../lib/encryption.ts";
import type { ModelSettings } from "../pipeline/enrich/model-client.ts";
import type { JobDeps } from "../pipeline/job.ts";
import { markRecovered } from "../pipeline/restored.ts";
import { feedFolders } from "../files/feed-folders.ts";
import { decryptFeedToken } from "../setup/catalogs.ts";
import { feedUrls } from "../setup/feed-urls.ts";
import { decryptSecrets } from "../setup/sources.ts";
import { CONNECTORS } from "../sources/registry.ts";
import { openDb } from "../store/db.ts";
import type { Db, DbTarget } from "../store/db.ts";
import { openEmbedded, recoveredMarker } from "../store/embedded.ts";
import { acquireLock } from "../store/lock.ts";
import { IN_USE_LOCK, listenForNotices } from "../store/notices.ts";
import type { Notices } from "../store/notices.ts";
import { waitForDb } from "../store/wait-for-db.ts";
import { prepareDataDir } from "./data-dir.ts";
import { readableLine } from "./log-lines.ts";
import { type MigrationWaitOptions, migrateAtStart } from "./migrate-at-start.ts";
import { SAMPLE_DIR, USER_AGENT } from "./program.ts";
import { finishKeyRotation, hasNextKey, decryptsData, SECRET_KEY_FILE, secretKeyOf } from "./secret-key.ts";

const SCHEMA = "shelfwire";
const NEVER = new AbortController().signal;

export type System = {
  readonly config: Config;
  readonly isEmbedded: boolean;
  readonly target: DbTarget;
  readonly db: Db;
  readonly notices: Notices;
  readonly encryption: Encryption;
  /** Of ALLOW_PRIVATE_TARGETS, and this machine while only this machine is served. */
  readonly allow: AllowList;
  /** For webhooks. */
  readonly webhookHttpClient: WebhookHttpClient;
  /** For destinations. */
  readonly senders: Senders;
  /** For alerts; undefined if SMTP_URL is not set. */
  readonly mail: MailClient | undefined;
  readonly log: Logger;
  /** What runs need; the command line works with the same parts as the worker. */
  readonly jobs: JobDeps;
  /** Aborts when the process is asked to stop. */
  readonly stopping: AbortSignal;
  readonly close: () => Promise<void>;
};

export type SystemOptions = {
  /** The name of the process in the log and in the database's list of connections. */
  readonly name: string;
  readonly log: {
    readonly level: string;
    readonly stream: (text: string) => void;
    /** For a person at a terminal. */
    readonly isReadable?: boolean;
  };
  /** Aborts opening. */
  readonly signal?: AbortSignal;
  /** Logs what the start is waiting for. */
  readonly showsProgress?: boolean;
  /** Maximum of database connections, in addition to those for notices and locks. */
  readonly connections?: number;
  /** Time limit of each statement; migrations have none. */
  readonly statementMs?: number;
  /** For a service. */
  readonly waiting?: MigrationWaitOptions;
};

export async function openSystem(
  config: Config,
  {
    name,
    log: logOptions,
    connections = 10,
    statementMs,
    showsProgress = false,
    signal = NEVER,
    waiting,
  }: SystemOptions,
): Promise<System> {
  const log = openLog(name, logOptions);
  const progress = (message: string) => (showsProgress ? log.info({}, message) : undefined);
  await using parts = new AsyncDisposableStack();
  const { dataDir } = config;
  const target = await openDatabase(config, { log, parts, signal, progress });
  const db = openDb(target, { max: connections, name, ...(statementMs !== undefined && { statementMs }) });
  parts.defer(db.close);
  // Without a time limit for its statements, `db` can migrate: a command opens one connection less.
  await migrateAtStart(statementMs === undefined ? db : { target, name }, { log, waiting, progress });
  await finishRecovery(db, { config, log, signal });
  const notices = await listenForNotices(target);
  parts.defer(notices.close);
  const key = config.secretKey ?? (await readSecretKey(dataDir, db));
  if (waiting) await requireFittingKey(db, config, key, waiting);
  const encryption = createEncryption(key);
  const targets = targetsOf(config);
  const http = withBundledFiles(httpClient({ ...targets, userAgent: USER_AGENT }), SAMPLE_DIR);
  parts.defer(http.close);
  const webhooks = webhookHttpClient(targets);
  parts.defer(webhooks.close);
  const { senders, mail } = openSenders(config, parts);

  const closing = parts.move();
  return {
    config,
    isEmbedded: config.databaseUrl === null,
    target,
    db,
    notices,
    encryption,
    allow: parseAllowList(targets.allowPrivate, { loopback: targets.allowLoopback }),
    webhookHttpClient: webhooks,
    senders,
    mail,
    log,
    jobs: { db, http, log, mail, ...jobParts(config, encryption) },
    stopping: signal,
    close: async () => closing.disposeAsync(),
  };
}

/** A database that was recovered to an earlier time is a restored copy: the original may still run. */
async function finishRecovery(
  db: Db,
  { config, log, signal }: Pick<OpenSystemOptions, "log" | "signal"> & { readonly config: Config },
): Promise<void> {
  signal.throwIfAborted();
  const marker = recoveredMarker(config.dataDir);
  if (config.databaseUrl !== null || !(await exists(marker))) return;
  await db.tx(markRecovered);
  await rm(marker, { force: true });
  log.warn(
    {},
    "the database was recovered to an earlier time; this copy sends nothing until shelfwire resume",
  );
}

const targetsOf = ({ allowPrivateTargets: allowPrivate, allowLoopback }: Config) => ({
  allowPrivate,
  allowLoopback,
});

type AllSenders = { readonly senders: Senders; readonly mail: MailClient | undefined };

function openSenders(config: Config, parts: AsyncDisposableStack): AllSenders {
  const { smtpUrl: server, mailFrom: from } = config;
  const targets = targetsOf(config);
  const sockets = socketClient(targets);
  parts.defer(sockets.close);
  const uploads = uploadHttpClient(targets);
  parts.defer(uploads.close);
  return {
    senders: { sockets, uploads, userAgent: USER_AGENT },
    mail: server && from ? mailClient({ server, from, sockets }) : undefined,
  };
}

const jobParts = ({ baseUrl, dataDir, ...config }: Config, encryption: Encryption) => ({
  model: modelOf(config),
  connectors: CONNECTORS,
  decryptSecrets: decryptSecrets(encryption),
  encryption,
  baseUrl,
  feedUrl: feedUrls(baseUrl, encryption),
  decryptFeedToken: decryptFeedToken(encryption),
  folders: feedFolders(join(dataDir, "feeds")),
  spoolRoot: join(dataDir, "spool"),
});

/** The settings are all there, or none. */
function modelOf(config: Omit<Config, "baseUrl" | "dataDir">): ModelSettings | undefined {
  const { enrichBaseUrl: baseUrl, enrichApiKey: apiKey, enrichModel: name } = config;
  if (baseUrl === null || apiKey === null || name === null) return undefined;
  const { enrichMaxItems: maxItems, enrichMaxCharacters: maxCharacters } = config;
  return { baseUrl, apiKey, name, maxItems, maxCharacters };
}

/** The key in the data folder. Read while the connection for notices is open, which prevents a rotation. */
async function readSecretKey(dataDir: string, db: Db): Promise<string> {
  if (hasNextKey(dataDir)) {
    const release = await acquireLock(db.target, IN_USE_LOCK, "shared");
    if (!release)
      throw new AppError("conflict", "The secret key is being rotated. Start again when that is done.");
    await finishKeyRotation(dataDir, db);
    await release();
  }
  return secretKeyOf(dataDir);
}

type ProgressOutput = { readonly talk: (text: string) => void; readonly isTerminal: boolean };

/** For a command: warnings and errors only. */
export const commandLog = (io: ProgressOutput): Pick<SystemOptions, "name" | "log"> => ({
  name: "shelfwire-cli",
  log: { level: "warn", stream: io.talk, isReadable: io.isTerminal },
});

/** For processes that keep running. */
export const serviceLog = (
  { logLevel: level, logFormat }: Config,
  io: ProgressOutput,
): SystemOptions["log"] => ({
  level,
  stream: io.talk,
  isReadable: logFormat === "auto" ? io.isTerminal : logFormat === "text",
});

/** For processes that keep running: each of their runs, feeds and deliveries would fail on its own with a wrong key. */
async function requireFittingKey(
  db: Db,
  { secretKey, dataDir }: Config,
  key: string,
  { signal, onAway = () => undefined }: MigrationWaitOptions,
): Promise<void> {
  if (await waitForDb(async () => decryptsData(db, key), { signal, onAway })) return;
  const name = secretKey === null ? `The key in ${join(dataDir, SECRET_KEY_FILE)}` : "SECRET_KEY";
  throw new AppError(
    "config_invalid",
    `${name} is not the key that the stored secrets were encrypted with. Start with that key, or restore a backup made with this one.`,
  );
}

/** Opens only the database, without migrating it, for a command that needs no other part. */
export async function openTarget(
  config: Config,
  io: ProgressOutput,
  parts: AsyncDisposableStack,
): Promise<DbTarget> {
  const { name, log } = commandLog(io);
  return openDatabase(config, { log: openLog(name, log), parts, signal: NEVER, progress: () => undefined });
}

function openLog(name: string, { level, stream, isReadable }: SystemOptions["log"]): Logger {
  const write = isReadable ? (line: string) => stream(readableLine(line, level)) : stream;
  return pino(
    {
      level,
      base: { process: name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
}

type OpenSystemOptions = {
  readonly log: Logger;
  readonly parts: AsyncDisposableStack;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
};

/** Starts the embedded PostgreSQL, unless DATABASE_URL is set. */
async function openDatabase(
  config: Config,
  { log, parts, signal, progress }: OpenSystemOptions,
): Promise<DbTarget> {
  const dataDir = await prepareDataDir(config.dataDir);
  if (config.databaseUrl !== null) {
    progress(`connecting to the database at ${URL.parse(config.databaseUrl)?.host || "DATABASE_URL"}`);
    return { connectionString: config.databaseUrl, schema: SCHEMA };
  }
  progress(`starting the database in ${dataDir}; the first start takes some seconds`);
  const embedded = await openEmbedded({
    dataDir,
    signal,
    log: (event, fields) => log.debug(fields ?? {}, event),
  });
  parts.defer(embedded.close);
  return { connectionString: embedded.connectionString, schema: SCHEMA };
}
