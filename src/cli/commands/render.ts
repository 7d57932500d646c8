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
import { AppError, invalidRequest } from "../../errors.ts";
import { findRunBeforeRender } from "../../pipeline/publication/outcome.ts";
import { isVerified, verifyRender } from "../../pipeline/publication/verify.ts";
import { type FolderRender, renderOffline, renderStored } from "../../pipeline/render/to-folder.ts";
import type { RenderStats } from "../../pipeline/render/render.ts";
import type { FileStats } from "../../pipeline/render/tally.ts";
import { allRejectedError } from "../../pipeline/sync/rejection-summary.ts";
import type { SettingTexts } from "../../setup/catalog-settings.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import {
  type OfflineFileOptions,
  fileOptions,
  type OfflineFeed,
  openOffline,
  takeFileOptions,
} from "../offline.ts";
import type { System } from "../system.ts";
import { notVerified } from "./verify.ts";
import { readSettingOptions, settingOptions } from "../options.ts";
import { fileLines, readLines } from "../sync-lines.ts";
import { commandChanges } from "../change-log.ts";
import { forgetRenders } from "../../store/catalogs.ts";
import { enqueueRender, type RunGuard } from "../../store/runs.ts";

type RenderOptions = SettingTexts &
  OfflineFileOptions & {
    catalog?: string;
    out?: string;
    channel?: string;
    full?: boolean;
    verify?: boolean;
    publish?: boolean;
  };

export function renderCommand(program: Command, context: CommandContext): void {
  const render = program
    .command("render")
    .description("render a catalog's four feeds now; or a catalog or any feed into a folder")
    .argument("[file or URL]", "a feed to render, with --out; needs no server")
    .option("--catalog <slug>", "the catalog to render")
    .option("--out <folder>", "write the files there and publish nothing")
    .option("--full", "render all items, also those that have not changed since the last render")
    .option("--verify", "afterwards, compare the published files with a complete render")
    .option("--publish", "publish the new files even if they exceed limits of the publish guard")
    .addOption(
      new Option("--channel <name>", "one file only, with --out").choices(
        CHANNEL_FILES.map((file) => CHANNELS[file].name),
      ),
    );
  settingOptions(fileOptions(render)).action(async (target: string | undefined, options: RenderOptions) => {
    const { file, rest } = takeFileOptions(options);
    const { catalog, out, channel, full = false, verify = false, publish = false, ...texts } = rest;
    refuseUnclear(target, options);
    const folder = out === undefined ? undefined : { folder: out, files: filesOf(channel) };
    if (target !== undefined && folder !== undefined)
      return renderFeed(context, { target, folder, texts, file });
    if (catalog === undefined)
      throw invalidRequest(
        "Name a catalog with --catalog, or a feed and a folder: render feed.csv --out feeds.",
      );
    return folder === undefined
      ? renderCatalogNow(context, catalog, { full, verify, guard: publish ? "publish" : "hold" })
      : renderCatalogTo(context, catalog, folder);
  });
}

function refuseUnclear(
  target: string | undefined,
  { catalog, out, channel, full, verify, publish }: RenderOptions,
): void {
  if (target !== undefined && catalog !== undefined)
    throw invalidRequest("Name either a feed (with --out) or a catalog (with --catalog), not both.");
  if (out !== undefined && (full || verify || publish))
    throw invalidRequest(
      "--full, --verify and --publish are for published files. A render into a folder is always complete.",
    );
  if (channel !== undefined && out === undefined)
    throw invalidRequest(
      "--channel writes one file to a folder: name the folder with --out. Without --out all four files are published.",
    );
}

function filesOf(channel: string | undefined): readonly ChannelFile[] {
  const file = channel === undefined ? undefined : fileOfChannel(channel);
  return file === undefined ? FEED_FILES : [file];
}

async function renderCatalogTo(
  { withCatalog, print }: CommandContext,
  slug: string,
  folder: FolderRender,
): Promise<void> {
  const { items, files } = await withCatalog(slug, async (catalog, { db }) =>
    renderStored(db, catalog, folder),
  );
  print({ items, files }, () => lines(items, files));
}

async function renderCatalogNow(
  { withCatalog, print, io }: CommandContext,
  slug: string,
  { full, verify, guard }: { readonly full: boolean; readonly verify: boolean; readonly guard: RunGuard },
): Promise<void> {
  const { run, verified } = await withCatalog(slug, async ({ id }, system) => {
    const pending = await findRunBeforeRender(system.db, id);
    if (pending !== undefined) await awaitRun(system, io, pending);
    const runId = await system.db.tx(async (tx) => {
      if (full) await forgetRenders(tx, id);
      const queued = await enqueueRender(tx, id, "command", { guard });
      await commandChanges("render").record(tx, id, { type: "feeds", runId: queued });
      return queued;
    });
    const ended = await awaitRun(system, io, runId);
    return { run: ended.run, verified: verify ? await verifiedFiles(system, { catalogId: id, runId }) : [] };
  });
  const stats = run.stats as RenderStats;
  print({ run_id: run.id, stats, ...(verify && { verified }) }, () => [
    ...lines(stats.items, stats.files),
    ...(verify ? ["All files are the same as those of a complete render."] : []),
  ]);
}

/** Throws if a file differs from that of a complete render. */
async function verifiedFiles(
  { db, jobs }: System,
  render: { readonly catalogId: string; readonly runId: string },
): Promise<readonly object[]> {
  const verified = await verifyRender({ db, folders: jobs.folders }, render);
  if (!isVerified(verified)) throw notVerified(verified);
  if (verified.whyNotRebuilt !== null)
    throw new AppError(
      "conflict",
      `The files cannot be compared. ${verified.whyNotRebuilt} Render it again.`,
    );
  return verified.files.map(({ file, etag, rebuilt }) => ({ file, etag, isSame: rebuilt === "same" }));
}

type FeedRender = Pick<OfflineFeed, "target" | "file"> & {
  readonly folder: FolderRender;
  readonly texts: SettingTexts;
};

async function renderFeed(
  { config, print }: CommandContext,
  { target, folder, texts, file }: FeedRender,
): Promise<void> {
  const settings = readSettingOptions("rendered", texts);
  const { groups, stats } = await openOffline(config(), { target, settings, file });
  const { upserted: items, unchanged: _unchanged, removed: _removed, ...read } = stats;
  const failure = items === 0 && read.rejected > 0 ? allRejectedError(stats, ADVICE) : undefined;
  if (failure) throw failure;
  const { files } = await renderOffline(groups, { ...folder, settings, now: new Date() });
  print({ items, files, read }, () => [...readLines(stats), ...lines(items, files)]);
}

const ADVICE =
  "Correct the feed, or add what it lacks by options (--currency, --store-url, --columns, --link-template, --encoding, --decimal-mark).";

const lines = (items: number, files: Readonly<Record<string, FileStats>>): readonly string[] => [
  `${counted(items, "item")} rendered.`,
  ...fileLines(files),
];
