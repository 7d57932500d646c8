/** `shelfwire key …` */
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { isUuid } from "../../lib/id.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { createKey, keyState } from "../../setup/keys.ts";
import { listKeys, revokeKey } from "../../store/keys.ts";
import type { KeyRow } from "../../store/keys.ts";
import type { CommandContext } from "../context.ts";
import { listOf, timeOf } from "../options.ts";
import { table } from "../table.ts";
import { commandChanges } from "../change-log.ts";

export function keyCommands(program: Command, context: CommandContext): void {
  const key = program.command("key").description("issue, list and revoke API keys");
  createCommand(key, context);
  listCommand(key, context);
  revokeCommand(key, context);
}

type CreateOptions = { catalog: string; scopes: string; name: string; expires?: string };

function createCommand(key: Command, { withCatalog, print }: CommandContext): void {
  key
    .command("create")
    .description("create an API key; it is shown only once")
    .requiredOption("--catalog <slug>")
    .requiredOption("--scopes <list>", "read, write, admin, or several, separated by commas")
    .option("--name <name>", "what it is for", "unnamed")
    .option("--expires <time>", "when it stops working, e.g. 2027-01-31")
    .action(async ({ catalog, scopes, name, expires }: CreateOptions) => {
      const expiresAt = expires === undefined ? null : timeOf("--expires", expires);
      const created = await withCatalog(catalog, async ({ id: catalogId }, { db }) =>
        db.tx(async (tx) => {
          const made = await createKey(tx, { catalogId, name, scopes: listOf(scopes), expiresAt });
          const fields = made.scopes.map((scope) => `scope ${scope}`);
          await commandChanges("key create").record(tx, catalogId, { type: "key", id: made.id, fields });
          return made;
        }),
      );
      const { key: text, scopes: granted } = created;
      print(created, () => [text, `Scopes: ${granted.join(", ")}. Keep it safe: it is not shown again.`]);
    });
}

function listCommand(key: Command, { withCatalog, print }: CommandContext): void {
  key
    .command("list")
    .description("list a catalog's API keys, without the keys themselves")
    .requiredOption("--catalog <slug>")
    .action(async ({ catalog }: { catalog: string }) => {
      const keys = await withCatalog(catalog, async ({ id }, { db }) =>
        (await listKeys(db, id)).map(keyData),
      );
      print({ keys }, () =>
        table(
          ["id", "name", "key", "scopes", "state", "last used"],
          keys.map((k) => [k.id, k.name, k.key, k.scopes.join(","), k.state, k.last_used_at ?? "never"]),
        ),
      );
    });
}

function revokeCommand(key: Command, { withSystem, print }: CommandContext): void {
  key
    .command("revoke")
    .description("revoke an API key immediately and permanently")
    .argument("<id>")
    .action(async (id: string) => {
      const isRevoked = await withSystem(async ({ db }) =>
        db.tx(async (tx) => {
          const catalogId = isUuid(id) ? await revokeKey(tx, id) : undefined;
          if (catalogId === undefined) return false;
          await commandChanges("key revoke").record(tx, catalogId, { type: "key", id });
          return true;
        }),
      );
      if (!isRevoked)
        throw new AppError(
          "not_found",
          `There is no live key ${id}. shelfwire key list shows the keys of a catalog.`,
        );
      print({ id, revoked: true }, () => [`Revoked ${id}.`]);
    });
}

function keyData(row: KeyRow) {
  const { id, name, handle, scopes, createdAt, expiresAt, lastUsedAt } = row;
  const key = `sw_${handle}_…`;
  return withSnakeCase({ id, name, key, scopes, state: keyState(row), createdAt, expiresAt, lastUsedAt });
}
