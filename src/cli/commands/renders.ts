/** `shelfwire renders …`: the renders of a catalog, decisions about one that the publish guard holds, and rollbacks. */
import type { Command } from "commander";
import { RenderAnswer, RendersAnswer } from "../../contract/renders.ts";
import { invalidRequest } from "../../errors.ts";
import { heldRenderRoutes } from "../../http/routes/held-renders.ts";
import { renderRoutes } from "../../http/routes/renders.ts";
import { formatCount } from "../../lib/counted.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { findDiscardedRender, findHeldRender } from "../../store/renders.ts";
import { callsIn, withCalls } from "../api.ts";
import type { CommandContext } from "../context.ts";
import { table } from "../table.ts";
import { releaseCommand, rollbackCommand } from "./rollback.ts";

const LISTED = 20;

export function rendersCommands(program: Command, context: CommandContext): void {
  const renders = program
    .command("renders")
    .description(
      "list a catalog's renders; promote or discard one that is held; roll back to an earlier one",
    );
  listCommand(renders, context);
  decideCommand(renders, context, {
    name: "promote",
    description: "publish the files of a held render",
    operationId: "promoteRender",
    done: "The feed URLs serve the files of this render now.",
  });
  decideCommand(renders, context, {
    name: "discard",
    description: "discard a held render; the published files stay",
    operationId: "discardRender",
    done: "Discarded. The published files stay.",
  });
  rollbackCommand(renders, context);
  releaseCommand(renders, context);
}

function listCommand(renders: Command, context: CommandContext): void {
  const { call, print } = withCalls(context, renderRoutes);
  renders
    .command("list")
    .description(`the newest ${LISTED} renders and what became of them`)
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog }: { catalog: string }) => {
      const { renders: listed } = await call(catalog, "listRenders", RendersAnswer, { limit: LISTED });
      print({ renders: listed }, () => [
        ...table(
          ["render", "finished", "state", "items", "files"],
          listed.map(({ run_id, finished_at, status, state, is_published, items, is_kept, restores }) => [
            run_id,
            finished_at ?? "",
            `${state ?? status}${is_published ? " (served)" : ""}`,
            formatCount(items),
            restores === null ? (is_kept ? "kept" : "not kept") : `those of ${restores}`,
          ]),
        ),
        ...listed
          .filter(({ state }) => state === "held")
          .flatMap(({ exceeded }) => ["", "Held because:", ...exceeded.map(({ message }) => `  ${message}`)]),
      ]);
    });
}

type DecisionCommand = {
  readonly name: string;
  readonly description: string;
  readonly operationId: string;
  readonly done: string;
};

function decideCommand(
  renders: Command,
  { withCatalog, command, print }: CommandContext,
  { name, description, operationId, done }: DecisionCommand,
): void {
  renders
    .command(name)
    .description(description)
    .argument("[render]", "its id; the held one unless given")
    .requiredOption("--catalog <slug>", "which catalog")
    .requiredOption("--reason <text>", "why; it is kept with the render")
    .action(
      async (id: string | undefined, { catalog: slug, reason }: { catalog: string; reason: string }) => {
        const decided = await withCatalog(slug, async (catalog, system) => {
          const runId = id ?? (await heldRun(system.db, catalog));
          const call = callsIn(system, heldRenderRoutes, { catalogId: catalog.id, command: command() });
          return call(operationId, RenderAnswer, { run_id: runId, reason });
        });
        print(decided, () => [done]);
      },
    );
}

async function heldRun(db: Db, { id, slug }: Catalog): Promise<string> {
  const held = await findHeldRender(db, id);
  if (held) return held.runId;
  const discarded = await findDiscardedRender(db, id);
  throw invalidRequest(
    discarded
      ? `No render of this catalog is held. The newest one, ${discarded.runId}, was discarded; to publish it after all: shelfwire renders promote ${discarded.runId} --catalog ${slug} --reason <text>.`
      : "No render of this catalog is held.",
  );
}
