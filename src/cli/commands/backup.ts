/**
 * `shelfwire backup` writes all data to one file while the service runs; `shelfwire restore` reads it back, as a copy
 * that sends nothing; `shelfwire resume` makes the copy live.
 */
import { counted } from "../../lib/counted.ts";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Config } from "../../config.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import { createEncryption } from "../../lib/encryption.ts";
import { withCamelCase } from "../../lib/snake-case.ts";
import { markRestored, resume } from "../../pipeline/restored.ts";
import { writeBackup } from "../../store/backup/backup.ts";
import type { BackupHead, BackupRowCounts } from "../../store/backup/backup.ts";
import { isEmptySchema, readBackupHead, restoreBackup } from "../../store/backup/restore.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import { openDb } from "../../store/db.ts";
import { acquireLock } from "../../store/lock.ts";
import { createSchema, migrate } from "../../store/migrate.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { configBesideServer } from "../find-server.ts";
import { SECRET_KEY_FILE, secretKeyOf } from "../secret-key.ts";
import { openTarget } from "../system.ts";
import { commandChanges } from "../change-log.ts";
import { enqueueRender } from "../../store/runs.ts";

const PURPOSE = "backup-key-check";

export function backupCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("backup")
    .description("write all data to one file; the service may be running")
    .argument("<file>", "where to, e.g. shelfwire.backup")
    .option("--with-secret-key", "include the key that decrypts stored secrets; keep such a file safe")
    .option("--force", "replace the file if it exists")
    .action(async (file: string, { withSecretKey = false, force = false }: BackupCommandOptions) => {
      const path = resolve(file);
      const { counts, bytes } = await withSystem(async ({ db, config, encryption }) => {
        const key = config.secretKey ?? (await secretKeyOf(config.dataDir));
        const notes = {
          key_check: encryption.encrypt("shelfwire", PURPOSE).toString("base64"),
          ...(withSecretKey && { secret_key: key }),
        };
        const counts = await writeBackup(db, { path, notes, overwrite: force });
        return { counts, bytes: (await stat(path)).size };
      });
      print({ file: path, bytes, with_secret_key: withSecretKey, rows: counts }, () => [
        `Backed up ${counted(counts["catalogs"] ?? 0, "catalog")} with ${counted(counts["items"] ?? 0, "item")} into ${file}, ${bytes} bytes.`,
        withSecretKey
          ? "The file contains the secret key: anyone who reads it can decrypt the stored credentials. Keep it safe."
          : `The file does not contain the secret key (SECRET_KEY, or ${SECRET_KEY_FILE} in DATA_DIR) and cannot be restored without it: keep a copy of the key elsewhere.`,
      ]);
    });
}

type BackupCommandOptions = { withSecretKey?: boolean; force?: boolean };

export function restoreCommand(program: Command, context: CommandContext): void {
  program
    .command("restore")
    .description("replace all data by a backup, and render the feeds; stop the service first")
    .argument("[file]", "a file written by shelfwire backup")
    .option("--force", "replace existing catalogs")
    .option(
      "--recovered",
      "mark this installation as a restored copy after you recovered or copied its database yourself (no file)",
    )
    .action(async (file: string | undefined, { force = false, recovered = false }: RestoreOptions) => {
      if ((file === undefined) !== recovered)
        throw invalidRequest("Name the backup, or use --recovered without a file.");
      const { isJson, io, print, withSystem } = context;
      const config = await configBesideServer(io, isJson());
      const path = file === undefined ? null : resolve(file);
      const { counts, undecided } = await restore(context, config, { path, force });
      if (!isJson()) io.out("Restored. Rendering the feeds…\n");
      const rendered = await withSystem(async (system) => {
        await commandChanges("restore").record(system.db, null, { type: "all" });
        const catalogs = await listCatalogs(system.db);
        for (const { id } of catalogs)
          await awaitRun(system, io, await enqueueRender(system.db, id, "command"));
        return catalogs.length;
      });
      print({ file: path, rows: counts, rendered }, () => [
        counts === null
          ? `${counted(rendered, "catalog")} rendered. Start the service.`
          : `${counted(counts["catalogs"] ?? 0, "catalog")} with ${counted(counts["items"] ?? 0, "item")} restored; ${rendered} rendered. Start the service.`,
        "This is a copy: it sends no files, webhooks or mails and syncs no source by itself, until shelfwire resume makes it live. Do that only if the original is off.",
        ...(undecided.length === 0
          ? []
          : [
              `Files of ${undecided.join(", ")} waited for a decision when the backup was made. There are no other files to serve, so they are published here: check them before you resume.`,
            ]),
      ]);
    });
}

export function resumeCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("resume")
    .description(
      "make a restored copy live: uploads, webhooks, mails, shop webhooks and scheduled syncs begin",
    )
    .action(async () => {
      const resumed = await withSystem(async ({ db }) =>
        db.tx(async (tx) => {
          await commandChanges("resume").record(tx, null, { type: "all" });
          return resume(tx);
        }),
      );
      const { waitingDeliveries, waitingUploads, withheldDeliveries: withheld } = withCamelCase(resumed);
      print(resumed, () => [
        "This installation is live. Sources whose sync is due are synced now.",
        `Since the restore, ${counted(waitingDeliveries, "webhook delivery", "webhook deliveries")} and ${counted(waitingUploads, "upload")} were queued; they are sent now.`,
        ...(withheld === 0
          ? []
          : [
              `${counted(withheld, "webhook delivery", "webhook deliveries")} waited when the backup was made. The original has probably sent them, so they are not sent. To send them: shelfwire webhook resend --since ${resumed.restored_at} --catalog <slug>.`,
            ]),
      ]);
    });
}

type RestoreOptions = { readonly force?: boolean; readonly recovered?: boolean };
/** `path` is null if the database was recovered by other means. */
type Restoring = { readonly path: string | null; readonly force: boolean };
type Restored = { readonly counts: BackupRowCounts | null; readonly undecided: readonly string[] };

async function restore(
  { io }: CommandContext,
  config: Config,
  { path, force }: Restoring,
): Promise<Restored> {
  const saveKey = path === null ? undefined : await keyFor(await readBackupHead(path), config, force);
  await using parts = new AsyncDisposableStack();
  const target = await openTarget(config, io, parts);
  const db = openDb(target, { max: 1, name: "shelfwire-restore" });
  parts.defer(db.close);
  await createSchema(db);
  for (const name of ["serve", "worker"]) {
    const release = await acquireLock(target, name);
    if (!release)
      throw new AppError("conflict", "Shelfwire is running on this database. Stop it, then restore.");
    parts.defer(release);
  }
  if (path === null) {
    await migrate(db);
    return { counts: null, undecided: await db.tx(markRestored) };
  }
  if (!force && !(await isEmptySchema(db))) {
    throw new AppError(
      "conflict",
      "This installation has catalogs. Restore into a new DATA_DIR, or use --force to replace everything in this one.",
    );
  }
  let undecided: readonly string[] = [];
  const counts = await restoreBackup(db, path, async (tx) => {
    undecided = await markRestored(tx);
  });
  await saveKey?.();
  return { counts, undecided };
}

/** Finds the key of the backup before anything is changed; resolves with a function that stores it. */
async function keyFor({ notes }: BackupHead, config: Config, force: boolean): Promise<() => Promise<void>> {
  const { secret_key: carried, key_check: check = "" } = notes;
  const keyFile = join(config.dataDir, SECRET_KEY_FILE);
  const own = config.secretKey ?? (await readFile(keyFile, "utf8").catch(() => undefined))?.trim();
  if (own !== undefined && opens(own, check)) return async () => undefined;
  if (config.secretKey !== null)
    throw new AppError(
      "config_invalid",
      "SECRET_KEY does not decrypt this backup. Set the key of the installation that it was made on.",
    );
  if (carried === undefined)
    throw new AppError(
      "config_invalid",
      `The backup does not contain its secret key, and the key of ${config.dataDir} does not decrypt it. Copy ${SECRET_KEY_FILE} from the installation that it was made on to DATA_DIR, or set SECRET_KEY to its content.`,
    );
  if (own !== undefined && !force)
    throw new AppError(
      "conflict",
      `${keyFile} has another key than the backup. Restore into a new DATA_DIR, or use --force to replace it.`,
    );
  return async () => {
    if (own !== undefined) await rename(keyFile, `${keyFile}.before-restore`);
    await writeFile(keyFile, `${carried}\n`, { mode: 0o600, flush: true });
  };
}

function opens(key: string, check: string): boolean {
  try {
    createEncryption(key).decrypt(Buffer.from(check, "base64"), PURPOSE);
    return true;
  } catch {
    return false;
  }
}
