/** `shelfwire render`: renders a catalog's feeds now. */
import type { Command } from "commander";
import { requestRender } from "../../pipeline/requests.ts";
import type { RenderStats } from "../../pipeline/render.ts";
import type { CommandContext } from "../context.ts";
import { theCatalog } from "../find.ts";
import { awaitRun } from "../await-run.ts";

export function renderCommand(program: Command, { withSystem, print, io }: CommandContext): void {
  program
    .command("render")
    .description("render a catalog's four feeds now")
    .requiredOption("--catalog <slug>")
    .action(async ({ catalog: slug }: { catalog: string }) => {
      const run = await withSystem(async (system) => {
        const { id } = await theCatalog(system.db, slug);
        return awaitRun(system, io, await requestRender(system.db, id, "command"));
      });
      const stats = run.stats as RenderStats;
      print({ run_id: run.id, stats }, () => [
        `${stats.items} items rendered.`,
        ...Object.entries(stats.files).map(
          ([file, { written, excluded }]) => `  ${file}: ${written} written, ${excluded} left out`,
        ),
      ]);
    });
}
