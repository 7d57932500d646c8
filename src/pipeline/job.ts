/** What every kind of run gets: its dependencies, and its own run to report on and to finish. */
import type { RunPhase, SyncIssue } from "../contract/runs.ts";
import type { HttpClient } from "../lib/outbound/http-client.ts";
import type { MailClient } from "../lib/outbound/mail-client.ts";
import type { Log } from "../lib/log.ts";
import type { FeedFolders } from "../files/feed-folders.ts";
import type { Encryption } from "../lib/encryption.ts";
import type { Connector } from "../sources/source.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Db, Queries } from "../store/db.ts";
import type { ClaimedRun, RunEnd } from "../store/runs.ts";
import type { ModelSettings } from "./enrich/model-client.ts";
import type { FeedThreadUse } from "./render/feed-threads.ts";

export type JobDeps = {
  readonly db: Db;
  readonly http: HttpClient;
  readonly connectors: Readonly<Record<string, Connector>>;
  readonly decryptSecrets: (encrypted: Buffer | null) => Readonly<Record<string, string>>;
  /** For tests of sources, whose requests and answers are encrypted. */
  readonly encryption: Encryption;
  /** The public address of the service. */
  readonly baseUrl: string;
  readonly feedUrl: (catalog: Pick<Catalog, "slug" | "feedTokenEncrypted">, file: string) => string;
  readonly decryptFeedToken: (encrypted: Buffer) => string;
  readonly folders: FeedFolders;
  readonly spoolRoot: string;
  readonly log: Log;
  /** Mails alerts; undefined if SMTP_URL is not set. */
  readonly mail?: MailClient | undefined;
  /** Proposes values that extractors do not find; off unless the operator has one. */
  readonly model?: ModelSettings | undefined;
  /** When renders use threads; by default it depends on the machine. */
  readonly feedThreads?: FeedThreadUse;
};

export type Job = {
  readonly run: ClaimedRun;
  /** Each claim of a run gets a new one; the folder of a render has this name. */
  readonly leaseOwner: string;
  /** Aborts when the worker stops or the lease is lost. */
  readonly signal: AbortSignal;
  /**
   * Returns how long a caller has waited for a sync of the source that follows this one, or null if no caller waits.
   */
  readonly callerWaitMs: () => number | null;
  /** Sets the function that returns the statistics so far, and the phase; the heartbeat stores both. */
  readonly progress: (stats: () => object, phase: RunPhase) => void;
  /** Sets the function that returns the rejections and warnings of a sync; they are stored when the run ends. */
  readonly listIssues: (issues: () => readonly SyncIssue[]) => void;
  /**
   * Finishes the run in the caller's transaction and returns when; throws if the lease is lost, so that the
   * transaction is rolled back.
   */
  readonly finish: (tx: Queries, end: RunEnd) => Promise<Date>;
};
