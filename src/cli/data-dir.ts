/** Creates DATA_DIR and checks that files can be written there. */
import { randomBytes } from "node:crypto";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../errors.ts";

export async function prepareDataDir(dataDir: string): Promise<string> {
  const probe = join(dataDir, `.write-test-${randomBytes(6).toString("hex")}`);
  try {
    await makeFolder(dataDir);
    await writeFile(probe, "", { flag: "wx" });
    await rm(probe);
    return dataDir;
  } catch (cause) {
    const code = systemCode(cause);
    // A full disk has its own error.
    if (code === "ENOSPC" || code === "EDQUOT") throw cause;
    throw new AppError(
      "config_invalid",
      `DATA_DIR ${dataDir} ${PROBLEMS[code] ?? `cannot be used (${String(cause)}): choose another folder`}.`,
      { cause },
    );
  }
}

/** Not `recursive: true`: Node.js then retries forever if the system answers ENOENT, as below `/proc`. */
async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (found && !found.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  if (found) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== "EEXIST") throw error;
  });
}

const NOT_WRITABLE = `cannot be written to by this user (uid ${process.getuid?.() ?? "unknown"}): choose another folder, or change its owner`;

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: "is on a read-only file system: choose another folder",
  ENOTDIR: "is not a folder, or is below a file: choose another path",
  ENAMETOOLONG: "is too long for a path: choose a shorter one",
  ENOENT: "cannot be created: the system allows no folders there; choose another path",
};
