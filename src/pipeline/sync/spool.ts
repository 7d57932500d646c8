/** A temporary folder for one job, deleted when the job ends. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../lib/process-identity.ts";

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
 * Deletes the folders of dead processes. A folder has the name of its machine and process: several machines may share
 * the data folder, and none can check another's processes.
 */
export async function sweepSpool(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    // From the end: a host name may contain dots.
    const parts = name.split(".");
    const isOurs = parts.slice(0, -2).join(".") === hostname();
    const pid = Number(parts.at(-2));
    if (isOurs && !isAlive(pid)) await rm(join(root, name), { recursive: true, force: true });
  }
}
