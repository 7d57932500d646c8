/** What every kind of run is given: the parts it may use, and its own run to report on and to finish. */
import type { HttpClient } from "../lib/outbound/http-client.ts";
import type { Log } from "../lib/log.ts";
import type { FeedFolders } from "../publish/local-files.ts";
import type { Sealer } from "../lib/seal.ts";
import type { Connector } from "../sources/source.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Db, Queries } from "../store/db.ts";
import type { ClaimedRun, RunEnd } from "../store/runs.ts";

export type JobDeps = {
  readonly db: Db;
  readonly http: HttpClient;
  readonly connectors: Readonly<Record<string, Connector>>;
  readonly openSecrets: (sealed: Buffer | null) => Readonly<Record<string, string>>;
  /** For tests of sources, whose requests and answers are sealed. */
  readonly sealer: Sealer;
  /** Where a hosted feed is read. */
  readonly feedUrl: (catalog: Pick<Catalog, "slug" | "feedTokenSealed">, file: string) => string;
  readonly openFeedToken: (sealed: Buffer) => string;
  readonly folders: FeedFolders;
  /** A folder for what is downloaded and thrown away. */
  readonly spoolRoot: string;
  readonly log: Log;
};

export type Job = {
  readonly run: ClaimedRun;
  /** Names this attempt at the run: whoever takes the run up after us has another name. */
  readonly attempt: string;
  /** Aborts when the worker is told to stop or the lease is lost. */
  readonly signal: AbortSignal;
  /** Hands over a view of the numbers so far; the heartbeat writes it down for those who watch. */
  readonly progress: (stats: () => object) => void;
  /** Finishes the run in the caller's transaction and says when, or throws so that the transaction is undone. */
  readonly finish: (tx: Queries, end: RunEnd) => Promise<Date>;
};
