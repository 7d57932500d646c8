/** The one secret in the data folder that is ours: the key that seals the others. */
import { randomBytes } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const SECRET_KEY_FILE = "secret.key";

/** Made at the first start. Written beside and linked into place: of two processes that start at once, one wins. */
export async function secretKeyOf(dataDir: string): Promise<string> {
  const path = join(dataDir, SECRET_KEY_FILE);
  const kept = await readFile(path, "utf8").catch(() => null);
  if (kept !== null) return kept.trim();
  // Not the pid: the first process of every container has the same one.
  const fresh = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(fresh, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  await link(fresh, path).catch(() => undefined);
  await unlink(fresh);
  return (await readFile(path, "utf8")).trim();
}
