/** `shelfwire secret-key rotate`: encrypts every stored secret with another key. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { SETTINGS } from "../../config.ts";
import type { Config } from "../../config.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import { createEncryption } from "../../lib/encryption.ts";
import { openDb } from "../../store/db.ts";
import type { Db } from "../../store/db.ts";
import { acquireLock } from "../../store/lock.ts";
import { migrate } from "../../store/migrate.ts";
import { IN_USE_LOCK } from "../../store/notices.ts";
import { reencryptAll } from "../../store/encrypted-columns.ts";
import type { CommandContext } from "../context.ts";
import { configBesideServer } from "../find-server.ts";
import {
  finishKeyRotation,
  newSecretKey,
  decryptsData,
  replaceSecretKey,
  secretKeyOf,
  stageSecretKey,
} from "../secret-key.ts";
import { openTarget } from "../system.ts";
import { commandChanges } from "../change-log.ts";

type SecretKeyOptions = { readonly newKeyFile?: string };

export function secretKeyCommands(program: Command, context: CommandContext): void {
  program
    .command("secret-key")
    .description("the key that encrypts stored secrets")
    .command("rotate")
    .description("encrypt every stored secret with another key; stop the service first, on all machines")
    .option("--new-key-file <path>", "a file with the new key; required if SECRET_KEY is set")
    .action(async ({ newKeyFile }: SecretKeyOptions) => {
      const { io, isJson, print } = context;
      const config = await configBesideServer(io, isJson());
      const newKey = newKeyFile === undefined ? undefined : await readKey(newKeyFile);
      const count = await rotate(context, config, newKey);
      const isFile = config.secretKey === null;
      print({ rotated: true, values: count, key: isFile ? "file" : "environment" }, () => [
        count === 0 ? "All values use the new key already." : `Encrypted ${count} values with the new key.`,
        isFile
          ? "The previous key is kept as secret.key.previous: keep it as long as you keep backups from before, then delete it."
          : "Set SECRET_KEY to the new key on all machines, then start the service. Keep the previous key as long as you keep backups from before.",
      ]);
    });
}

async function readKey(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new AppError("invalid_request", `--new-key-file: ${path} cannot be read.`, { cause });
  });
  try {
    return SETTINGS.secretKey.parse(text.trim()) ?? "";
  } catch (error) {
    throw invalidRequest(`--new-key-file: the key ${(error as Error).message}.`);
  }
}

async function rotate({ io }: CommandContext, config: Config, newKey: string | undefined): Promise<number> {
  await using parts = new AsyncDisposableStack();
  const target = await openTarget(config, io, parts);
  const db = openDb(target, { max: 2, name: "shelfwire-secret-key" });
  parts.defer(db.close);
  await migrate(db);
  const release = await acquireLock(target, IN_USE_LOCK);
  if (!release)
    throw new AppError(
      "conflict",
      "Shelfwire is running on this database: a server, a worker or a command. Stop it on all machines, then rotate the key.",
    );
  parts.defer(release);
  // Awaited here: the lock is released and the database closed when this function returns.
  if (config.secretKey === null) return await rotateFile(db, config.dataDir, newKey);
  return await rotateSetting(db, config.secretKey, newKey);
}

/** The new key is on disk before it is used, and the old one until no value needs it. */
async function rotateFile(db: Db, dataDir: string, newKey: string | undefined): Promise<number> {
  await finishKeyRotation(dataDir, db);
  const before = await secretKeyOf(dataDir);
  const next = newKey ?? newSecretKey();
  await stageSecretKey(dataDir, next);
  const count = await reencrypt(db, before, next);
  await replaceSecretKey(dataDir, before);
  return count;
}

async function rotateSetting(db: Db, before: string, newKey: string | undefined): Promise<number> {
  if (newKey === undefined)
    throw invalidRequest("SECRET_KEY is set: write the new key to a file and use --new-key-file.");
  // A rotation that was interrupted after its transaction, or repeated.
  if (!(await decryptsData(db, before)) && (await decryptsData(db, newKey))) return 0;
  return reencrypt(db, before, newKey);
}

/** In one transaction: all values use the one key, or all use the other. */
async function reencrypt(db: Db, before: string, next: string): Promise<number> {
  const [from, to] = [createEncryption(before), createEncryption(next)];
  return db.tx(async (tx) => {
    const count = await reencryptAll(tx, (encrypted, purpose) =>
      to.encrypt(from.decrypt(encrypted, purpose), purpose),
    );
    await commandChanges("secret-key rotate").record(tx, null, { type: "secret-key" });
    return count;
  });
}
