/** Makes DATA_DIR and proves that files can be written there, before anything else is tried in it. */
import { randomBytes } from "node:crypto";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../errors.ts";

export async function prepareDataDir(dataDir: string): Promise<string> {
  const probe = join(dataDir, `.write-test-${randomBytes(6).toString("hex")}`);
  try {
    await makeFolder(dataDir);
    await writeFile(probe, "", { flag: "wx" });
    await rm(probe);
    return dataDir;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    // A full disk has its own code and its own remedy.
    if (code === "ENOSPC" || code === "EDQUOT") throw cause;
    throw new AppError("config_invalid", `DATA_DIR ${dataDir} ${problem(code, cause)}.`, { cause });
  }
}

/** Not `recursive: true`: Node.js then tries for ever where the system answers ENOENT, as below `/proc`. */
async function makeFolder(path: string): Promise<void> {
  const isThere = await stat(path).then(
    (found) => {
      if (!found.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
      return true;
    },
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
  if (isThere) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    // Another process of ours was faster.
    if (error.code !== "EEXIST") throw error;
  });
}

function problem(code: string, cause: unknown): string {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `cannot be written to by this user (uid ${process.getuid?.() ?? "unknown"}): choose another folder, or give this one to the user`;
    case "EROFS":
      return "is on a file system that is mounted read-only: choose another folder";
    case "ENOTDIR":
      return "is not a folder, or lies below a file: choose another path";
    case "ENAMETOOLONG":
      return "is too long for a path: choose a shorter one";
    case "ENOENT":
      return "cannot be made: the system allows no folders there; choose another path";
    default:
      return `cannot be used: ${cause instanceof Error ? cause.message : String(cause)}; choose another folder`;
  }
}
