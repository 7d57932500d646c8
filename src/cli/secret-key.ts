/**
 * The key in the data folder that encrypts all other secrets. A rotation writes the next key to a second file, encrypts
 * everything with it in one transaction, and then replaces the first file. After an interruption both files are there;
 * the stored values show which key is in use.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors.ts";
import { syncFolder } from "../lib/files.ts";
import { createEncryption } from "../lib/encryption.ts";
import type { Queries } from "../store/db.ts";
import { anyEncryptedValue } from "../store/encrypted-columns.ts";

export const SECRET_KEY_FILE = "secret.key";
const NEXT = `${SECRET_KEY_FILE}.next`;
const PREVIOUS = `${SECRET_KEY_FILE}.previous`;

export const newSecretKey = (): string => randomBytes(32).toString("base64url");

/** Created at the first start. A hard link creates the file: if two processes start at once, one of them wins. */
export async function secretKeyOf(dataDir: string): Promise<string> {
  const path = join(dataDir, SECRET_KEY_FILE);
  const stored = await readFile(path, "utf8").catch(() => null);
  if (stored !== null) return stored.trim();
  const temporary = await writeTemporary(path, newSecretKey());
  await link(temporary, path).catch(() => undefined);
  await unlink(temporary);
  return (await readFile(path, "utf8")).trim();
}

/** Not named by pid: the first process of every container has the same one. */
async function writeTemporary(path: string, key: string): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, `${key}\n`, { mode: 0o600, flush: true });
  return temporary;
}

/** Stores the next key on disk, before it is used. */
export async function stageSecretKey(dataDir: string, key: string): Promise<void> {
  const path = join(dataDir, NEXT);
  await rename(await writeTemporary(path, key), path);
  await syncFolder(dataDir);
}

/** Replaces the current key by the next one, and keeps it in another file: older backups need it. */
export async function replaceSecretKey(dataDir: string, current: string): Promise<void> {
  const previous = join(dataDir, PREVIOUS);
  await rename(await writeTemporary(previous, current), previous);
  await rename(join(dataDir, NEXT), join(dataDir, SECRET_KEY_FILE)).catch((error: unknown) => {
    // Another process that finished the same rotation was faster.
    if (systemCode(error) !== "ENOENT") throw error;
  });
  await syncFolder(dataDir);
}

/** True while a rotation is running, or after it was interrupted. */
export const hasNextKey = (dataDir: string): boolean => existsSync(join(dataDir, NEXT));

/**
 * Finishes a rotation that was interrupted after its transaction. If it was interrupted before, nothing has changed.
 */
export async function finishKeyRotation(dataDir: string, db: Queries): Promise<void> {
  const next = await readFile(join(dataDir, NEXT), "utf8").catch(() => null);
  if (next === null) return;
  const current = await secretKeyOf(dataDir);
  if ((await decryptsData(db, current)) || !(await decryptsData(db, next.trim()))) return;
  await replaceSecretKey(dataDir, current);
}

/** Tries one stored value: all are encrypted with the same key. */
export async function decryptsData(db: Queries, key: string): Promise<boolean> {
  const value = await anyEncryptedValue(db);
  if (value === undefined) return true;
  try {
    createEncryption(key).decrypt(value.encrypted, value.purpose);
    return true;
  } catch {
    return false;
  }
}
