/** `shelfwire catalog …` */
import type { Command } from "commander";
import { FEED_FILES } from "../../feeds/format.ts";
import {
  CATALOG_SETTING_KEYS,
  readCatalogSettings,
  type SettingTexts,
} from "../../setup/catalog-settings.ts";
import { createCatalog, nameProblems, refuse, updateCatalog } from "../../setup/catalogs.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { CommandContext } from "../context.ts";
import { theCatalog } from "../find.ts";
import { settingOptions } from "../setting-options.ts";
import type { System } from "../system.ts";
import { table } from "../table.ts";

type CreateOptions = SettingTexts & { slug: string; name: string };

export function catalogCommands(program: Command, context: CommandContext): void {
  const catalog = program.command("catalog").description("create, change and list catalogs");
  createCommand(catalog, context);
  updateCommand(catalog, context);
  listCommand(catalog, context);
}

function createCommand(catalog: Command, { withSystem, print }: CommandContext): void {
  const create = catalog
    .command("create")
    .description("create a catalog")
    .requiredOption("--slug <slug>", "its name in feed URLs: small letters, digits, dashes")
    .requiredOption("--name <name>", "its name for people");
  settingOptions(create).action(async ({ slug, name, ...texts }: CreateOptions) => {
    const { settings, problems } = readCatalogSettings(texts);
    refuse("created", [...nameProblems({ slug, name }), ...problems]);
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
    .description('change what a catalog says about itself; "" unsays a setting')
    .requiredOption("--slug <slug>", "which catalog");
  settingOptions(update).action(async ({ slug, ...texts }: SettingTexts & { slug: string }) => {
    const unset = CATALOG_SETTING_KEYS.filter((key) => texts[key] === "");
    const said = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
    const { settings: set, problems } = readCatalogSettings(said);
    refuse("changed", problems);
    const settings = await withSystem(async ({ db }) =>
      updateCatalog(db, await theCatalog(db, slug), { set, unset }),
    );
    print({ slug, settings }, () => [
      `Changed catalog ${slug}. Its feeds are rendered with the new settings, and the next sync of each source reads everything again.`,
    ]);
  });
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
