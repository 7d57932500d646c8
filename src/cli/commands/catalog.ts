/** `shelfwire catalog …` */
import type { Command } from "commander";
import { FEED_FILES } from "../../feeds/format.ts";
import { feedUrl } from "../../http/feed-url.ts";
import { createCatalog, openFeedToken } from "../../setup/catalogs.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import type { CommandContext } from "../context.ts";
import { table } from "../table.ts";

type CreateOptions = {
  slug: string;
  name: string;
  currency?: string;
  country?: string;
  language?: string;
  sellerName?: string;
  storeUrl?: string;
  returnPolicyUrl?: string;
  privacyPolicyUrl?: string;
  termsUrl?: string;
};

export function catalogCommands(program: Command, { withSystem, print }: CommandContext): void {
  const catalog = program.command("catalog").description("create and list catalogs");

  catalog
    .command("create")
    .description("create a catalog")
    .requiredOption("--slug <slug>", "its name in feed URLs: small letters, digits, dashes")
    .requiredOption("--name <name>", "its name for people")
    .option("--currency <code>", "currency of prices that name none, e.g. USD")
    .option("--country <code>", "where the shop sells, e.g. US")
    .option("--language <code>", "language of the texts, e.g. en")
    .option("--seller-name <name>", "who sells; the catalog's name if not given")
    .option("--store-url <url>", "the shop's address")
    .option("--return-policy-url <url>")
    .option("--privacy-policy-url <url>")
    .option("--terms-url <url>")
    .action(async ({ slug, name, json: _json, ...settings }: CreateOptions & { json?: boolean }) => {
      const created = await withSystem(async ({ db, sealer }) =>
        createCatalog(db, sealer, { slug, name, settings }),
      );
      print(created, () => [`Created catalog ${created.slug} (${created.id}).`]);
    });

  catalog
    .command("list")
    .description("list catalogs with their feed URLs")
    .action(async () => {
      const catalogs = await withSystem(async ({ db, sealer, config }) =>
        (await listCatalogs(db)).map(({ id, slug, name, itemCount, feedTokenSealed }) => {
          const token = openFeedToken(sealer)(feedTokenSealed);
          return {
            id,
            slug,
            name,
            items: itemCount,
            feeds: FEED_FILES.map((file) => feedUrl(config.baseUrl, { slug, token, file })),
          };
        }),
      );
      print({ catalogs }, () =>
        table(
          ["slug", "name", "items", "id"],
          catalogs.map(({ slug, name, items, id }) => [slug, name, String(items), id]),
        ),
      );
    });
}
