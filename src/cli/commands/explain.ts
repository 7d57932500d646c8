/** `shelfwire explain`: where each value of an item comes from, and what the feeds have of it. */
import type { Command } from "commander";
import { CHANNEL_NAMES } from "../../catalog/item.ts";
import { explainItem } from "../../pipeline/explain/explain.ts";
import type { CommandContext } from "../context.ts";
import { explainLines } from "../explain-lines.ts";
import { choice } from "../options.ts";

type ExplainOptions = { readonly catalog: string; readonly field?: string; readonly channel?: string };

/** Of a value among others; a single field is shown whole. */
const SHORT = 60;

export function explainCommand(program: Command, { io, withCatalog, print }: CommandContext): void {
  program
    .command("explain")
    .description("say where each value of an item comes from, and what becomes of it in each feed")
    .argument("<item>", "the id of the item")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--field <name>", "one field only, such as title")
    .option("--channel <name>", `one channel only: ${CHANNEL_NAMES.join(", ")}`)
    .action(async (id: string, { catalog: slug, field, channel: name }: ExplainOptions) => {
      const channel = name === undefined ? undefined : choice("--channel", name, CHANNEL_NAMES);
      const explanation = await withCatalog(slug, async (catalog, { jobs }) =>
        explainItem(jobs, catalog.id, id, {
          ...(field !== undefined && { field }),
          ...(channel !== undefined && { channel }),
        }),
      );
      const width = field === undefined ? SHORT : Number.POSITIVE_INFINITY;
      print(explanation, () => explainLines(explanation, { hasColor: io.hasColor ?? false, width }));
    });
}
