/** `shelfwire exclusions`: every item that a feed excludes, and why. */
import type { Command } from "commander";
import { eachExclusion } from "../../pipeline/render/exclusion-report.ts";
import type { ExclusionLine } from "../../pipeline/render/exclusion-report.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import type { CommandContext } from "../context.ts";
import { choice } from "../options.ts";
import { table } from "../table.ts";

export function exclusionsCommand(program: Command, { withCatalog, print }: CommandContext): void {
  program
    .command("exclusions")
    .description("list the items that a catalog's feeds exclude, and why")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--file <name>", `one file only: ${FEED_FILES.join(", ")}`)
    .action(async ({ catalog: slug, file }: { catalog: string; file?: string }) => {
      if (file !== undefined) choice("--file", file, FEED_FILES);
      const exclusions = await withCatalog(slug, async (catalog, { db, jobs }) => {
        const found: ExclusionLine[] = [];
        for await (const line of eachExclusion(db, jobs.folders, catalog)) {
          if (file === undefined || line.file === file) found.push(line);
        }
        return found;
      });
      print({ exclusions }, () =>
        table(
          ["file", "item", "code", "why"],
          exclusions.map((line) => [line.file, line.item_id, line.code, line.message]),
        ),
      );
    });
}
