/** `shelfwire catalog …` */
import { counted } from "../../lib/counted.ts";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import {
  CATALOG_SETTING_KEYS,
  readCatalogSettings,
  type SettingTexts,
} from "../../setup/catalog-settings.ts";
import {
  createCatalog,
  MAX_FEED_OVERLAP_S,
  nameProblems,
  rotateFeedUrls,
  updateCatalog,
} from "../../setup/catalogs.ts";
import { fieldNames } from "../../setup/changes.ts";
import { removeCatalog } from "../../setup/remove-catalog.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext, Io } from "../context.ts";
import { requireCatalog } from "../find.ts";
import { refuseOptions, settingOptions } from "../setting-options.ts";
import type { System } from "../system.ts";
import { table } from "../table.ts";
import { secondsOf } from "../time-text.ts";
import { commandChanges } from "../change-log.ts";

type CreateOptions = SettingTexts & { slug: string; name: string };

export function catalogCommands(program: Command, context: CommandContext): void {
  const catalog = program.command("catalog").description("create, change, list and delete catalogs");
  createCommand(catalog, context);
  updateCommand(catalog, context);
  listCommand(catalog, context);
  rotateCommand(catalog, context);
  deleteCommand(catalog, context);
}

function rotateCommand(catalog: Command, { withSystem, print }: CommandContext): void {
  catalog
    .command("rotate-feed-url")
    .description("give a catalog's feeds new URLs; the old ones work for a while longer")
    .requiredOption("--slug <slug>", "which catalog")
    .option(
      "--overlap <time>",
      "how long the old URLs keep working, e.g. 7d, up to 90d; 0 ends them at once",
      "7d",
    )
    .action(async ({ slug, overlap }: { slug: string; overlap: string }) => {
      const overlapS = secondsOf("--overlap", overlap);
      if (overlapS > MAX_FEED_OVERLAP_S)
        throw new AppError("invalid_request", `--overlap takes a time up to 90d, not "${overlap}".`);
      const rotated = await withSystem(async ({ db, sealer, jobs }) => {
        const { id: catalogId } = await requireCatalog(db, slug);
        const recorded = commandChanges("catalog rotate-feed-url").recording(db, catalogId, {
          type: "feeds",
          fields: ["url"],
        });
        const { previousUntil } = await rotateFeedUrls(recorded, sealer, { catalogId, overlapS });
        const feeds = feedsOf(jobs, await requireCatalog(db, slug));
        return { slug, feeds, previous_until: previousUntil.toISOString() };
      });
      print(rotated, () => [
        overlapS === 0
          ? "The old feed URLs no longer work. The new ones:"
          : `The old feed URLs work until ${rotated.previous_until}. The new ones:`,
        ...rotated.feeds.map((url) => `  ${url}`),
      ]);
    });
}

function createCommand(catalog: Command, { withSystem, print }: CommandContext): void {
  const create = catalog
    .command("create")
    .description("create a catalog")
    .requiredOption("--slug <slug>", "its name in feed URLs: lowercase letters, digits, hyphens")
    .requiredOption("--name <name>", "its name for people");
  settingOptions(create).action(async ({ slug, name, ...texts }: CreateOptions) => {
    const { settings, problems } = readCatalogSettings(texts);
    refuseOptions("created", [...nameProblems({ slug, name }), ...problems]);
    const created = await withSystem(async ({ db, sealer, jobs }) => {
      const id = await db.tx(async (tx) => {
        const made = await createCatalog(tx, sealer, { slug, name, settings });
        const fields = fieldNames({ slug, name, settings });
        await commandChanges("catalog create").record(tx, made.id, { type: "catalog", id: slug, fields });
        return made.id;
      });
      return { id, slug, name, feeds: feedsOf(jobs, await requireCatalog(db, slug)) };
    });
    print(created, () => [
      `Created catalog ${created.slug} (${created.id}).`,
      "Its feeds will be here after the first sync or push:",
      ...created.feeds.map((url) => `  ${url}`),
    ]);
  });
}

function updateCommand(catalog: Command, { withSystem, print }: CommandContext): void {
  const update = catalog
    .command("update")
    .description("change a catalog's name or settings; an empty value clears a setting")
    .requiredOption("--slug <slug>", "which catalog")
    .option("--name <name>", "its new name for people");
  settingOptions(update).action(async ({ slug, name, ...texts }: UpdateOptions) => {
    const unset = CATALOG_SETTING_KEYS.filter((key) => texts[key] === "");
    const said = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
    const { settings: set, problems } = readCatalogSettings(said);
    refuseOptions("changed", [...(name === undefined ? [] : nameProblems({ slug, name })), ...problems]);
    if (name === undefined && Object.keys(texts).length === 0)
      throw new AppError("invalid_request", "Nothing to change: give at least one option beside --slug.");
    const { before, settings } = await withSystem(async ({ db }) => {
      const before = await requireCatalog(db, slug);
      const change = { set, unset, ...(name !== undefined && { name }) };
      const fields = fieldNames({ name, settings: texts });
      const recorded = commandChanges("catalog update").recording(db, before.id, {
        type: "catalog",
        id: slug,
        fields,
      });
      return { before, settings: await updateCatalog(recorded, before, change) };
    });
    const isSame = isDeepStrictEqual(before.settings, settings) && (name ?? before.name) === before.name;
    print({ slug, name: name ?? before.name, settings, changed: !isSame }, () => [
      isSame
        ? `Catalog ${slug} already has these settings; nothing was changed.`
        : `Changed catalog ${slug}. Its feeds are rendered with the new settings, and the next sync of each source reads everything again.`,
    ]);
  });
}

type UpdateOptions = SettingTexts & { slug: string; name?: string };

function deleteCommand(catalog: Command, { withSystem, print, io }: CommandContext): void {
  catalog
    .command("delete")
    .description(
      "delete a catalog with its items, sources, keys, webhooks and history; this cannot be undone",
    )
    .requiredOption("--slug <slug>", "which catalog")
    .option("--yes", "do not ask")
    .action(async ({ slug, yes = false }: { slug: string; yes?: boolean }) => {
      const deleted = await withSystem(async (system) => {
        const { id, itemCount } = await requireCatalog(system.db, slug);
        if (!yes) await confirm(io, slug, itemCount);
        const changeLog = commandChanges("catalog delete");
        const recorded = changeLog.recording(system.db, null, { type: "catalog", id: slug });
        const { items, runId } = await removeCatalog(recorded, id);
        await awaitRemoval(system, io, runId);
        return { id, slug, deleted: true, items };
      });
      print(deleted, () => [
        `Deleted catalog ${slug} with ${counted(deleted.items, "item")}. Its feed URLs answer 404.`,
      ]);
    });
}

/** The run is deleted with the catalog: that it is gone is its end. */
async function awaitRemoval(system: System, io: Io, runId: string): Promise<void> {
  try {
    await awaitRun(system, io, runId);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
  }
}

async function confirm({ input }: Io, slug: string, items: number): Promise<void> {
  const answer = await input?.ask?.(
    `Delete ${slug} with ${counted(items, "item")}, for good? Type its slug to confirm: `,
  );
  if (answer === undefined)
    throw new AppError(
      "invalid_request",
      "There is no terminal to confirm on: use --yes to delete without asking.",
    );
  if (answer.trim() !== slug) throw new AppError("invalid_request", "Not confirmed; nothing was deleted.");
}

function listCommand(catalog: Command, { withSystem, print }: CommandContext): void {
  catalog
    .command("list")
    .description("list catalogs with their feed URLs")
    .action(async () => {
      const catalogs = await withSystem(async ({ db, jobs }) =>
        (await listCatalogs(db)).map((catalog) => ({
          id: catalog.id,
          slug: catalog.slug,
          name: catalog.name,
          items: catalog.itemCount,
          feeds: feedsOf(jobs, catalog),
        })),
      );
      print({ catalogs }, () => [
        ...table(
          ["slug", "name", "items", "id"],
          catalogs.map(({ slug, name, items, id }) => [slug, name, String(items), id]),
        ),
        ...catalogs.flatMap(({ slug, feeds }) => [`Feeds of ${slug}:`, ...feeds.map((url) => `  ${url}`)]),
      ]);
    });
}

const feedsOf = ({ feedUrl }: System["jobs"], catalog: Catalog): readonly string[] =>
  FEED_FILES.map((file) => feedUrl(catalog, file));
