/** `shelfwire source …` */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { MAX_INTERVAL_S, MIN_INTERVAL_S, RemovedSourceAnswer, SourceAnswer } from "../../contract/sources.ts";
import { invalidRequest } from "../../errors.ts";
import { sourceRoutes } from "../../http/routes/sources.ts";
import { defined } from "../../lib/defined.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { requestSourceTest } from "../../pipeline/source-tests/request.ts";
import { sampleSource } from "../../pipeline/sync/sample.ts";
import type { Sampled, SourceToTry } from "../../pipeline/sync/sample.ts";
import { CONNECTORS, isSourceKind } from "../../sources/registry.ts";
import { newSettingsToTry, settingsToTry, shownSettings } from "../../setup/sources.ts";
import { newestSyncs } from "../../store/newest-syncs.ts";
import { listSources } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import { callsIn } from "../api.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { requireSource } from "../find.ts";
import { choice, collect, ratio, secondsOf, yesOrNo } from "../options.ts";
import { isWorkerRunning } from "../process-locks.ts";
import { failureText, nextSyncText, resultText, runData } from "../run-text.ts";
import { sampleLines } from "../sample-lines.ts";
import { askForSecrets, readSourceSettings, settingsHelp } from "../source-settings.ts";
import type { System } from "../system.ts";
import { table } from "../table.ts";

type AddOptions = {
  catalog: string;
  kind: string;
  set: readonly string[];
  name?: string;
  interval?: string;
  maxRemovedRatio?: string;
  test?: boolean;
};

export function sourceCommands(program: Command, context: CommandContext): void {
  const source = program.command("source").description("add, change, test, list and remove sources");
  addCommand(source, context);
  updateCommand(source, context);
  listCommand(source, context);
  testCommand(source, context);
  removeCommand(source, context);
}

function addCommand(source: Command, { withCatalog, command, print, io }: CommandContext): void {
  source
    .command("add")
    .description("add a source to a catalog; its first sync begins within seconds of a running server")
    .requiredOption("--catalog <slug>", "which catalog")
    .requiredOption("--kind <kind>", Object.keys(CONNECTORS).join(", "))
    .option(
      "--set <name=value>",
      "a setting, e.g. url=https://shop.example/feed.csv; name=@file and name=- read it; may be repeated",
      collect,
      [],
    )
    .option("--name <name>", "what to call it")
    .option("--interval <time>", "how often it is synced, e.g. 6h")
    .option("--max-removed-ratio <ratio>", "largest share of its items one sync may remove, 0 to 1")
    .option("--test", "only check the credentials and show the first 20 items; the source is not added")
    .addHelpText("after", settingsHelp)
    .action(async ({ catalog, kind, set, name, interval, maxRemovedRatio, test = false }: AddOptions) => {
      const share = maxRemovedRatio === undefined ? undefined : ratio("--max-removed-ratio", maxRemovedRatio);
      const seconds = interval === undefined ? undefined : parseInterval(interval);
      const settings = await askForSecrets(io, kind, await readSourceSettings(io, set));
      if (test) {
        const sampled = await withCatalog(catalog, async ({ id: catalogId }, system) =>
          testSource(system, { catalogId, kind, settings: newSettingsToTry(kind, settings) }),
        );
        return print(sampled, () => sampleLines(sampled));
      }
      const fields = { kind, settings, name, interval_s: seconds, max_removed_ratio: share };
      const created = await withCatalog(catalog, async ({ id: catalogId }, system) => {
        const call = callsIn(system, sourceRoutes, { catalogId, command: command() });
        const added = await call("addSource", SourceAnswer, fields);
        return { id: added.id, kind: added.kind };
      });
      print(created, () => [`Added source ${created.id} (${created.kind}).`]);
    });
}

type UpdateSourceOptions = Omit<AddOptions, "catalog" | "kind"> & { enabled?: string; hold?: boolean };

function updateCommand(source: Command, { withSystem, command, print, io }: CommandContext): void {
  source
    .command("update")
    .description("change a source; other settings are unchanged")
    .argument("<id>", "the source's id, from source list")
    .option(
      "--set <name=value>",
      "a setting; name= clears it, name=@file and name=- read it; may be repeated",
      collect,
      [],
    )
    .option("--name <name>", "what to call it")
    .option("--enabled <yes|no>", "whether it is synced on its schedule")
    .option("--interval <time>", "how often it is synced, e.g. 6h")
    .option("--max-removed-ratio <ratio>", "largest share of its items one sync may remove, 0 to 1")
    .option("--hold", "hold the files of the next sync if new settings change them by more than the limits")
    .addHelpText("after", settingsHelp)
    .action(
      async (id: string, { set, name, enabled, interval, maxRemovedRatio, hold }: UpdateSourceOptions) => {
        const settings = await readSourceSettings(io, set);
        const edit = defined({
          id,
          guard: hold === true ? "hold" : undefined,
          settings: set.length === 0 ? undefined : settings,
          name,
          enabled: yesOrNo("--enabled", enabled),
          interval_s: interval === undefined ? undefined : parseInterval(interval),
          max_removed_ratio:
            maxRemovedRatio === undefined ? undefined : ratio("--max-removed-ratio", maxRemovedRatio),
        });
        const changed = await withSystem(async (system) => {
          const { catalogId } = await requireSource(system.db, id);
          const call = callsIn(system, sourceRoutes, { catalogId, command: command() });
          await call("changeSource", SourceAnswer, edit);
          return sourceData(await requireSource(system.db, id));
        });
        print(changed, () => [`Changed source ${id}.`]);
      },
    );
}

function parseInterval(text: string): number {
  const intervalS = secondsOf("--interval", text);
  if (intervalS >= MIN_INTERVAL_S && intervalS <= MAX_INTERVAL_S) return intervalS;
  throw invalidRequest("--interval must be from 5m to 7d.");
}

function listCommand(source: Command, { withCatalog, print }: CommandContext): void {
  source
    .command("list")
    .description("list a catalog's sources, how their last syncs went and when the next are due")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async ({ catalog }: { catalog: string }) => {
      const { rows, runs } = await withCatalog(catalog, async ({ id }, { db }) => {
        const newest = await newestSyncs(db, id);
        return { rows: await listSources(db, id), runs: new Map(newest.map((run) => [run.sourceId, run])) };
      });
      const sources = rows.map((row) => {
        const run = runs.get(row.id);
        return { ...sourceData(row), last_run: run === undefined ? null : runData(run) };
      });
      print({ sources }, () => [
        ...table(
          ["id", "kind", "name", "items", "last sync", "next sync", "address"],
          rows.map((row) => [
            row.id,
            row.kind,
            row.name,
            String(row.itemCount),
            resultText(runs.get(row.id)),
            nextSyncText(row),
            addressOf(row),
          ]),
        ),
        ...rows.flatMap((row) => {
          const run = runs.get(row.id);
          return run?.state === "failed" ? [`${row.name} (${row.id}) failed: ${failureText(run)}`] : [];
        }),
        ...rows.flatMap(({ id, name, shopWebhooks: hooks, deletionCheck: check }) => [
          ...(hooks?.status === "off"
            ? [`${name} (${id}): webhooks of the shop are off. ${hooks.message ?? ""}`]
            : []),
          ...(check?.message
            ? [`${name} (${id}): the check for deleted products failed. ${check.message}`]
            : []),
        ]),
      ]);
    });
}

/** Where the source is read. */
function addressOf(source: SourceRow): string {
  const { kind } = source;
  return isSourceKind(kind) ? CONNECTORS[kind].destination(shownSettings(source)) : "";
}

function sourceData(source: SourceRow) {
  const { itemCount: items } = source;
  const { id, kind, name, enabled, intervalS, maxRemovedRatio, nextSyncAt } = source;
  const data = withSnakeCase({ id, kind, name, enabled, intervalS, maxRemovedRatio, nextSyncAt, items });
  return { ...data, settings: shownSettings(source) };
}

/** By a worker, with its settings; by this process if no worker is running. */
async function testSource(system: System, source: SourceToTry): Promise<Sampled> {
  const { stopping: signal } = system;
  if (!(await isWorkerRunning(system))) return sampleSource(system.jobs, source, signal);
  const { catalogId, ...test } = source;
  return requestSourceTest(system, { catalogId, test: { source: test }, signal });
}

function testCommand(source: Command, { withSystem, print }: CommandContext): void {
  source
    .command("test")
    .description("check the credentials, and show how the first 20 items are read; changes nothing")
    .argument("<id>", "the source's id, from source list")
    .action(async (id: string) => {
      const sampled = await withSystem(async (system) => {
        const source = await requireSource(system.db, id);
        const settings = settingsToTry(system.encryption, source);
        return testSource(system, { catalogId: source.catalogId, id, kind: source.kind, settings });
      });
      print(sampled, () => sampleLines(sampled));
    });
}

function removeCommand(source: Command, { withSystem, command, print, io }: CommandContext): void {
  source
    .command("remove")
    .description("remove a source, and keep or remove its items; kept items count as pushed")
    .argument("<id>", "the source's id, from source list")
    .requiredOption("--items <keep|remove>", "whether to keep or remove its items")
    .action(async (id: string, { items }: { items: string }) => {
      const policy = choice("--items", items, ["keep", "remove"]);
      const { items_removed: removed, items_kept: kept } = await withSystem(async (system) => {
        const { catalogId } = await requireSource(system.db, id);
        const call = callsIn(system, sourceRoutes, { catalogId, command: command() });
        const removal = await call("removeSource", RemovedSourceAnswer, { id, items: policy });
        if (removal.run_id !== null) await awaitRun(system, io, removal.run_id);
        return removal;
      });
      print({ id, removed: true, items_removed: removed, items_kept: kept }, () => [
        policy === "keep"
          ? `Removed source ${id}; its ${counted(kept, "item stays", "items stay")}.`
          : `Removed source ${id} with ${counted(removed, "item")}.`,
      ]);
    });
}
