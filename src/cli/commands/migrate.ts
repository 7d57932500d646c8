/** `shelfwire migrate`: brings the database to this version's schema. Every other command does so by itself. */
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";

export function migrateCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("migrate")
    .description("bring the database to this version's schema")
    .action(async () => {
      await withSystem(async () => print({ migrated: true }, () => ["The database is up to date."]));
    });
}
