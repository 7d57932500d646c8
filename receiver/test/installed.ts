/**
 * A folder in which the package is installed as npm would do it: built, with only the files that `files` includes. The
 * frameworks that the examples use are installed next to it.
 */
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildReceiver } from "../build.ts";

const PACKAGE = join(import.meta.dirname, "..");
const ROOT_MODULES = join(PACKAGE, "..", "node_modules");

type Installed = {
  readonly folder: string;
  /** The folder of the package itself. */
  readonly receiver: string;
  readonly remove: () => Promise<void>;
};

async function installReceiver(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "shelfwire-receiver-"));
  const modules = join(folder, "node_modules");
  const receiver = join(modules, "@shelfwire", "receiver");
  await mkdir(receiver, { recursive: true });
  await copyPublished(receiver);
  for (const framework of ["express", "fastify"]) {
    await symlink(join(ROOT_MODULES, framework), join(modules, framework), "dir");
  }
  return { folder, receiver, remove: () => rm(folder, { recursive: true }) };
}

/** Removed by the test that imports it. */
export const installed = await installReceiver();

async function copyPublished(target: string): Promise<void> {
  const { files } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8")) as { files: string[] };
  for (const name of [...files.filter((entry) => entry !== "dist"), "package.json", "README.md", "LICENSE"]) {
    await cp(join(PACKAGE, name), join(target, name), { recursive: true });
  }
  if (files.includes("dist")) await buildReceiver(join(target, "dist"));
}
