/**
 * The one secret in the data folder that is ours: the key that seals the others. A rotation puts the next key beside it,
 * seals everything with that in one transaction, and then puts it in its place. One that is interrupted leaves both files;
 * the stored values say which of the two keys is the right one.
 */
import { randomBytes } from "node:crypto";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../lib/files.ts";
import { sealer } from "../lib/seal.ts";
import type { Queries } from "../store/db.ts";
import { anySealedValue } from "../store/sealed-columns.ts";

export const SECRET_KEY_FILE = "secret.key";
const NEXT = `${SECRET_KEY_FILE}.next`;
const PREVIOUS = `${SECRET_KEY_FILE}.previous`;

export const newSecretKey = (): string => randomBytes(32).toString("base64url");

/** Made at the first start. Written beside and linked into place: of two processes that start at once, one wins. */
export async function secretKeyOf(dataDir: string): Promise<string> {
  const path = join(dataDir, SECRET_KEY_FILE);
  const kept = await readFile(path, "utf8").catch(() => null);
  if (kept !== null) return kept.trim();
  // Not the pid: the first process of every container has the same one.
  const fresh = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(fresh, `${newSecretKey()}\n`, { mode: 0o600, flush: true });
  await link(fresh, path).catch(() => undefined);
  await unlink(fresh);
  return (await readFile(path, "utf8")).trim();
}

/** Puts the next key beside the present one, on disk before anything is sealed with it. */
export async function stageSecretKey(dataDir: string, key: string): Promise<void> {
  const path = join(dataDir, NEXT);
  const fresh = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(fresh, `${key}\n`, { mode: 0o600, flush: true });
  await rename(fresh, path);
  await syncFolder(dataDir);
}

/** Puts the next key in place of the present one, which is kept: backups from before need it. */
export async function replaceSecretKey(dataDir: string, present: string): Promise<void> {
  const previous = join(dataDir, PREVIOUS);
  const fresh = `${previous}.${randomBytes(6).toString("hex")}`;
  await writeFile(fresh, `${present}\n`, { mode: 0o600, flush: true });
  await rename(fresh, previous);
  await rename(join(dataDir, NEXT), join(dataDir, SECRET_KEY_FILE)).catch((error: unknown) => {
    // Another process that found everything sealed with the next key was faster.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  });
  await syncFolder(dataDir);
}

type KeyRotation = { readonly dataDir: string; readonly db: Queries };

/** Whether a next key is there: a rotation is under way, or was interrupted. */
export const hasNextKey = async (dataDir: string): Promise<boolean> =>
  readFile(join(dataDir, NEXT)).then(
    () => true,
    () => false,
  );

/**
 * Ends a rotation that was interrupted after its transaction. One that was interrupted before it has changed nothing:
 * its key stays where it is until the next rotation replaces it.
 */
export async function finishKeyRotation({ dataDir, db }: KeyRotation): Promise<void> {
  const next = await readFile(join(dataDir, NEXT), "utf8").catch(() => null);
  if (next === null) return;
  const present = await secretKeyOf(dataDir);
  if ((await opensData(db, present)) || !(await opensData(db, next.trim()))) return;
  await replaceSecretKey(dataDir, present);
}

/** Whether the stored secrets open with the key. All are sealed with the same one, so any of them tells. */
export async function opensData(db: Queries, key: string): Promise<boolean> {
  const value = await anySealedValue(db);
  if (value === undefined) return true;
  try {
    sealer(key).open(value.sealed, value.purpose);
    return true;
  } catch {
    return false;
  }
}
