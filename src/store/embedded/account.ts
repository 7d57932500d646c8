/**
 * The system account PostgreSQL runs under. It refuses to run as root, so root hands it to the unprivileged
 * uid 65534 (`nobody`; it needs no entry in /etc/passwd). That account must be able to walk to the data, and
 * the data must belong to it: both are checked here, because PostgreSQL's own words for it name no remedy.
 */
import { chmod, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { embeddedFailure } from "./failure.ts";

const NOBODY = 65_534;

export type Account = {
  readonly uid: number;
  readonly gid: number;
  /** True when we are root and give up our rights to start the server. */
  readonly isLowered: boolean;
};

type Mode = { readonly uid: number; readonly gid: number; readonly mode: number };

export function serverAccount(): Account {
  const uid = process.getuid?.() ?? NOBODY;
  const gid = process.getgid?.() ?? NOBODY;
  return uid === 0 ? { uid: NOBODY, gid: NOBODY, isLowered: true } : { uid, gid, isLowered: false };
}

/** The spawn options that make a child run under the account. */
export function spawnedAs({ uid, gid, isLowered }: Account): { uid?: number; gid?: number } {
  return isLowered ? { uid, gid } : {};
}

/** Makes `DATA_DIR/postgres` and returns its real path; throws if the account cannot reach it. */
export async function prepareRoot(dataDir: string, account: Account): Promise<string> {
  const wanted = join(dataDir, "postgres");
  const first = await mkdir(wanted, { recursive: true, mode: 0o700 });
  const root = await realpath(wanted);
  if (!account.isLowered) return root;
  // Folders we made ourselves may be walked through, not listed; others' folders keep the modes they have.
  const made = first === undefined ? root : await realpath(first);
  for (const folder of foldersTo(root).filter((folder) => folder.startsWith(made)))
    await chmod(folder, 0o711);
  const closed = await closedFolder(root, account);
  if (closed === null) return root;
  throw embeddedFailure(
    `The folder ${closed} is closed to the account PostgreSQL runs under: started by root, it runs as uid ` +
      `${account.uid}, because it refuses to run as root. Choose another DATA_DIR, or run "chmod o+x ${closed}".`,
  );
}

/** Throws if the existing data belongs to someone else; PostgreSQL would refuse it with less to go by. */
export async function requireOwnership(data: string, account: Account): Promise<void> {
  const { uid } = await stat(data);
  if (uid === account.uid) return;
  throw embeddedFailure(
    `The database in ${data} belongs to uid ${uid}, but PostgreSQL would run as uid ${account.uid}. Start the ` +
      `program as the user who made it, or hand it over with "chown -R ${account.uid}:${account.gid}" on that folder.`,
  );
}

/** The first folder on the way to `path` that the account cannot pass through. */
async function closedFolder(path: string, account: Account): Promise<string | null> {
  for (const folder of foldersTo(path)) {
    if (!canEnter(await stat(folder), account)) return folder;
  }
  return null;
}

/** POSIX: the first class that matches decides, owner before group before others. */
export function canEnter(
  { uid, gid, mode }: Mode,
  account: { readonly uid: number; readonly gid: number },
): boolean {
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

/** `/a/b` → `/`, `/a`, `/a/b`. */
export function foldersTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...foldersTo(parent), path];
}
