/**
 * The data folder. It is created under another name and renamed, so that it is always complete; leftovers of a killed
 * process are removed at the next start. An existing data folder is never replaced.
 */
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { exists, syncFolder } from "../../lib/files.ts";
import { type Account, requireOwnership, spawnedAs } from "./account.ts";
import { RUNTIME } from "./binaries.ts";
import { embeddedFailure, type Paths } from "./paths.ts";
import { INITDB_OPTIONS, SERVER_ENV } from "./settings.ts";

/** The superuser manages the server and the sessions, on connections that are reserved for it. */
export const ADMIN = "shelfwire_admin";
const INITDB_TIMEOUT_MS = 120_000;
/** Ctrl-C ends everything within ten seconds. */
const KILL_AFTER_MS = 3_000;
const UNFINISHED = "cluster.tmp-";

export type DatabaseCluster = {
  readonly password: string;
  /** Identifies the cluster on its server's command line; it stays the same when the folder moves. */
  readonly tag: string;
};

const run = promisify(execFile);

/** Returns null if there is no cluster yet. Throws if this version or this account cannot use the cluster. */
export async function readCluster(
  paths: Paths,
  major: number,
  account: Account,
): Promise<DatabaseCluster | null> {
  if (!(await exists(paths.cluster))) return null;
  const version = await read(join(paths.data, "PG_VERSION"));
  if (Number(version) !== major) {
    throw embeddedFailure(
      `The database in ${paths.cluster} was created by PostgreSQL ${version}, and this version of the program has ` +
        `PostgreSQL ${major}, which cannot read it. Go back to the version that created it and move the data over ` +
        "with pg_dump, or choose another DATA_DIR.",
    );
  }
  await requireOwnership(paths.data, account);
  return clusterOf(await read(paths.password));
}

async function read(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw embeddedFailure(
      `The database is damaged: ${file} cannot be read. Restore it from a backup.`,
      error,
    );
  });
  return text.trim();
}

function clusterOf(password: string): DatabaseCluster {
  const hash = createHash("sha256").update(password).digest("hex");
  return { password, tag: `shelfwire-${hash.slice(0, 16)}` };
}

export async function createCluster(
  paths: Paths,
  { initdb, account, signal }: { initdb: string; account: Account; signal: AbortSignal },
): Promise<DatabaseCluster> {
  const cluster = clusterOf(randomBytes(32).toString("base64url"));
  const folder = join(paths.root, `${UNFINISHED}${randomBytes(6).toString("hex")}`);
  const passwordFile = join(folder, "password");
  await mkdir(folder);
  await chmod(folder, 0o700);
  await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600, flush: true });
  if (account.isLowered) {
    await chown(passwordFile, account.uid, account.gid);
    await chown(folder, account.uid, account.gid);
  }
  const options = [...INITDB_OPTIONS, `--username=${ADMIN}`, `--pwfile=${passwordFile}`];
  const initializing = run(initdb, [...options, "-D", join(folder, "data")], {
    ...spawnedAs(account),
    cwd: "/",
    env: SERVER_ENV,
    signal,
    timeout: INITDB_TIMEOUT_MS,
  });
  const { child } = initializing;
  const closed = new Promise((resolve) => child.once("close", resolve));
  await initializing.catch(async (error: unknown) => {
    // An abort rejects at once, but initdb and the server that it runs end a moment later.
    const kill = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
    await closed;
    clearTimeout(kill);
    signal.throwIfAborted();
    throw embeddedFailure(`The database folder could not be created: ${lastLines(error)}`, error);
  });
  await syncFolder(folder);
  await rename(folder, paths.cluster);
  await syncFolder(paths.root);
  return cluster;
}

function lastLines(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return stderr === "" ? String(error) : stderr.split("\n").slice(-3).join(" ");
}

/** Removes what killed starts left unfinished, and the programs of other versions. The server must not be running. */
export async function removeLeftovers({ root }: Paths, version: string): Promise<void> {
  for (const name of await readdir(root)) {
    const isOld = name.startsWith(RUNTIME) && name !== `${RUNTIME}${version}`;
    if (!isOld && !name.startsWith(UNFINISHED)) continue;
    // An initdb whose parent was killed may still be writing here; the rest is removed at the next start.
    await rm(join(root, name), { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}
