/** `shelfwire refusals`: every item that a destination will refuse, or that a file leaves out, and why. */
import type { Command } from "commander";
import { eachRefusal } from "../../pipeline/render/refusal-report.ts";
import type { RefusalLine } from "../../pipeline/render/refusal-report.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import type { CommandContext } from "../context.ts";
import { choice } from "../options.ts";
import { table } from "../table.ts";

export function refusalsCommand(program: Command, { withCatalog, print }: CommandContext): void {
  program
    .command("refusals")
    .description("list the items that OpenAI or Google will refuse, or that a file leaves out, and why")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--file <name>", `one file only: ${FEED_FILES.join(", ")}`)
    .action(async ({ catalog: slug, file }: { catalog: string; file?: string }) => {
      if (file !== undefined) choice("--file", file, FEED_FILES);
      const refusals = await withCatalog(slug, async (catalog, { db, jobs }) => {
        const found: RefusalLine[] = [];
        for await (const line of eachRefusal(db, jobs.folders, catalog)) {
          if (file === undefined || line.file === file) found.push(line);
        }
        return found;
      });
      print({ refusals }, () =>
        table(
          ["file", "item", "in the file", "code", "why"],
          refusals.map((line) => [
            line.file,
            line.item_id,
            line.included ? "yes" : "no",
            line.code,
            line.message,
          ]),
        ),
      );
    });
}
