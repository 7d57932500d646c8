/** `shelfwire push`: a file of products into the catalog, with or without a server running. */
import { basename } from "node:path";
import { access } from "node:fs/promises";
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { fileBytes } from "../../lib/formats/byte-stream.ts";
import { requestPush } from "../../pipeline/push/request.ts";
import type { PushRequest } from "../../pipeline/push/request.ts";
import type { CommandContext } from "../context.ts";
import { theCatalog } from "../find.ts";
import { ratio } from "../option-values.ts";
import { reportSync } from "../sync-report.ts";
import { commandTrail } from "../trail.ts";

type PushOptions = { catalog: string; replace?: boolean; maxRemovedRatio: string };

export function pushCommand(program: Command, context: CommandContext): void {
  program
    .command("push")
    .description(
      "add and change items, or single fields of items, from a file (.json or .jsonl, may be .gz or .zst), and delete those it says",
    )
    .argument("<file>")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--replace", "make the file all of the pushed items; those it does not name are removed")
    .option(
      "--max-removed-ratio <ratio>",
      "largest share of the items a replacement may remove, 0 to 1",
      "0.5",
    )
    .action(async (file: string, options: PushOptions) => {
      const body = await bodyOf(file, options);
      await context.withSystem(async (system) => {
        const catalog = await theCatalog(system.db, options.catalog);
        const { runId } = await requestPush(system.db, {
          ...body,
          catalogId: catalog.id,
          key: null,
          onOpen: async (tx, id) => commandTrail("push").note(tx, catalog.id, { type: "items", runId: id }),
        });
        await reportSync(context, system, { catalog, runId });
      });
    });
}

async function bodyOf(
  file: string,
  { replace = false, maxRemovedRatio }: PushOptions,
): Promise<Omit<PushRequest, "catalogId" | "key">> {
  const [, name = "", ending] = /^(.*?)(?:\.(gz|zst))?$/i.exec(basename(file)) ?? [];
  await access(file).catch((cause: unknown) => {
    throw new AppError("invalid_request", `There is no file ${file} that can be read.`, { cause });
  });
  return {
    mode: replace ? "replace" : "update",
    format: /\.(jsonl|ndjson)$/i.test(name) ? "json_lines" : "json",
    maxRemovedRatio: ratio("--max-removed-ratio", maxRemovedRatio),
    bytes: fileBytes(file),
    coding: ending === undefined ? "identity" : ending.toLowerCase() === "gz" ? "gzip" : "zstd",
    signal: new AbortController().signal,
  };
}
