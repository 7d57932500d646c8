/** `shelfwire fetches`: who fetches the hosted files, and whether they have what is published. */
import type { Command } from "commander";
import { DEFAULT_FETCH_DAYS, type FeedConsumer, MAX_FETCH_DAYS } from "../../contract/feed-fetches.ts";
import { consumersOf } from "../../pipeline/receipts/fetches.ts";
import type { CommandContext } from "../context.ts";
import { wholeNumber } from "../options.ts";
import { ageText } from "../run-text.ts";
import { table } from "../table.ts";

export function fetchesCommand(program: Command, { withCatalog, print }: CommandContext): void {
  program
    .command("fetches")
    .description("list who fetches the feeds of a catalog, when, and how many renders they are behind")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--days <n>", "how many days are counted, with today", String(DEFAULT_FETCH_DAYS))
    .action(async ({ catalog: slug, days: text }: { catalog: string; days: string }) => {
      const days = Math.max(1, wholeNumber("--days", text, MAX_FETCH_DAYS));
      const consumers = await withCatalog(slug, async ({ id }, { db }) => consumersOf(db, id, days));
      print({ consumers }, () =>
        consumers.length === 0
          ? ["No feed of this catalog was fetched yet."]
          : table(
              ["file", "consumer", "last fetch", "status", "renders behind", `fetches in ${days}d`],
              rows(consumers),
            ),
      );
    });
}

const rows = (consumers: readonly FeedConsumer[]): string[][] =>
  consumers.map(({ file, consumer, last_fetched_at: at, last_status, renders_behind, fetches }) => [
    file,
    consumer,
    ageText(new Date(at)),
    String(last_status),
    String(renders_behind),
    String(fetches),
  ]);
