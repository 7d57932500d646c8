/** `shelfwire push`: a file of products into the catalog, with or without a server running. */
import { constants, type Stats } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Command } from "commander";
import { AppError, invalidRequest, systemCode } from "../../errors.ts";
import { fileBytes } from "../../lib/formats/byte-stream.ts";
import { requestPush } from "../../pipeline/push/request.ts";
import type { PushRequest } from "../../pipeline/push/request.ts";
import { checkFeedUrl, DECIMAL_MARKS, FORMATS } from "../../sources/feed-url/settings.ts";
import type { CommandContext, Io } from "../context.ts";
import { choice, collect, ratio } from "../options.ts";
import { readSourceSettings } from "../source-settings.ts";
import { reportSync } from "../sync-report.ts";
import { findOpenPush } from "../../store/pushes.ts";
import { awaitRun } from "../await-run.ts";
import { commandChanges } from "../change-log.ts";

type PushOptions = {
  catalog: string;
  replace?: boolean;
  maxRemovedRatio: string;
  publish?: boolean;
  set: readonly string[];
};

/** How to read the file: settings of a feed URL. */
const SETTINGS = ["format", "store_url", "decimal_mark", "encoding", "columns", "link_template"] as const;

const HELP = `
The file may be CSV, TSV, XML, JSON, JSON Lines or the export of a shop system, compressed or not (gzip, zip, zstd):
every format of a feed URL. It is detected by content; only names that end in .json or .jsonl decide by themselves. A JSON
product can also change single fields of an item, or delete it: docs/push.md.

Settings for --set, as of a feed URL:
  format             one of ${FORMATS.join(", ")}; reads JSON as a feed, too
  store_url          the shop's address, where relative links start
  decimal_mark       . or , where prices such as 1.299 can be read two ways; for JSON, too
  encoding           of the text, such as windows-1250, if letters come out wrong
  columns            which column feeds which field: "Their name = our_name; Other = other"; @FILE reads it from a file
  link_template      the address of a product's page, with column names in braces

Examples:
  shelfwire push products.csv --catalog shop --replace
  shelfwire push export.xml.gz --catalog shop
  curl -s https://shop.example/feed.csv | shelfwire push - --catalog shop
`;

export function pushCommand(program: Command, context: CommandContext): void {
  program
    .command("push")
    .description(
      "add and change items from a file of any feed format (CSV, TSV, XML, JSON …), or replace all pushed items",
    )
    .argument("<file>", "the file, or - for standard input")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--replace", "replace all pushed items by the file; items that are not in it are removed")
    .option(
      "--max-removed-ratio <ratio>",
      "largest share of the items a replacement may remove, 0 to 1",
      "0.5",
    )
    .option("--publish", "publish the new files even if they exceed limits of the publish guard")
    .option("--set <name=value>", "how to read the file, see below; may be repeated", collect, [])
    .addHelpText("after", HELP)
    .action(async (file: string, options: PushOptions) => {
      const body = await bodyOf(context.io, file, options);
      await context.withCatalog(options.catalog, async (catalog, system) => {
        // Without a worker, only this command can end a push before it that was interrupted.
        const before = await findOpenPush(system.db, catalog.id);
        if (before !== undefined) await awaitRun(system, context.io, before).catch(() => undefined);
        const { runId } = await requestPush(system, {
          ...body,
          catalogId: catalog.id,
          key: null,
          guard: options.publish === true ? "publish" : "hold",
          onOpen: async (tx, id) =>
            commandChanges("push").record(tx, catalog.id, { type: "items", runId: id }),
        });
        await reportSync(context, system, { catalog, runId });
      });
    });
}

async function bodyOf(
  io: Io,
  file: string,
  { replace = false, maxRemovedRatio, set }: PushOptions,
): Promise<Omit<PushRequest, "catalogId" | "key">> {
  const settings = await fileSettings(io, set);
  return {
    mode: replace ? "replace" : "update",
    ...formatOf(file, settings),
    maxRemovedRatio: ratio("--max-removed-ratio", maxRemovedRatio),
    bytes: await bytesOf(io, file),
    signal: new AbortController().signal,
  };
}

async function fileSettings(io: Io, pairs: readonly string[]): Promise<Record<string, string>> {
  const settings = await readSourceSettings(io, pairs);
  for (const name of Object.keys(settings)) choice("--set", name, SETTINGS);
  if (settings["format"] !== undefined) choice("--set format", settings["format"], FORMATS);
  if (settings["decimal_mark"] !== undefined)
    choice("--set decimal_mark", settings["decimal_mark"], DECIMAL_MARKS);
  const [problem] = checkFeedUrl(settings);
  if (problem) throw invalidRequest(`--set ${problem.setting}: ${problem.detail}`);
  return settings;
}

/** A file with a JSON name is read as push JSON, which can do more than a feed. All others are detected by content. */
function formatOf(
  file: string,
  settings: Readonly<Record<string, string>>,
): Pick<PushRequest, "format" | "file" | "coding"> {
  const [, name = "", packing] = /^(.*?)(?:\.(gz|zst))?$/i.exec(basename(file)) ?? [];
  const json = /\.(?:json|(jsonl|ndjson))$/i.exec(name);
  if (json === null || Object.keys(settings).length > 0)
    return { format: "file", file: { charset: null, settings }, coding: "identity" };
  return {
    format: json[1] === undefined ? "json" : "json_lines",
    file: null,
    coding: packing === undefined ? "identity" : packing.toLowerCase() === "gz" ? "gzip" : "zstd",
  };
}

async function bytesOf({ input }: Io, file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === "-") {
    if (input?.bytes) return input.bytes();
    throw invalidRequest("There is no standard input to read for -. Name a file.");
  }
  const stats = await readableStats(file).catch((cause: unknown) => {
    throw new AppError("invalid_request", unreadable(file, cause), { cause });
  });
  if (stats.isDirectory()) throw invalidRequest(`${file} is a folder. Name a file in it.`);
  // A pipe has no size, and must not be opened twice.
  if (stats.isFile() && stats.size === 0) throw invalidRequest(`${file} is empty. Nothing was changed.`);
  return fileBytes(file);
}

async function readableStats(file: string): Promise<Stats> {
  const stats = await stat(file);
  await access(file, constants.R_OK);
  return stats;
}

function unreadable(file: string, cause: unknown): string {
  const code = systemCode(cause);
  if (code === "ENOENT") return `There is no file ${file}. Relative paths start in the current folder.`;
  if (code === "EACCES" || code === "EPERM") return `${file} cannot be read: permission denied.`;
  return `${file} cannot be read${code === "" ? "" : ` (${code})`}.`;
}
