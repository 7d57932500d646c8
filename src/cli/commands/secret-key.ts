/** `shelfwire secret-key rotate`: seals every stored secret with another key. */
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { SETTINGS } from "../../config.ts";
import type { Config } from "../../config.ts";
import { AppError } from "../../errors.ts";
import { sealer } from "../../lib/seal.ts";
import { openDb } from "../../store/db.ts";
import type { Db } from "../../store/db.ts";
import { acquireLock } from "../../store/lock.ts";
import { migrate } from "../../store/migrate.ts";
import { IN_USE_LOCK } from "../../store/notices.ts";
import { resealAll } from "../../store/sealed-columns.ts";
import type { CommandContext } from "../context.ts";
import { configBesideServer } from "../find-server.ts";
import {
  finishKeyRotation,
  newSecretKey,
  opensData,
  replaceSecretKey,
  secretKeyOf,
  stageSecretKey,
} from "../secret-key.ts";
import { openTarget } from "../system.ts";
import { commandChanges } from "../change-log.ts";

type Options = { readonly newKeyFile?: string };

export function secretKeyCommands(program: Command, context: CommandContext): void {
  program
    .command("secret-key")
    .description("the key that seals stored secrets")
    .command("rotate")
    .description("seal every stored secret with another key; stop the service first, on all machines")
    .option("--new-key-file <path>", "a file that holds the new key; required where SECRET_KEY is set")
    .action(async ({ newKeyFile }: Options) => {
      const { io, isJson, print } = context;
      const config = await configBesideServer(io, isJson());
      const given = newKeyFile === undefined ? undefined : await readKey(newKeyFile);
      const resealed = await rotate(context, config, given);
      const isFile = config.secretKey === null;
      print({ rotated: true, values: resealed, key: isFile ? "file" : "environment" }, () => [
        resealed === 0
          ? "Everything is sealed with the new key already."
          : `Sealed ${resealed} values with the new key.`,
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
    throw new AppError("invalid_request", `--new-key-file: the key ${(error as Error).message}.`);
  }
}

async function rotate({ io }: CommandContext, config: Config, given: string | undefined): Promise<number> {
  await using parts = new AsyncDisposableStack();
  const log = { level: "warn", stream: io.talk, isReadable: io.isTerminal };
  const target = await openTarget(config, { name: "shelfwire-cli", log, parts });
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
  // Awaited here: the lock and the database are given up when this function returns.
  if (config.secretKey === null) return await rotateFile(db, config.dataDir, given);
  return await rotateGiven(db, config.secretKey, given);
}

/** The new key is on disk before anything is sealed with it, and the old one until everything is. */
async function rotateFile(db: Db, dataDir: string, given: string | undefined): Promise<number> {
  await finishKeyRotation({ dataDir, db });
  const before = await secretKeyOf(dataDir);
  const next = given ?? newSecretKey();
  await stageSecretKey(dataDir, next);
  const count = await reseal(db, before, next);
  await replaceSecretKey(dataDir, before);
  return count;
}

async function rotateGiven(db: Db, before: string, given: string | undefined): Promise<number> {
  if (given === undefined)
    throw new AppError(
      "invalid_request",
      "SECRET_KEY is set, so the new key is yours to choose and to set: give it by --new-key-file.",
    );
  // A rotation that was interrupted after its transaction, or repeated.
  if (!(await opensData(db, before)) && (await opensData(db, given))) return 0;
  return reseal(db, before, given);
}

/** One transaction: all values open with the one key, or all with the other. */
async function reseal(db: Db, before: string, next: string): Promise<number> {
  const [from, to] = [sealer(before), sealer(next)];
  return db.tx(async (tx) => {
    const count = await resealAll(tx, (sealed, purpose) => to.seal(from.open(sealed, purpose), purpose));
    await commandChanges("secret-key rotate").record(tx, null, { type: "secret-key" });
    return count;
  });
}
