/**
 * The system account that PostgreSQL runs under. PostgreSQL refuses to run as root, so root starts it as uid 65534
 * (`nobody`, which needs no entry in /etc/passwd). That account must be able to reach the data and must own it;
 * PostgreSQL's own messages do not say what to do.
 */
import { access, chmod, constants, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { embeddedFailure } from "./paths.ts";

const NOBODY = 65_534;

export type Account = {
  readonly uid: number;
  readonly gid: number;
  /** True if this process is root and the server runs under another account. */
  readonly isLowered: boolean;
};

export function serverAccount(): Account {
  const uid = process.getuid?.() ?? NOBODY;
  const gid = process.getgid?.() ?? NOBODY;
  return uid === 0 ? { uid: NOBODY, gid: NOBODY, isLowered: true } : { uid, gid, isLowered: false };
}

export function spawnedAs({ uid, gid, isLowered }: Account): { uid?: number; gid?: number } {
  return isLowered ? { uid, gid } : {};
}

/** Creates `DATA_DIR/postgres` and returns its real path. Throws if the account cannot reach it. */
export async function prepareRoot(dataDir: string, account: Account): Promise<string> {
  const path = join(dataDir, "postgres");
  // The folder gets its mode when it is created, not by chmod alone: a process that starts at the same time must not
  // find the folder closed.
  const first = await mkdir(path, { recursive: true, mode: account.isLowered ? 0o711 : 0o700 });
  const root = await realpath(path);
  await access(root, constants.W_OK);
  if (!account.isLowered) return root;
  // Folders that this function created may be passed through, but not listed; existing folders keep their modes.
  const created = first === undefined ? root : await realpath(first);
  for (const folder of foldersTo(root)) {
    if (folder.startsWith(created)) await chmod(folder, 0o711);
    if (canEnter(await stat(folder), account)) continue;
    throw embeddedFailure(
      `The folder ${folder} is closed to the account that PostgreSQL runs under: started by root, it runs as uid ` +
        `${account.uid}, because it refuses to run as root. Choose another DATA_DIR, or run "chmod o+x ${folder}".`,
    );
  }
  return root;
}

export async function requireOwnership(data: string, account: Account): Promise<void> {
  const { uid } = await stat(data);
  if (uid === account.uid) return;
  throw embeddedFailure(
    `The database in ${data} belongs to uid ${uid}, but PostgreSQL would run as uid ${account.uid}. Start the ` +
      `program as the user who created it, or run "chown -R ${account.uid}:${account.gid}" on that folder.`,
  );
}

type Mode = { readonly uid: number; readonly gid: number; readonly mode: number };

/** Decides as POSIX does: the first class that matches decides, in the order owner, group, others. */
export function canEnter({ uid, gid, mode }: Mode, account: Omit<Account, "isLowered">): boolean {
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

/** Lists the folders on a path: `/a/b` → `/`, `/a`, `/a/b`. */
export function foldersTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...foldersTo(parent), path];
}
