/** `shelfwire serve`: everything in one command — database, worker, API, and on the first start a demo. */
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { buildApp, buildMetricsApp } from "../../http/app.ts";
import { stateDir } from "../../config.ts";
import type { Config } from "../../config.ts";
import { answerWhileStarting } from "../../http/starting.ts";
import { waitForDb } from "../../store/wait-for-db.ts";
import type { CommandContext, Io } from "../context.ts";
import { VERSION } from "../program.ts";
import { CLIENT_LIMITS } from "../../http/slow-clients.ts";
import { demoLines } from "../demo.ts";
import { refuseSecondServer } from "../only-server.ts";
import { leaveCard } from "../server-card.ts";
import { stopSignal, unlessStopped } from "../stop.ts";
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
  io.outliveReaders?.();
  const signal = stopSignal({ attached: false });
  await unlessStopped(signal, async () => serveUntil(signal, { config, io, wantsDemo }));
}

type Serving = { readonly config: Config; readonly io: Io; readonly wantsDemo: boolean };

async function serveUntil(signal: AbortSignal, { config, io, wantsDemo }: Serving): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const standIn = standInFor(config);
  parts.defer(standIn.stop);
  const system = await openSystem(config, {
    name: "shelfwire-serve",
    statementMs: STATEMENT_MS,
    signal,
    showsProgress: true,
    log: { level: config.logLevel, stream: io.talk, isReadable: io.isTerminal },
    waiting: { signal, onAway: standIn.start },
  });
  parts.defer(system.close);
  const waiting = { signal, onAway: standIn.start };
  if (system.isEmbedded) parts.defer(await waitForDb(async () => refuseSecondServer(system), waiting));
  parts.defer(await leaveCard(config, stateDir(io.env)));

  const worker = keepWorkerRunning(system.log);
  parts.defer(worker.stop);
  const metricsApp = config.metricsPort === null ? undefined : buildMetricsApp(system.log);
  const app = await buildApp({
    db: system.db,
    notices: system.notices,
    baseUrl: config.baseUrl,
    feedUrl: system.jobs.feedUrl,
    sealer: system.sealer,
    allow: system.allow,
    webhookHttpClient: system.webhookHttpClient,
    syncIntervalS: config.syncIntervalS,
    version: VERSION,
    folders: system.jobs.folders,
    log: system.log,
    rateLimitPerMinute: config.rateLimitPerMinute,
    clients: { ...CLIENT_LIMITS, maxPerAddress: config.maxConnectionsPerAddress },
    ...(metricsApp && { metricsApp }),
  });
  parts.defer(async () => app.close());
  await standIn.stop();
  await listen(app, config);
  if (metricsApp && config.metricsPort !== null) {
    parts.defer(async () => metricsApp.close());
    await listen(metricsApp, { host: config.host, port: config.metricsPort }, "METRICS_PORT");
  }

  await welcome(system, io, { wantsDemo, signal });
  await aborted(signal);
  io.talk("Stopping…\n");
}

/** Answers 503 at the address of the API from the moment the database turns out to be away until the API itself runs. */
function standInFor(config: Config): { readonly start: () => void; readonly stop: () => Promise<void> } {
  let answering: Promise<() => Promise<void>> | undefined;
  return {
    start: () => {
      // An address that cannot be had is complained of when the API itself wants it.
      answering ??= answerWhileStarting(config).catch(() => async () => undefined);
    },
    stop: async () => {
      const stopAnswering = await answering;
      answering = undefined;
      await stopAnswering?.();
    },
  };
}

async function listen(
  app: ReturnType<typeof buildMetricsApp>,
  { host, port }: Pick<Config, "host" | "port">,
  setting = "PORT",
): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      "config_invalid",
      `Cannot listen on HOST ${host}, ${setting} ${port}: ${reason}. Another program may have it; choose another ${setting}.`,
      { cause },
    );
  }
}

/** One write: where both streams end in one file, no line of the log comes in between. */
async function welcome(
  system: System,
  io: Io,
  { wantsDemo, signal }: { wantsDemo: boolean; signal: AbortSignal },
): Promise<void> {
  const { config } = system;
  const waiting = { signal, onAway: () => undefined };
  const demo =
    wantsDemo && system.isEmbedded ? await waitForDb(async () => demoLines(system, signal), waiting) : [];
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
