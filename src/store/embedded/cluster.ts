/**
 * The data folder. It is made beside and renamed, together with its password, so a `cluster` folder that is
 * there is a finished one; whatever a kill interrupted is swept and made anew. An existing one is never replaced.
 */
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, mkdir, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { requireOwnership, spawnedAs } from "./account.ts";
import type { Account } from "./account.ts";
import { embeddedFailure } from "./failure.ts";
import { UNFINISHED_CLUSTER } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { INITDB_OPTIONS, SERVER_ENV } from "./settings.ts";

/** The superuser: it manages the server and holds the presence connections, on slots reserved for it. */
export const ADMIN = "shelfwire_admin";
const INITDB_LIMIT_MS = 120_000;

export type Cluster = {
  readonly password: string;
  /** Names this very cluster on its server's command line; wherever the folder moves, it stays the same. */
  readonly tag: string;
};

const run = promisify(execFile);

/** Null if there is none yet. Throws if what is there cannot be used by this version or this account. */
export async function readCluster(layout: Layout, major: number, account: Account): Promise<Cluster | null> {
  if (!(await isThere(layout.cluster))) return null;
  const made = await read(join(layout.data, "PG_VERSION"));
  if (Number(made) !== major) {
    throw embeddedFailure(
      `The database in ${layout.cluster} was made by PostgreSQL ${made}, and this version of the program brings ` +
        `PostgreSQL ${major}, which cannot read it. Go back to the version that made it and move the data over ` +
        "with pg_dump, or choose another DATA_DIR.",
    );
  }
  await requireOwnership(layout.data, account);
  const password = await read(layout.password);
  return { password, tag: tagOf(password) };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
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

export type Making = { readonly initdb: string; readonly account: Account; readonly signal: AbortSignal };

/** initdb hands its own path to a shell between double quotes, in which these keep their meaning. */
const UNSAFE_IN_SHELL = /["$`\\\n]/;

export async function makeCluster(layout: Layout, { initdb, account, signal }: Making): Promise<Cluster> {
  if (UNSAFE_IN_SHELL.test(initdb)) {
    throw embeddedFailure(
      `PostgreSQL cannot be set up from ${initdb}: its path may have no ", $, \`, \\ or line break. Choose another ` +
        "DATA_DIR.",
    );
  }
  const password = randomBytes(32).toString("base64url");
  const folder = join(layout.root, `${UNFINISHED_CLUSTER}${randomBytes(6).toString("hex")}`);
  const passwordFile = join(folder, "password");
  await mkdir(folder);
  await chmod(folder, 0o700);
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flush: true });
  if (account.isLowered) {
    await chown(passwordFile, account.uid, account.gid);
    await chown(folder, account.uid, account.gid);
  }
  const options = [...INITDB_OPTIONS, `--username=${ADMIN}`, `--pwfile=${passwordFile}`];
  await run(initdb, [...options, "-D", join(folder, "data")], {
    ...spawnedAs(account),
    cwd: "/",
    env: SERVER_ENV,
    signal,
    timeout: INITDB_LIMIT_MS,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw embeddedFailure(`The database folder could not be made: ${lastWords(error)}`, error);
  });
  await syncFolder(folder);
  await rename(folder, layout.cluster);
  await syncFolder(dirname(layout.cluster));
  return { password, tag: tagOf(password) };
}

function tagOf(password: string): string {
  return `shelfwire-${createHash("sha256").update(password).digest("hex").slice(0, 16)}`;
}

function lastWords(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  if (stderr !== "") return stderr.split("\n").slice(-3).join(" ");
  return error instanceof Error ? error.message : String(error);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
