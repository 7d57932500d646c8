/** `shelfwire render`: renders a catalog's feeds now, or a catalog or any feed into a folder. */
import { counted } from "../../lib/counted.ts";
import { type Command, Option } from "commander";
import {
  CHANNEL_FILES,
  CHANNELS,
  type ChannelFile,
  FEED_FILES,
  fileOfChannel,
} from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import { type FolderRender, renderOffline, renderStored } from "../../pipeline/render/to-folder.ts";
import type { RenderStats } from "../../pipeline/render/publication.ts";
import type { FileStats } from "../../pipeline/render/tally.ts";
import { allRejectedError } from "../../pipeline/sync/rejection-summary.ts";
import { readCatalogSettings, type SettingTexts } from "../../setup/catalog-settings.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { requireCatalog } from "../find.ts";
import { openOffline } from "../offline.ts";
import { refuseOptions, settingOptions } from "../setting-options.ts";
import { fileLines, readLines } from "../sync-lines.ts";
import { commandChanges } from "../change-log.ts";
import { enqueueRender } from "../../store/runs.ts";

type RenderOptions = SettingTexts & { catalog?: string; out?: string; channel?: string };

export function renderCommand(program: Command, context: CommandContext): void {
  const render = program
    .command("render")
    .description("render a catalog's four feeds now; or a catalog or any feed into a folder")
    .argument("[file or URL]", "a feed to render, with --out; needs no server")
    .option("--catalog <slug>", "the catalog to render")
    .option("--out <folder>", "write the files there and publish nothing")
    .addOption(
      new Option("--channel <name>", "one file only, with --out").choices(
        CHANNEL_FILES.map((file) => CHANNELS[file].name),
      ),
    );
  settingOptions(render).action(
    async (target: string | undefined, { catalog, out, channel, ...texts }: RenderOptions) => {
      refuseUnclear({ target, catalog, out, channel });
      const folder = out === undefined ? undefined : { folder: out, files: filesOf(channel) };
      if (target !== undefined && folder !== undefined) return renderFeed(context, { target, folder, texts });
      if (catalog === undefined)
        throw new AppError(
          "invalid_request",
          "Name a catalog with --catalog, or a feed and a folder: render feed.csv --out feeds.",
        );
      return folder === undefined
        ? renderCatalogNow(context, catalog)
        : renderCatalogTo(context, catalog, folder);
    },
  );
}

function refuseUnclear(given: {
  readonly target: string | undefined;
  readonly catalog: string | undefined;
  readonly out: string | undefined;
  readonly channel: string | undefined;
}): void {
  if (given.target !== undefined && given.catalog !== undefined)
    throw new AppError(
      "invalid_request",
      "Give a feed with --out, or a catalog with --catalog, not both: --catalog renders what the catalog holds.",
    );
  if (given.channel !== undefined && given.out === undefined)
    throw new AppError(
      "invalid_request",
      "--channel writes one file into a folder; name the folder with --out. A render without --out publishes all four files.",
    );
}

function filesOf(channel: string | undefined): readonly ChannelFile[] {
  const file = channel === undefined ? undefined : fileOfChannel(channel);
  return file === undefined ? FEED_FILES : [file];
}

async function renderCatalogTo(
  { withSystem, print }: CommandContext,
  slug: string,
  folder: FolderRender,
): Promise<void> {
  const { items, files } = await withSystem(async ({ db }) =>
    renderStored(db, await requireCatalog(db, slug), folder),
  );
  print({ items, files }, () => lines(items, files));
}

async function renderCatalogNow({ withSystem, print, io }: CommandContext, slug: string): Promise<void> {
  const run = await withSystem(async (system) => {
    const { id } = await requireCatalog(system.db, slug);
    const runId = await system.db.tx(async (tx) => {
      const asked = await enqueueRender(tx, id, "command");
      await commandChanges("render").record(tx, id, { type: "feeds", runId: asked });
      return asked;
    });
    return (await awaitRun(system, io, runId)).run;
  });
  const stats = run.stats as RenderStats;
  print({ run_id: run.id, stats }, () => lines(stats.items, stats.files));
}

async function renderFeed(
  { config, print }: CommandContext,
  { target, folder, texts }: { target: string; folder: FolderRender; texts: SettingTexts },
): Promise<void> {
  const { settings, problems } = readCatalogSettings(texts);
  refuseOptions("rendered", problems);
  const { groups, stats } = await openOffline(config(), target, settings);
  const { upserted: items, unchanged: _unchanged, removed: _removed, ...read } = stats;
  const failure = items === 0 && read.rejected > 0 ? allRejectedError(stats, ADVICE) : undefined;
  if (failure) throw failure;
  const { files } = await renderOffline(groups, { ...folder, settings, now: new Date() });
  print({ items, files, read }, () => [...readLines(stats), ...lines(items, files)]);
}

const ADVICE = "Correct the feed, or give what it leaves open as options (--currency, --store-url).";

const lines = (items: number, files: Readonly<Record<string, FileStats>>): readonly string[] => [
  `${counted(items, "item")} rendered.`,
  ...fileLines(files),
];
