/** `shelfwire catalog …` */
import { counted } from "../../lib/counted.ts";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { AppError, invalidRequest } from "../../errors.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { CATALOG_SETTING_KEYS, type SettingTexts } from "../../setup/catalog-settings.ts";
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
import { readSettingOptions, secondsOf, settingOptions } from "../options.ts";
import type { System } from "../system.ts";
import { table } from "../table.ts";
import { commandChanges } from "../change-log.ts";

type CreateCatalogOptions = SettingTexts & { slug: string; name: string };

export function catalogCommands(program: Command, context: CommandContext): void {
  const catalog = program.command("catalog").description("create, change, list and delete catalogs");
  createCommand(catalog, context);
  updateCommand(catalog, context);
  listCommand(catalog, context);
  rotateCommand(catalog, context);
  deleteCommand(catalog, context);
}

function rotateCommand(catalog: Command, { withCatalog, print }: CommandContext): void {
  catalog
    .command("rotate-feed-url")
    .description("give a catalog's feeds new URLs; the old ones work for a while longer")
    .requiredOption("--slug <slug>", "which catalog")
    .option("--overlap <time>", "how long the old URLs work, e.g. 7d, up to 90d; 0 ends them at once", "7d")
    .action(async ({ slug, overlap }: { slug: string; overlap: string }) => {
      const overlapS = secondsOf("--overlap", overlap);
      if (overlapS > MAX_FEED_OVERLAP_S)
        throw invalidRequest(`--overlap must be at most 90d, not "${overlap}".`);
      const rotated = await withCatalog(slug, async ({ id: catalogId }, { db, encryption, jobs }) => {
        const target = { type: "feeds", fields: ["url"] } as const;
        const recorded = commandChanges("catalog rotate-feed-url").recording(db, catalogId, target);
        const { previousUntil } = await rotateFeedUrls(recorded, encryption, { catalogId, overlapS });
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
  settingOptions(create).action(async ({ slug, name, ...texts }: CreateCatalogOptions) => {
    const settings = readSettingOptions("created", texts, nameProblems({ slug, name }));
    const created = await withSystem(async ({ db, encryption, jobs }) => {
      const id = await db.tx(async (tx) => {
        const made = await createCatalog(tx, encryption, { slug, name, settings });
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

function updateCommand(catalog: Command, { withCatalog, print }: CommandContext): void {
  const update = catalog
    .command("update")
    .description("change a catalog's name or settings; an empty value clears a setting")
    .requiredOption("--slug <slug>", "which catalog")
    .option("--name <name>", "its new name for people");
  settingOptions(update).action(async ({ slug, name, ...texts }: UpdateCatalogOptions) => {
    const unset = CATALOG_SETTING_KEYS.filter((key) => texts[key] === "");
    const changed = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
    const set = readSettingOptions(
      "changed",
      changed,
      name === undefined ? [] : nameProblems({ slug, name }),
    );
    if (name === undefined && Object.keys(texts).length === 0)
      throw invalidRequest("Nothing to change: use at least one option in addition to --slug.");
    const { before, settings } = await withCatalog(slug, async (before, { db }) => {
      const change = { set, unset, ...(name !== undefined && { name }) };
      const target = { type: "catalog", id: slug, fields: fieldNames({ name, settings: texts }) } as const;
      const recorded = commandChanges("catalog update").recording(db, before.id, target);
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

type UpdateCatalogOptions = SettingTexts & { slug: string; name?: string };

function deleteCommand(catalog: Command, { withCatalog, print, io }: CommandContext): void {
  catalog
    .command("delete")
    .description("delete a catalog with its items, sources, keys, webhooks and history, permanently")
    .requiredOption("--slug <slug>", "which catalog")
    .option("--yes", "do not ask")
    .action(async ({ slug, yes = false }: { slug: string; yes?: boolean }) => {
      const deleted = await withCatalog(slug, async ({ id, itemCount }, system) => {
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

/** The run is deleted with the catalog, so a run that is not found has finished. */
async function awaitRemoval(system: System, io: Io, runId: string): Promise<void> {
  try {
    await awaitRun(system, io, runId);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
  }
}

async function confirm({ input }: Io, slug: string, items: number): Promise<void> {
  const answer = await input?.ask?.(
    `Delete ${slug} with ${counted(items, "item")}, permanently? Type its slug to confirm: `,
  );
  if (answer === undefined)
    throw invalidRequest("There is no terminal to confirm on: use --yes to delete without asking.");
  if (answer.trim() !== slug) throw invalidRequest("Not confirmed; nothing was deleted.");
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
