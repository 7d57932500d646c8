/**
 * `shelfwire renders rollback` and `renders release`: serve the files of an earlier render, and publish new ones again.
 */
import type { Command } from "commander";
import { invalidRequest } from "../../errors.ts";
import { releaseCatalog, rollBack } from "../../pipeline/publication/decide.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { commandChanges, commandUser } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { requireRender } from "../find.ts";

export function rollbackCommand(renders: Command, { withSystem, print }: CommandContext): void {
  renders
    .command("rollback")
    .description("serve the files of an earlier render again, and hold new ones until release")
    .argument("<render>", "the id of the render's run")
    .requiredOption("--reason <text>", "why; it is kept and shown")
    .action(async (render: string, { reason }: { reason: string }) => {
      if (reason.trim() === "") throw invalidRequest("--reason must not be empty.");
      const { id, slug } = await withSystem(async ({ db, jobs }) => {
        const { catalogId, id: runId } = await requireRender(db, render);
        const target = { type: "render", id: runId, fields: ["published", "publication"] } as const;
        const recorded = commandChanges("renders rollback").recording(db, catalogId, target);
        const by = { name: commandUser(), keyId: null };
        const restored = { catalogId, runId, reason: reason.trim(), by };
        return {
          id: await rollBack({ ...jobs, db: recorded }, restored),
          slug: (await findCatalog(db, catalogId))?.slug,
        };
      });
      print({ run_id: id, restores: render }, () => [
        `The feed URLs serve the files of ${render} again, as the render ${id}.`,
        `New renders are held until: shelfwire renders release --catalog ${slug}`,
      ]);
    });
}

export function releaseCommand(renders: Command, { withCatalog, print }: CommandContext): void {
  renders
    .command("release")
    .description("publish new renders again after a rollback, and queue one")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const runId = await withCatalog(slug, async ({ id }, { db }) =>
        releaseCatalog(
          commandChanges("renders release").recording(db, id, { type: "feeds", fields: ["publication"] }),
          id,
        ),
      );
      print({ run_id: runId }, () => [`Publication is not paused any more. The render ${runId} is queued.`]);
    });
}
