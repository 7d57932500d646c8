/**
 * `shelfwire renders rollback` and `renders release`: serve the files of an earlier render, and publish new ones again.
 */
import type { Command } from "commander";
import { ReleaseAnswer, RenderAnswer } from "../../contract/renders.ts";
import { rollbackRoutes } from "../../http/routes/rollbacks.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { callsIn, withCalls } from "../api.ts";
import type { CommandContext } from "../context.ts";
import { requireRender } from "../find.ts";

export function rollbackCommand(renders: Command, { withSystem, command, print }: CommandContext): void {
  renders
    .command("rollback")
    .description("serve the files of an earlier render again, and hold new ones until release")
    .argument("<render>", "the id of the render's run")
    .requiredOption("--reason <text>", "why; it is kept and shown")
    .action(async (id: string, { reason }: { reason: string }) => {
      const { made, slug } = await withSystem(async (system) => {
        const { catalogId } = await requireRender(system.db, id);
        const call = callsIn(system, rollbackRoutes, { catalogId, command: command() });
        return {
          made: await call("rollBack", RenderAnswer, { run_id: id, reason }),
          slug: (await findCatalog(system.db, catalogId))?.slug,
        };
      });
      print(made, () => [
        `The feed URLs serve the files of ${id} again, as the render ${made.run_id}.`,
        `New renders are held until: shelfwire renders release --catalog ${slug}`,
      ]);
    });
}

export function releaseCommand(renders: Command, context: CommandContext): void {
  const { call, print } = withCalls(context, rollbackRoutes);
  renders
    .command("release")
    .description("publish new renders again after a rollback, and queue one")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog }: { catalog: string }) => {
      const queued = await call(catalog, "releasePublication", ReleaseAnswer);
      print(queued, () => [`Publication is not paused any more. The render ${queued.run_id} is queued.`]);
    });
}
