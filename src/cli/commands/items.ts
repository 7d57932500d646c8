/** `shelfwire items remove`: removes pushed items that match a filter. */
import type { Command } from "commander";
import { FEED_FILES } from "../../channels/registry.ts";
import { counted } from "../../lib/counted.ts";
import { storedForm } from "../../pipeline/items/item-view.ts";
import {
  checkRemoval,
  findForRemoval,
  type RemovedItems,
  requestRemoval,
} from "../../pipeline/push/remove-items.ts";
import { findOpenPush } from "../../store/pushes.ts";
import { awaitRun } from "../await-run.ts";
import { commandChanges } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { choice } from "../options.ts";
import { reportSync } from "../sync-report.ts";

type RemoveOptions = {
  readonly catalog: string;
  readonly q?: string;
  readonly group?: string;
  readonly finding?: string;
  readonly refusedIn?: string;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly publish?: boolean;
};

export function itemsCommands(program: Command, context: CommandContext): void {
  program
    .command("items")
    .description("remove pushed items")
    .command("remove")
    .description(
      "remove pushed items, by their ids or by a filter; items of a source are removed in the source",
    )
    .argument("[ids...]", "the ids of the items")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--q <text>", "items whose id, title, brand, GTIN, SKU or MPN contains these words")
    .option("--group <id>", "the variants of this group")
    .option("--finding <rule>", "items on which the audit found something by this rule")
    .option(
      "--refused-in <file>",
      `items that the destination of this file will refuse: ${FEED_FILES.join(", ")}`,
    )
    .option("--all", "every pushed item")
    .option("--publish", "publish the new files even if they exceed limits of the publish guard")
    .option("--dry-run", "remove nothing, and say how many items match")
    .action(async (ids: readonly string[], options: RemoveOptions) => remove(context, ids, options));
}

async function remove(
  context: CommandContext,
  ids: readonly string[],
  options: RemoveOptions,
): Promise<void> {
  const items = itemsOf(ids, options);
  checkRemoval(items);
  await context.withCatalog(options.catalog, async (catalog, system) => {
    const { db, notices, jobs } = system;
    const deps = { db, notices, folders: jobs.folders };
    if (options.dryRun === true) {
      const found = await findForRemoval(deps, catalog.id, items);
      context.print(found, () => [
        `${counted(found.matched, "pushed item matches", "pushed items match")}${found.matched === 0 ? "." : `, such as ${found.examples.join(", ")}.`} Nothing was removed.`,
      ]);
      return;
    }
    // Without a worker, only this command can end a push before it that was interrupted.
    const before = await findOpenPush(db, catalog.id);
    if (before !== undefined) await awaitRun(system, context.io, before).catch(() => undefined);
    const { runId } = await requestRemoval(deps, {
      catalogId: catalog.id,
      items,
      expected: null,
      guard: options.publish === true ? "publish" : "hold",
      onOpen: async (tx, id) =>
        commandChanges("items remove").record(tx, catalog.id, { type: "items", runId: id }),
      signal: system.stopping,
    });
    await reportSync(context, system, { catalog, runId });
  });
}

function itemsOf(ids: readonly string[], options: RemoveOptions): RemovedItems {
  const { q, group, finding, refusedIn, all } = options;
  return {
    ...(ids.length > 0 && { ids: ids.map(storedForm) }),
    ...(q !== undefined && q.trim() !== "" && { q }),
    ...(group !== undefined && { groupId: group }),
    ...(finding !== undefined && { finding }),
    ...(refusedIn !== undefined && { refusedIn: choice("--refused-in", refusedIn, FEED_FILES) }),
    ...(all === true && { all }),
  };
}
