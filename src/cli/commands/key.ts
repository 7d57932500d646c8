/** `shelfwire key …` */
import type { Command } from "commander";
import { AppError, invalidRequest } from "../../errors.ts";
import { isUuid } from "../../lib/id.ts";
import { createKey, describeKey } from "../../setup/keys.ts";
import type { CreatedKey } from "../../setup/keys.ts";
import { createOperatorKey } from "../../setup/sessions.ts";
import type { Queries } from "../../store/db.ts";
import { listKeys, revokeKey } from "../../store/keys.ts";
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

type Owner = { catalog?: string; operator?: boolean };
type CreateKeyOptions = Owner & { scopes?: string; name: string; expires?: string };

function createCommand(key: Command, context: CommandContext): void {
  key
    .command("create")
    .description("create an API key; it is shown only once")
    .option("--catalog <slug>", "the catalog that it belongs to")
    .option(
      "--scopes <list>",
      "read, write, admin, or several, separated by commas; required with --catalog, refused with --operator",
    )
    .option(
      "--operator",
      "a key for every catalog and for creating catalogs, instead of one catalog's key; it has every scope",
    )
    .option("--name <name>", "what it is for", "unnamed")
    .option("--expires <time>", "when it stops working, e.g. 2027-01-31")
    .action(async (options: CreateKeyOptions) => {
      const created = await createFor(context, options);
      const { key: text, scopes: granted } = created;
      context.print(created, () => [
        text,
        `Scopes: ${granted.join(", ")}. Keep it safe: it is not shown again.`,
      ]);
    });
}

async function record(tx: Queries, catalogId: string | null, made: CreatedKey): Promise<CreatedKey> {
  const fields = made.scopes.map((scope) => `scope ${scope}`);
  await commandChanges("key create").record(tx, catalogId, { type: "key", id: made.id, fields });
  return made;
}

async function createFor(
  { withCatalog, withSystem }: CommandContext,
  options: CreateKeyOptions,
): Promise<CreatedKey> {
  const { scopes, name, expires } = options;
  const expiresAt = expires === undefined ? null : timeOf("--expires", expires);
  const catalog = catalogOf(options);
  if (catalog === null) {
    if (scopes !== undefined) throw invalidRequest("An operator key has every scope: leave out --scopes.");
    return withSystem(async ({ db }) =>
      db.tx(async (tx) => record(tx, null, await createOperatorKey(tx, name, expiresAt))),
    );
  }
  if (scopes === undefined) throw invalidRequest("Say what the key may do: --scopes read,write.");
  return withCatalog(catalog, async ({ id: catalogId }, { db }) =>
    db.tx(async (tx) => {
      const made = await createKey(tx, { catalogId, name, scopes: listOf(scopes), expiresAt });
      return record(tx, catalogId, made);
    }),
  );
}

/** The catalog; null for operator keys. */
function catalogOf({ catalog, operator = false }: Owner): string | null {
  if (operator === (catalog !== undefined))
    throw invalidRequest("Give either --catalog <slug> or --operator.");
  return catalog ?? null;
}

function listCommand(key: Command, { withCatalog, withSystem, print }: CommandContext): void {
  key
    .command("list")
    .description("list API keys, without the keys themselves")
    .option("--catalog <slug>", "those of a catalog")
    .option("--operator", "operator keys")
    .action(async (options: Owner) => {
      const catalog = catalogOf(options);
      const rows =
        catalog === null
          ? await withSystem(async ({ db }) => listKeys(db, null))
          : await withCatalog(catalog, async ({ id }, { db }) => listKeys(db, id));
      const keys = rows.map(describeKey);
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
