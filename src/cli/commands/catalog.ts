/** `shelfwire catalog …` */
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
import { deleteCatalog, listCatalogs } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { CommandContext, Io } from "../context.ts";
import { theCatalog } from "../find.ts";
import { refuseOptions, settingOptions } from "../setting-options.ts";
import type { System } from "../system.ts";
import { table } from "../table.ts";
import { secondsOf } from "../time-text.ts";

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
      "how long the old URLs go on working, e.g. 7d, up to 90d; 0: not at all",
      "7d",
    )
    .action(async ({ slug, overlap }: { slug: string; overlap: string }) => {
      const overlapS = secondsOf("--overlap", overlap);
      if (overlapS > MAX_FEED_OVERLAP_S)
        throw new AppError("invalid_request", `--overlap takes a time up to 90d, not "${overlap}".`);
      const rotated = await withSystem(async ({ db, sealer, jobs }) => {
        const { id: catalogId } = await theCatalog(db, slug);
        const { previousUntil } = await rotateFeedUrls(db, sealer, { catalogId, overlapS });
        const feeds = feedsOf(jobs, await theCatalog(db, slug));
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
    .requiredOption("--slug <slug>", "its name in feed URLs: small letters, digits, dashes")
    .requiredOption("--name <name>", "its name for people");
  settingOptions(create).action(async ({ slug, name, ...texts }: CreateOptions) => {
    const { settings, problems } = readCatalogSettings(texts);
    refuseOptions("created", [...nameProblems({ slug, name }), ...problems]);
    const created = await withSystem(async ({ db, sealer, jobs }) => {
      const { id } = await createCatalog(db, sealer, { slug, name, settings });
      return { id, slug, name, feeds: feedsOf(jobs, await theCatalog(db, slug)) };
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
      const before = await theCatalog(db, slug);
      const change = { set, unset, ...(name !== undefined && { name }) };
      return { before, settings: await updateCatalog(db, before, change) };
    });
    const isSame = isDeepStrictEqual(before.settings, settings) && (name ?? before.name) === before.name;
    print({ slug, name: name ?? before.name, settings, changed: !isSame }, () => [
      isSame
        ? `Catalog ${slug} is like that already; nothing was changed.`
        : `Changed catalog ${slug}. Its feeds are rendered with the new settings, and the next sync of each source reads everything again.`,
    ]);
  });
}

type UpdateOptions = SettingTexts & { slug: string; name?: string };

function deleteCommand(catalog: Command, { withSystem, print, io }: CommandContext): void {
  catalog
    .command("delete")
    .description("delete a catalog with its items, sources, keys, webhooks and history, for good")
    .requiredOption("--slug <slug>", "which catalog")
    .option("--yes", "do not ask")
    .action(async ({ slug, yes = false }: { slug: string; yes?: boolean }) => {
      const deleted = await withSystem(async ({ db, jobs }) => {
        const { id, itemCount } = await theCatalog(db, slug);
        if (!yes) await confirm(io, slug, itemCount);
        if (!(await deleteCatalog(db, id))) throw new AppError("not_found", `There is no catalog "${slug}".`);
        await jobs.folders.sweep(id, async () => new Set());
        return { id, slug, deleted: true, items: itemCount };
      });
      print(deleted, () => [
        `Deleted catalog ${slug} with ${deleted.items} items. Its feed URLs answer 404.`,
      ]);
    });
}

async function confirm({ input }: Io, slug: string, items: number): Promise<void> {
  const answer = await input?.ask?.(
    `Delete ${slug} with ${items} items, for good? Type its slug to confirm: `,
  );
  if (answer === undefined)
    throw new AppError(
      "invalid_request",
      "There is no terminal to confirm on: give --yes to delete without asking.",
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
