/** `shelfwire runs …`: what was done, how it ended, and why it failed. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { SyncAnswer } from "../../contract/runs.ts";
import { AppError } from "../../errors.ts";
import { runRoutes } from "../../http/routes/runs.ts";
import { isUuid } from "../../lib/id.ts";
import type { RenderStats } from "../../pipeline/render/render.ts";
import { EMPTY_STATS } from "../../pipeline/sync/ledger.ts";
import { findRun, findRunCausedBy, type Run } from "../../store/runs.ts";
import { findRunOf, pageRuns, type RunDetail } from "../../store/run-history.ts";
import { choice, wholeNumber } from "../options.ts";
import { callsIn } from "../api.ts";
import type { CommandContext } from "../context.ts";
import { failureText, resultText, runData, spanText } from "../run-text.ts";
import { fileLines, syncLines } from "../sync-lines.ts";
import { table } from "../table.ts";

const STATES = ["queued", "running", "succeeded", "failed"] as const;
const KINDS = ["sync", "render", "audit", "removal"] as const;

export function runsCommands(program: Command, context: CommandContext): void {
  const runs = program
    .command("runs")
    .description("list syncs, renders and audits, show why one failed, cancel a sync");
  listCommand(runs, context);
  showCommand(runs, context);
  cancelCommand(runs, context);
}

type RunListOptions = { catalog: string; kind?: string; failed?: boolean; limit: string };

function listCommand(runs: Command, { withCatalog, print }: CommandContext): void {
  runs
    .command("list")
    .description("list a catalog's newest runs, with the reason of each that failed")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--kind <kind>", `only runs of this kind: ${KINDS.join(", ")}`)
    .option("--failed", "only runs that failed")
    .option("--limit <number>", "how many, up to 1000", "20")
    .action(async ({ catalog, kind, failed = false, limit }: RunListOptions) => {
      const page = { before: null, limit: wholeNumber("--limit", limit, 1000) };
      const filter = {
        states: failed ? (["failed"] as const) : STATES,
        ...(kind !== undefined && { kind: choice("--kind", kind, KINDS) }),
      };
      const found = await withCatalog(catalog, async ({ id }, { db }) => pageRuns(db, id, filter, page));
      print({ runs: found.map(runData) }, () =>
        table(
          ["run", "kind", "cause", "result", "numbers"],
          found.map((run) => [run.id, run.kind, run.shownCause, resultText(run), summary(run)]),
        ),
      );
    });
}

/** The numbers of a run on one line; of a failed one, the reason. */
function summary(run: Run): string {
  if (run.state === "failed") return failureText(run);
  if (run.kind === "sync") {
    const { seen, upserted, rejected, removed } = { ...EMPTY_STATS, ...run.stats };
    return `${seen} seen, ${upserted} stored, ${rejected} rejected, ${removed} removed`;
  }
  const { items } = run.stats as Partial<RenderStats>;
  return items === undefined ? "" : counted(items, "item");
}

const oneRunCommand = (runs: Command, name: string, description: string) =>
  runs.command(name).description(description).argument("<id>", "the run's id, from runs list");

function showCommand(runs: Command, { withSystem, print }: CommandContext): void {
  oneRunCommand(
    runs,
    "show",
    "show one run: when, its numbers, what was rejected or will be refused, the reason of a failure",
  ).action(async (id: string) => {
    const { run, next } = await withSystem(async ({ db }) => {
      const found = isUuid(id) ? await findRun(db, id) : undefined;
      const run = found && (await findRunOf(db, found));
      if (!run)
        throw new AppError("not_found", `There is no run ${id}. shelfwire runs list --catalog … lists them.`);
      return { run, next: await findRunCausedBy(db, id) };
    });
    print({ ...runData(run), next_run_id: next?.id ?? null }, () => [
      ...headLines(run),
      ...statsLines(run),
      ...(next === undefined ? [] : [`After it: ${next.kind} ${next.id}, ${resultText(next)}.`]),
    ]);
  });
}

function cancelCommand(runs: Command, { withSystem, command, print }: CommandContext): void {
  oneRunCommand(runs, "cancel", "cancel a queued or running sync or push; the catalog stays as it is").action(
    async (id: string) => {
      await withSystem(async (system) => {
        const run = isUuid(id) ? await findRun(system.db, id) : undefined;
        if (run?.kind !== "sync") throw new AppError("not_found", `There is no sync ${id}.`);
        const target = { catalogId: run.catalogId, command: command() };
        await callsIn(system, runRoutes, target)("cancelSync", SyncAnswer, { id });
      });
      print({ run_id: id, canceled: true }, () => [`Canceled ${id}. Nothing was changed.`]);
    },
  );
}

function headLines(run: RunDetail): readonly string[] {
  const { id, kind, shownCause: cause, sourceId, createdAt, startedAt, finishedAt } = run;
  const took = startedAt !== null && finishedAt !== null ? finishedAt.getTime() - startedAt.getTime() : null;
  return [
    `${kind} ${id}: ${resultText(run)}`,
    `  requested at ${createdAt.toISOString()} by: ${cause}`,
    ...(sourceId === null ? [] : [`  source ${sourceId}`]),
    ...(took === null ? [] : [`  took ${took < 60_000 ? `${(took / 1000).toFixed(1)}s` : spanText(took)}`]),
    // A queued run has a reason too where an earlier attempt failed.
    ...(run.error === null
      ? []
      : [`  ${run.state === "failed" ? "failed" : "last attempt"}: ${failureText(run)}`]),
  ];
}

function statsLines({ kind, stats }: Run): readonly string[] {
  if (Object.keys(stats).length === 0) return [];
  if (kind === "sync") return syncLines({ ...EMPTY_STATS, ...stats });
  if (kind === "audit") return [];
  const { items = 0, files = {} } = stats as Partial<RenderStats>;
  return [counted(items, "item"), ...fileLines(files)];
}
