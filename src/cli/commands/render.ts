/** `shelfwire render`: renders a catalog's feeds now, or any feed into a folder without a server or a database. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { renderOffline } from "../../pipeline/offline/render.ts";
import type { RenderStats } from "../../pipeline/render/publication.ts";
import type { FileStats } from "../../pipeline/render/tally.ts";
import { requestRender } from "../../pipeline/requests.ts";
import { allRejectedError } from "../../pipeline/sync/rejection-summary.ts";
import { readCatalogSettings, type SettingTexts } from "../../setup/catalog-settings.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { requireCatalog } from "../find.ts";
import { openOffline } from "../offline.ts";
import { refuseOptions, settingOptions } from "../setting-options.ts";
import { fileLines, readLines } from "../sync-lines.ts";
import { commandTrail } from "../trail.ts";

type RenderOptions = SettingTexts & { catalog?: string; out?: string };

export function renderCommand(program: Command, context: CommandContext): void {
  const render = program
    .command("render")
    .description("render a catalog's four feeds now; or any feed into a folder, without a server")
    .argument("[file or URL]", "a feed to render, with --out")
    .option("--catalog <slug>", "the catalog to render")
    .option("--out <folder>", "where the four files go");
  settingOptions(render).action(
    async (target: string | undefined, { catalog, out, ...texts }: RenderOptions) => {
      if (target !== undefined && catalog !== undefined)
        throw new AppError(
          "invalid_request",
          "Give a feed with --out, or a catalog with --catalog, not both: --catalog renders what the catalog holds.",
        );
      if (target !== undefined && out !== undefined) return renderFeed(context, { target, out, texts });
      if (target === undefined && catalog !== undefined) return renderCatalogNow(context, catalog);
      throw new AppError(
        "invalid_request",
        "Name a catalog with --catalog, or a feed and a folder: render feed.csv --out feeds.",
      );
    },
  );
}

async function renderCatalogNow({ withSystem, print, io }: CommandContext, slug: string): Promise<void> {
  const run = await withSystem(async (system) => {
    const { id } = await requireCatalog(system.db, slug);
    const runId = await system.db.tx(async (tx) => {
      const asked = await requestRender(tx, id, "command");
      await commandTrail("render").note(tx, id, { type: "feeds", runId: asked });
      return asked;
    });
    return (await awaitRun(system, io, runId)).run;
  });
  const stats = run.stats as RenderStats;
  print({ run_id: run.id, stats }, () => lines(stats.items, stats.files));
}

async function renderFeed(
  { config, print }: CommandContext,
  { target, out, texts }: { target: string; out: string; texts: SettingTexts },
): Promise<void> {
  const { settings, problems } = readCatalogSettings(texts);
  refuseOptions("rendered", problems);
  const { groups, stats } = await openOffline(config(), target, settings);
  const { upserted: items, unchanged: _unchanged, removed: _removed, ...read } = stats;
  const failure = items === 0 && read.rejected > 0 ? allRejectedError(stats, ADVICE) : undefined;
  if (failure) throw failure;
  const files = await renderOffline(groups, { folder: out, settings, now: new Date() });
  print({ items, files, read }, () => [...readLines(stats), ...lines(items, files)]);
}

const ADVICE = "Correct the feed, or give what it leaves open as options (--currency, --store-url).";

const lines = (items: number, files: Readonly<Record<string, FileStats>>): readonly string[] => [
  `${counted(items, "item")} rendered.`,
  ...fileLines(files),
];
