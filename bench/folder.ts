/** A temporary folder of the benchmark, with a folder for its files in it. Both are removed at the end. */
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function openBenchFolder() {
  const root = await mkdtemp(join(tmpdir(), "shelfwire-bench-"));
  // Run by root, the database server is another user and must reach the folder.
  await chmod(root, 0o711);
  const dir = join(root, "bench");
  await mkdir(dir);
  return { root, dir, [Symbol.asyncDispose]: async () => rm(root, { recursive: true, force: true }) };
}
