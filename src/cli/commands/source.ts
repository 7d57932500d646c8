/** `shelfwire source …` */
import type { Command } from "commander";
import { duration } from "../../config.ts";
import { MAX_INTERVAL_S, MIN_INTERVAL_S } from "../../contract/sources.ts";
import { AppError } from "../../errors.ts";
import { sampleSource } from "../../pipeline/sync/sample.ts";
import { CONNECTORS, isSourceKind } from "../../sources/registry.ts";
import { addSource, removeSource, settingsToTry, updateSource } from "../../setup/sources.ts";
import { newestSyncs } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import { listSources } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import type { CommandContext } from "../context.ts";
import { theCatalog, theSource } from "../find.ts";
import { dueText, failureText, resultText, runData } from "../run-text.ts";
import { sampleLines } from "../sample-lines.ts";
import { table } from "../table.ts";

type AddOptions = {
  catalog: string;
  kind: string;
  set: string[];
  name?: string;
  interval?: string;
  maxRemovedRatio?: string;
};

const collect = (value: string, previous: string[]): string[] => [...previous, value];

export function sourceCommands(program: Command, context: CommandContext): void {
  const source = program.command("source").description("add, change, test, list and remove sources");
  addCommand(source, context);
  updateCommand(source, context);
  listCommand(source, context);
  testCommand(source, context);
  removeCommand(source, context);
}

function addCommand(source: Command, { withSystem, print }: CommandContext): void {
  source
    .command("add")
    .description("add a source to a catalog; its first sync begins within seconds of a running server")
    .requiredOption("--catalog <slug>")
    .requiredOption("--kind <kind>", Object.keys(CONNECTORS).join(", "))
    .option(
      "--set <name=value>",
      "a setting, e.g. url=https://shop.example/feed.csv; may be repeated",
      collect,
      [],
    )
    .option("--name <name>", "what to call it")
    .option("--interval <time>", "how often it is synced, e.g. 6h")
    .option("--max-removed-ratio <ratio>", "largest share of its items one sync may remove, 0 to 1")
    .action(async ({ catalog, kind, set, name, interval, maxRemovedRatio }: AddOptions) => {
      const created = await withSystem(async ({ db, sealer, config }) => {
        const { id: catalogId } = await theCatalog(db, catalog);
        return addSource(db, sealer, {
          catalogId,
          kind,
          settings: parseSettings(set),
          intervalS: interval === undefined ? config.syncIntervalS : parseInterval(interval),
          ...(name !== undefined && { name }),
          ...(maxRemovedRatio !== undefined && { maxRemovedRatio: parseRatio(maxRemovedRatio) }),
        });
      });
      print(created, () => [`Added source ${created.id} (${created.kind}).`]);
    });
}

type UpdateOptions = Omit<AddOptions, "catalog" | "kind"> & { enabled?: string };

function updateCommand(source: Command, { withSystem, print }: CommandContext): void {
  source
    .command("update")
    .description("change a source; what is not named stays as it is")
    .argument("<id>")
    .option("--set <name=value>", "a setting; name= unsays it; may be repeated", collect, [])
    .option("--name <name>", "what to call it")
    .option("--enabled <yes|no>", "whether it is synced by itself")
    .option("--interval <time>", "how often it is synced, e.g. 6h")
    .option("--max-removed-ratio <ratio>", "largest share of its items one sync may remove, 0 to 1")
    .action(async (id: string, { set, name, enabled, interval, maxRemovedRatio }: UpdateOptions) => {
      const edit = {
        settings: parseSettings(set),
        ...(name !== undefined && { name }),
        ...(enabled !== undefined && { enabled: parseYesNo(enabled) }),
        ...(interval !== undefined && { intervalS: parseInterval(interval) }),
        ...(maxRemovedRatio !== undefined && { maxRemovedRatio: parseRatio(maxRemovedRatio) }),
      };
      const changed = await withSystem(async ({ db, sealer }) => {
        await updateSource(db, sealer, await theSource(db, id), edit);
        return shown(await theSource(db, id));
      });
      print(changed, () => [`Changed source ${id}.`]);
    });
}

function parseYesNo(text: string): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new AppError("invalid_request", `--enabled takes yes or no, not "${text}".`);
}

function parseInterval(text: string): number {
  const intervalS = readInterval(text);
  if (intervalS >= MIN_INTERVAL_S && intervalS <= MAX_INTERVAL_S) return intervalS;
  throw new AppError("invalid_request", "--interval must be from 5m to 7d.");
}

function readInterval(text: string): number {
  try {
    return duration(text);
  } catch (error) {
    throw new AppError("invalid_request", `--interval ${(error as Error).message}.`);
  }
}

/** An empty text is no zero: a source that may lose nothing would fail at its first change. */
const parseRatio = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

function parseSettings(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new AppError("invalid_request", `--set takes name=value, not "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function listCommand(source: Command, { withSystem, print }: CommandContext): void {
  source
    .command("list")
    .description("list a catalog's sources")
    .requiredOption("--catalog <slug>")
    .action(async ({ catalog }: { catalog: string }) => {
      const { rows, runs } = await withSystem(async ({ db }) => {
        const { id } = await theCatalog(db, catalog);
        const newest = await newestSyncs(db, id);
        return { rows: await listSources(db, id), runs: new Map(newest.map((run) => [run.sourceId, run])) };
      });
      const sources = rows.map((row) => ({ ...shown(row), last_run: lastRun(runs.get(row.id)) }));
      print({ sources }, () => [
        ...table(
          ["id", "kind", "name", "items", "last sync", "next sync", "address"],
          rows.map((row) => [
            row.id,
            row.kind,
            row.name,
            String(row.itemCount),
            resultText(runs.get(row.id)),
            row.enabled ? dueText(row.nextSyncAt) : "paused",
            addressOf(row),
          ]),
        ),
        ...rows.flatMap((row) => {
          const run = runs.get(row.id);
          return run?.state === "failed" ? [`${row.name} (${row.id}) failed: ${failureText(run)}`] : [];
        }),
      ]);
    });
}

const lastRun = (run: Run | undefined) => (run === undefined ? null : runData(run));

/** Where a source reads, as its connector knows it. */
function addressOf({ kind, settings }: SourceRow): string {
  return isSourceKind(kind) ? CONNECTORS[kind].destination(settings) : "";
}

function shown({
  id,
  kind,
  name,
  settings,
  enabled,
  intervalS,
  maxRemovedRatio,
  nextSyncAt,
  itemCount,
}: SourceRow) {
  return {
    id,
    kind,
    name,
    settings,
    enabled,
    interval_s: intervalS,
    max_removed_ratio: maxRemovedRatio,
    next_sync_at: nextSyncAt.toISOString(),
    items: itemCount,
  };
}

function testCommand(source: Command, { withSystem, print }: CommandContext): void {
  source
    .command("test")
    .description(
      "check the credentials, read the first 20 items and show what would become of them; changes nothing",
    )
    .argument("<id>")
    .action(async (id: string) => {
      const sampled = await withSystem(async ({ db, jobs, sealer }) => {
        const source = await theSource(db, id);
        const { catalogId, kind } = source;
        const settings = settingsToTry(sealer, source);
        return sampleSource(jobs, { catalogId, kind, settings }, new AbortController().signal);
      });
      print(sampled, () => sampleLines(sampled));
    });
}

function removeCommand(source: Command, { withSystem, print }: CommandContext): void {
  source
    .command("remove")
    .description(
      "remove a source; its items stay as if they had been pushed, until a source brings them again, or go with it",
    )
    .argument("<id>")
    .requiredOption("--items <keep|remove>", "what becomes of its items")
    .action(async (id: string, { items }: { items: string }) => {
      const fate = parseFate(items);
      const { removed, kept } = await withSystem(async ({ db }) => {
        await theSource(db, id);
        return removeSource(db, id, fate);
      });
      print({ id, removed: true, items_removed: removed, items_kept: kept }, () => [
        fate === "keep"
          ? `Removed source ${id}; its ${kept} items stay.`
          : `Removed source ${id} with ${removed} items.`,
      ]);
    });
}

function parseFate(text: string): "keep" | "remove" {
  if (text === "keep" || text === "remove") return text;
  throw new AppError("invalid_request", `--items takes keep or remove, not "${text}".`);
}
