/** `shelfwire diff`: what differs between the files of two renders, and why. Written as it is found. */
import type { Command } from "commander";
import { FEED_FILES } from "../../channels/registry.ts";
import { CAUSES } from "../../contract/comparisons.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import { type ComparisonFilter, openComparison } from "../../pipeline/publication/comparison/comparison.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { CommandContext } from "../context.ts";
import { headLines, itemLines, totalLines } from "../diff-lines.ts";
import { requireRender } from "../find.ts";
import { choice } from "../options.ts";
import type { System } from "../system.ts";

type DiffOptions = { readonly file?: string; readonly cause?: string; readonly limit?: string };

/** For people; a program gets all. */
const DEFAULT_LIMIT = 100;

export function diffCommand(program: Command, context: CommandContext): void {
  program
    .command("diff")
    .description("compare the files of two renders: items and fields added, removed or changed, and why")
    .argument("<before>", "the id of a render's run")
    .argument("[after]", "that of another one of the same catalog; without it, the published one")
    .option("--file <name>", `one file only: ${FEED_FILES.join(", ")}`)
    .option("--cause <name>", `one cause only: ${CAUSES.join(", ")}`)
    .option("--limit <n>", `how many items to list; default ${DEFAULT_LIMIT}, with --json all`)
    .addHelpText(
      "after",
      "\nWith --json, the output is JSON Lines: the comparison, each item, and the totals.",
    )
    .action(async (before: string, after: string | undefined, options: DiffOptions) => {
      const filter = readFilter(options, context.isJson());
      await context.withSystem(async (system) => writeComparison(context, system, { before, after, filter }));
    });
}

function readFilter({ file, cause, limit }: DiffOptions, isJson: boolean): ComparisonFilter {
  const count = limit === undefined ? (isJson ? undefined : DEFAULT_LIMIT) : Number(limit);
  if (count !== undefined && !(Number.isSafeInteger(count) && count >= 0))
    throw invalidRequest("--limit must be a whole number.");
  return {
    ...(file !== undefined && { file: choice("--file", file, FEED_FILES) }),
    ...(cause !== undefined && { cause: choice("--cause", cause, CAUSES) }),
    limit: count,
  };
}

async function writeComparison(
  { io, isJson }: CommandContext,
  { db, jobs }: System,
  { before, after, filter }: { before: string; after: string | undefined; filter: ComparisonFilter },
): Promise<void> {
  const { catalogId, id } = await requireRender(db, before);
  const other = after === undefined ? await publishedRender(db, catalogId) : await requireRender(db, after);
  if (other.catalogId !== catalogId) throw invalidRequest("The renders are of two catalogs.");
  const runIds = { before: id, after: other.id };
  const comparison = await openComparison({ db, folders: jobs.folders }, catalogId, runIds, filter);
  const write = (lines: readonly string[]) => {
    if (lines.length > 0) io.out(`${lines.join("\n")}\n`);
  };
  write(isJson() ? json({ comparison: comparison.head }) : headLines(comparison.head));
  for await (const items of comparison.items())
    write(items.flatMap((item) => (isJson() ? json({ item }) : itemLines(item))));
  const totals = comparison.totals();
  write(isJson() ? json({ totals }) : totalLines(totals, filter));
}

const json = (line: object): readonly string[] => [JSON.stringify(line)];

async function publishedRender(
  db: System["db"],
  catalogId: string,
): Promise<{ readonly id: string; readonly catalogId: string }> {
  const id = (await findCatalog(db, catalogId))?.publishedRunId;
  if (id == null) throw new AppError("not_found", "The catalog has no published files.");
  return { id, catalogId };
}
