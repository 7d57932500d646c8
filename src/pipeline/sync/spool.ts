/** A temporary folder for one piece of work, gone when the work ends, however it ends. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

export async function withSpool<T>(root: string, work: (dir: string) => Promise<T>): Promise<T> {
  await mkdir(root, { recursive: true });
  const dir = await mkdtemp(join(root, `${hostname()}.${process.pid}.`));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Removes what processes that no longer live left behind. Folders are named after their machine and process, for
 * several machines may share the data folder and none can tell whether another's process lives.
 */
export async function sweepSpool(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    // From the end: a host's name may have dots of its own, and begin like ours.
    const parts = name.split(".");
    const isOurs = parts.slice(0, -2).join(".") === hostname();
    const pid = Number(parts.at(-2));
    if (isOurs && !isAlive(pid)) await rm(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to someone else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
