/** `shelfwire changes`: who changed what. */
import type { Command } from "commander";
import { changeBody } from "../../setup/changes.ts";
import { listChanges } from "../../store/changes.ts";
import type { CommandContext } from "../context.ts";
import { requireCatalog } from "../find.ts";
import { wholeNumber } from "../options.ts";
import { table } from "../table.ts";

type ChangesOptions = { readonly catalog?: string; readonly limit: string };

const MAX_LIMIT = 1_000;

export function changesCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("changes")
    .description("list who changed what, newest first: calls of the API and commands")
    .option("--catalog <slug>", "of this catalog only")
    .option("--limit <number>", `how many, up to ${MAX_LIMIT}`, "50")
    .action(async ({ catalog, limit: text }: ChangesOptions) => {
      const limit = wholeNumber("--limit", text, MAX_LIMIT);
      const rows = await withSystem(async ({ db }) => {
        const only = catalog === undefined ? {} : { catalogId: (await requireCatalog(db, catalog)).id };
        return listChanges(db, { ...only, limit });
      });
      const changes = rows.map((row) => ({ catalog: row.catalog, ...changeBody(row) }));
      print({ changes }, () =>
        table(
          ["time", "catalog", "who", "call", "what"],
          changes.map(({ at, catalog: slug, by, call, target, run_status: run }) => [
            at,
            slug ?? "",
            by.kind === "cli" ? `command by ${by.name}` : `${by.name} (${by.key ?? ""})`,
            call,
            [target.type, target.id ?? "", target.fields.join(", "), run === "failed" ? "(failed)" : ""]
              .filter((part) => part !== "")
              .join(" "),
          ]),
        ),
      );
    });
}
