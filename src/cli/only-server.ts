/**
 * One server per data folder. The proof is a lock in the database, which lives exactly as long as the process that
 * holds it; the file beside it only lets the refusal name the other one.
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { holdLock } from "../store/lock.ts";
import type { System } from "./system.ts";

/** Resolves with what gives the place up again. */
export async function refuseSecondServer({ target, config }: System): Promise<() => Promise<void>> {
  const card = join(config.dataDir, "server.json");
  const release = await holdLock(target, "serve");
  if (!release) {
    const { pid, url } = await readCard(card);
    throw new AppError(
      "already_running",
      `Shelfwire runs on ${config.dataDir} already${url === undefined ? "" : `: process ${pid}, ${url}`}. Stop that one first, or give this one another DATA_DIR.`,
    );
  }
  await writeFile(card, JSON.stringify({ pid: process.pid, url: config.baseUrl }));
  return async () => {
    await rm(card, { force: true });
    await release();
  };
}

async function readCard(path: string): Promise<{ pid?: number; url?: string }> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as { pid?: number; url?: string };
  } catch {
    return {};
  }
}
