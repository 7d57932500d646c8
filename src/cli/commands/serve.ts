/** `shelfwire serve`: everything in one command — database, worker, API, and on the first start a demo. */
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { buildApp } from "../../http/app.ts";
import type { Config } from "../../config.ts";
import type { CommandContext, Io } from "../context.ts";
import { demoLines } from "../demo.ts";
import { refuseSecondServer } from "../only-server.ts";
import { stopSignal } from "../stop.ts";
import { openSystem } from "../system.ts";
import type { System } from "../system.ts";
import { keepWorkerRunning } from "../worker-process.ts";

export function serveCommand(program: Command, { config, io }: CommandContext): void {
  program
    .command("serve")
    .description("run the service")
    .option("--no-demo", "do not create the demo catalog at the first start")
    .action(async ({ demo }: { demo: boolean }) => serve(config(), io, demo));
}

/** No call of the API asks the database for anything long: after this, the answer is that it is away. */
const STATEMENT_MS = 20_000;

async function serve(config: Config, io: Io, wantsDemo: boolean): Promise<void> {
  const signal = stopSignal({ attached: false });
  try {
    await run(config, io, { wantsDemo, signal });
  } catch (error) {
    // Told to stop during the start: whatever waits then fails, and that is no failure.
    if (!signal.aborted) throw error;
  }
}

type Running = { readonly wantsDemo: boolean; readonly signal: AbortSignal };

async function run(config: Config, io: Io, { wantsDemo, signal }: Running): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const system = await openSystem(config, {
    name: "shelfwire-serve",
    statementMs: STATEMENT_MS,
    signal,
    showsProgress: true,
    log: { level: config.logLevel, stream: io.talk, isReadable: io.isTerminal },
  });
  parts.defer(system.close);
  if (system.isEmbedded) parts.defer(await refuseSecondServer(system));

  const worker = keepWorkerRunning(system.log);
  parts.defer(worker.stop);
  const app = await buildApp({
    db: system.db,
    notices: system.notices,
    baseUrl: config.baseUrl,
    feedUrl: system.jobs.feedUrl,
    sealer: system.sealer,
    allow: system.allow,
    poster: system.poster,
    jobs: system.jobs,
    syncIntervalS: config.syncIntervalS,
    folders: system.jobs.folders,
    log: system.log,
    rateLimitPerMinute: config.rateLimitPerMinute,
  });
  parts.defer(async () => app.close());
  await listen(app, config);

  await welcome(system, io, { wantsDemo, signal });
  await aborted(signal);
  io.talk("Stopping…\n");
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      "config_invalid",
      `Cannot listen on HOST ${host}, PORT ${port}: ${reason}. Another program may have it; choose another PORT.`,
      { cause },
    );
  }
}

/** One write: where both streams end in one file, no line of the log comes in between. */
async function welcome(system: System, io: Io, { wantsDemo, signal }: Running): Promise<void> {
  const { config } = system;
  const demo = wantsDemo && system.isEmbedded ? await demoLines(system, signal) : [];
  const lines = [
    "",
    "Shelfwire is running.",
    "",
    `  API      ${config.baseUrl}/api/v1   (${config.baseUrl}/api/v1/openapi.json)`,
    `  data     ${config.dataDir}${system.isEmbedded ? "" : " and the database at DATABASE_URL"}`,
    ...demo,
    "",
    "Stop it with Ctrl-C.",
    "",
  ];
  io.out(`${lines.join("\n")}\n`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
