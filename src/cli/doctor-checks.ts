/** The checks of `shelfwire doctor`: each has a state, what was found, and what to do. */
import { counted } from "../lib/counted.ts";
import { randomBytes } from "node:crypto";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "node:tls";
import type { Config, Env } from "../config.ts";
import { toAppError } from "../errors.ts";
import { lookupName } from "../lib/outbound/name-lookup.ts";
import { isLoopbackUrl } from "../lib/outbound/net-guard.ts";
import { decryptFeedToken } from "../setup/catalogs.ts";
import { CONNECTORS, isSourceKind } from "../sources/registry.ts";
import { listCatalogs } from "../store/catalogs.ts";
import { archiveFacts, serverFacts } from "../store/health.ts";
import { isPooledByTransaction, POOLED, POOLED_ADVICE } from "../store/pooling.ts";
import { newestSyncs } from "../store/newest-syncs.ts";
import { restoredSince } from "../store/restores.ts";
import { listSources } from "../store/sources.ts";
import { differingSettings } from "./find-server.ts";
import { VERSION } from "./program.ts";
import { failureText } from "./run-text.ts";
import { serverOn } from "./server-file.ts";
import type { System } from "./system.ts";
import { isWorkerRunning } from "./process-locks.ts";

export type DoctorCheck = {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly found: string;
  /** What to do; null if nothing. */
  readonly advice: string | null;
};

const result =
  (state: DoctorCheck["state"]) =>
  (check: string, found: string, advice: string | null = null): DoctorCheck => ({
    check,
    state,
    found,
    advice,
  });
const [ok, warn, fail] = [result("ok"), result("warn"), result("fail")];
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const NODE_NEEDED = 26;

export function checkVersion(): DoctorCheck {
  const { node } = process.versions;
  const found = `Shelfwire ${VERSION}, Node.js ${node}`;
  return Number.parseInt(node, 10) >= NODE_NEEDED
    ? ok("version", found)
    : fail("version", found, `Install Node.js ${NODE_NEEDED} or newer.`);
}

/** The checks are about the service, so its settings count, and not those of the shell that runs them. */
export async function checkSettings({ dataDir }: Config, env: Env): Promise<DoctorCheck> {
  const server = await serverOn(dataDir);
  if (!server) return ok("settings", "those of this environment: no server is running");
  const found = `those of the running server, process ${server.pid}`;
  const differing = differingSettings(server, env);
  if (differing.length === 0) return ok("settings", found);
  return warn(
    "settings",
    `this environment sets ${differing.join(", ")} to other values than the running server has, process ${server.pid}`,
    "Unset them here to check the service as it runs, or restart it to use them.",
  );
}

export async function checkFolder({ dataDir }: Config): Promise<DoctorCheck> {
  const probe = join(dataDir, `.doctor-${randomBytes(6).toString("hex")}`);
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(probe, "x", { flush: true });
    return ok("folder", `${dataDir} can be written to`);
  } catch (error) {
    const advice = "Let the account that runs Shelfwire write there, or set DATA_DIR to another folder.";
    return fail("folder", `${dataDir} cannot be written to: ${messageOf(error)}`, advice);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

const MB = 1024 * 1024;
const DISK = { fail: 200 * MB, warn: 2048 * MB };

export async function checkDisk({ dataDir }: Config): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const found = `${Math.round(free / MB).toLocaleString("en")} MB free`;
  const advice = "Free some space, or lower KEEP_RENDERS, KEEP_RENDER_BYTES and KEEP_RUNS.";
  if (free < DISK.fail) return fail("disk", found, advice);
  return free < DISK.warn ? warn("disk", found, advice) : ok("disk", found);
}

export async function checkDatabase({ db, isEmbedded }: System): Promise<DoctorCheck> {
  const row = await serverFacts(db);
  const found = `PostgreSQL ${row?.version ?? "?"}${isEmbedded ? " (embedded)" : ""}, schema ${row?.schema ?? "?"}`;
  return Number.parseInt(row?.version ?? "0", 10) >= 15
    ? ok("database", found)
    : fail("database", found, "Upgrade it to PostgreSQL 15 or newer.");
}

const DATABASE_ADVICE: Readonly<Record<string, string>> = {
  schema_too_new: "Start the version of Shelfwire that migrated it.",
  database_read_only:
    "Let DATABASE_URL lead to the primary, or promote this server; running processes continue by themselves then.",
};

export function databaseFailure(error: unknown): DoctorCheck {
  const { code, message } = toAppError(error);
  const advice =
    DATABASE_ADVICE[code] ??
    "Check DATABASE_URL, and that PostgreSQL runs and accepts connections from this machine; for the embedded one, see the log in DATA_DIR/postgres.";
  return fail("database", message, advice);
}

/**
 * Shelfwire's own PostgreSQL has no pooler in front of it. A database that does not respond is reported by another
 * check.
 */
export async function checkSessions({ databaseUrl }: Config): Promise<readonly DoctorCheck[]> {
  if (databaseUrl === null) return [];
  const isPooled = await isPooledByTransaction({ connectionString: databaseUrl }).catch(() => false);
  return isPooled ? [fail("sessions", POOLED, POOLED_ADVICE)] : [];
}

export async function checkSecretKey({ db, encryption }: System): Promise<DoctorCheck> {
  const [catalog] = await listCatalogs(db);
  if (catalog === undefined) return ok("secret key", "no secret is stored yet");
  try {
    decryptFeedToken(encryption)(catalog.feedTokenEncrypted);
    return ok("secret key", "decrypts the stored secrets");
  } catch {
    const advice = "Set SECRET_KEY to the key they were encrypted with, or copy secret.key back to DATA_DIR.";
    return fail("secret key", "does not decrypt the stored secrets", advice);
  }
}

const CLOCK_LIMIT_S = 5;

export async function checkDatabaseClock({ db }: System): Promise<DoctorCheck> {
  const before = Date.now();
  const row = await serverFacts(db);
  const middle = (before + Date.now()) / 2;
  return clockCheck("the database's", ((row?.now.getTime() ?? middle) - middle) / 1000, CLOCK_LIMIT_S);
}

export function clockCheck(whose: string, offS: number, limitS: number): DoctorCheck {
  if (Math.abs(offS) <= limitS) return ok("clock", `agrees with ${whose} clock`);
  const found = `is ${counted(Math.abs(Math.round(offS)), "second")} ${offS > 0 ? "behind" : "ahead of"} ${whose} clock`;
  return warn(
    "clock",
    found,
    "Use NTP (timedatectl set-ntp true): sale times and signatures depend on the clock.",
  );
}

export async function checkProcesses(system: System): Promise<DoctorCheck> {
  const server = await serverOn(system.config.dataDir);
  const hasWorker = await isWorkerRunning(system);
  const found = `${server ? `server at ${server.url}` : "no server"}, ${hasWorker ? "a worker" : "no worker"}`;
  return server && hasWorker
    ? ok("processes", found)
    : warn("processes", found, "Start shelfwire serve: nothing is synced, served or delivered without it.");
}

/** Only of the embedded database: a failing archive fills the disk, and nothing else says so. */
export async function checkArchive({ db, isEmbedded }: System): Promise<readonly DoctorCheck[]> {
  const facts = isEmbedded ? await archiveFacts(db) : undefined;
  if (facts === undefined || !facts.isOn) return [];
  if (facts.failing === null)
    return [
      ok(
        "archive",
        `the log is archived${facts.lastAt === null ? "" : `, last at ${facts.lastAt.toISOString()}`}`,
      ),
    ];
  const advice =
    "See DATA_DIR/postgres/postgres.log. Free space in DATA_DIR/postgres/wal-archive, and let it contain the log of this database only.";
  return [fail("archive", `the segment ${facts.failing} of the log cannot be archived`, advice)];
}

export async function checkLive({ db }: System): Promise<DoctorCheck> {
  const since = await restoredSince(db);
  return since === null
    ? ok("live", "this installation is live")
    : warn(
        "live",
        `a copy, restored at ${since.toISOString()}: it sends nothing and syncs no source by itself`,
        "If it replaces the original, run shelfwire resume. Only one copy may be live.",
      );
}

export async function checkSources({ db }: System): Promise<DoctorCheck> {
  const failed: string[] = [];
  for (const { id, slug } of await listCatalogs(db))
    for (const run of await newestSyncs(db, id))
      if (run.state === "failed") failed.push(`${slug}: ${failureText(run)}`);
  return failed.length === 0
    ? ok("sources", "no last sync failed")
    : warn("sources", failed.join(" "), "shelfwire source list and shelfwire source test show more.");
}

const MAX_REACHED = 5;

/** The hosts of some sources. */
export async function addressesToReach({ db }: System): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { id } of await listCatalogs(db))
    for (const { kind, settings, enabled } of await listSources(db, id)) {
      const address = enabled && isSourceKind(kind) ? CONNECTORS[kind].destination(settings) : "";
      if (/^https?:/.test(address)) found.add(new URL("/", address).href);
    }
  return [...found].slice(0, MAX_REACHED);
}

const REACH_MS = 10_000;

/** The DNS name, then a request; its Date header is compared with our clock. */
export async function checkReach({ jobs }: System, address: string): Promise<readonly DoctorCheck[]> {
  const { hostname, host } = new URL(address);
  const checks: DoctorCheck[] = [];
  if (!/^[\d.]+$|^\[/.test(hostname)) {
    try {
      checks.push(ok("dns", `${hostname} is ${(await lookupName(hostname)).join(", ")}`));
    } catch (error) {
      const advice = "Check the name, and the name servers in /etc/resolv.conf.";
      return [fail("dns", `${hostname}: ${messageOf(error)}`, advice)];
    }
  }
  try {
    const signal = AbortSignal.timeout(REACH_MS);
    const { status, headers, discard } = await jobs.http.request({ url: address, signal });
    discard();
    checks.push(ok("outbound", `${host} answers with status ${status}`));
    const theirs = Date.parse(headers["date"] ?? "");
    if (!Number.isNaN(theirs)) checks.push(clockCheck(`${host}'s`, (theirs - Date.now()) / 1000, 60));
  } catch (error) {
    const advice = "Check the firewall and any proxy; private addresses need ALLOW_PRIVATE_TARGETS.";
    checks.push(fail("outbound", `${host}: ${messageOf(error)}`, advice));
  }
  return checks;
}

const EXPIRY_WARN_MS = 14 * 86_400_000;

/** BASE_URL must be TLS with a certificate that does not expire soon, or local. */
export async function checkTls({ baseUrl }: Config): Promise<DoctorCheck> {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol === "http:") {
    const advice = "Put a reverse proxy with TLS in front, and set BASE_URL to its https address.";
    return isLoopbackUrl(baseUrl)
      ? ok("tls", `${baseUrl} is only for this machine`)
      : warn("tls", `${baseUrl} is not encrypted: feed tokens and API keys can be read in transit`, advice);
  }
  try {
    const until = await certificateEnd(hostname, Number(port || 443));
    const found = `the certificate of ${hostname} is valid until ${until.toISOString().slice(0, 10)}`;
    return until.getTime() - Date.now() < EXPIRY_WARN_MS ? warn("tls", found, "Renew it.") : ok("tls", found);
  } catch (error) {
    const advice = "Check that BASE_URL is the address of your proxy, and that its certificate is valid.";
    return fail("tls", `${baseUrl}: ${messageOf(error)}`, advice);
  }
}

async function certificateEnd(host: string, port: number): Promise<Date> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host, timeout: REACH_MS }, () => {
      resolve(new Date(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.on("timeout", () => socket.destroy(new Error("no answer within ten seconds")));
    socket.on("error", reject);
  });
}
