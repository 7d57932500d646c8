/** `shelfwire serve`: runs the database, a worker and the API; the first start creates a demo. */
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { buildApp, buildMetricsApp } from "../../http/app.ts";
import { isProduction, stateDir } from "../../config-setting.ts";
import type { Config } from "../../config.ts";
import { hasConsole } from "../../http/console-files.ts";
import { answerWhileStarting } from "../../http/starting.ts";
import { DEMO_SLUG } from "../../setup/demo.ts";
import { createSignInLink, SIGN_IN_LIFETIME_S } from "../../setup/sessions.ts";
import { restoredSince } from "../../store/restores.ts";
import { waitForDb } from "../../store/wait-for-db.ts";
import type { CommandContext, Io } from "../context.ts";
import { CLIENT_LIMITS } from "../../http/slow-clients.ts";
import { demoLines } from "../demo.ts";
import { refuseSecondServer } from "../process-locks.ts";
import { writeServerFile } from "../server-file.ts";
import { stopSignal, unlessStopped } from "../stop.ts";
import { CONSOLE_DIR, VERSION } from "../program.ts";
import { openSystem, serviceLog } from "../system.ts";
import type { System } from "../system.ts";
import { startOnHeavyCall } from "../heavy-process.ts";
import { keepWorkerRunning } from "../worker-process.ts";

export function serveCommand(program: Command, { config, io }: CommandContext): void {
  program
    .command("serve")
    .description("run the service")
    .option("--no-demo", "do not create the demo catalog at the first start; NODE_ENV=production implies it")
    .action(async ({ demo }: { demo: boolean }) => {
      const settings = config();
      io.outliveReaders?.();
      const signal = stopSignal({ attached: false });
      const wantsDemo = demo && !isProduction(io.env);
      await unlessStopped(signal, async () => serveUntil(signal, { config: settings, io, wantsDemo }));
    });
}

/** Statements of API calls are short; a longer one means that the database is not available. */
const STATEMENT_MS = 20_000;

type Serving = { readonly config: Config; readonly io: Io; readonly wantsDemo: boolean };

async function serveUntil(signal: AbortSignal, { config, io, wantsDemo }: Serving): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const standIn = standInFor(config);
  parts.defer(standIn.stop);
  const waiting = { signal, onAway: standIn.start };
  const system = await openSystem(config, {
    name: "shelfwire-serve",
    statementMs: STATEMENT_MS,
    signal,
    showsProgress: true,
    log: serviceLog(config, io),
    waiting,
  });
  parts.defer(system.close);
  if (system.isEmbedded) parts.defer(await waitForDb(async () => refuseSecondServer(system), waiting));
  parts.defer(await writeServerFile(config, stateDir(io.env)));

  const worker = keepWorkerRunning(system.log);
  parts.defer(worker.stop);
  const heavyProcess = startOnHeavyCall(system.log);
  parts.defer(heavyProcess.stop);
  // At once, not after the server has closed: calls that run there learn that the service stops.
  signal.addEventListener("abort", () => void heavyProcess.stop(), { once: true });
  const metricsApp = config.metricsPort === null ? undefined : buildMetricsApp(system.log);
  const app = await buildApp({
    ...system,
    ...config,
    feedUrl: system.jobs.feedUrl,
    version: VERSION,
    folders: system.jobs.folders,
    consoleDir: CONSOLE_DIR,
    heavyProcess,
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

/** Answers 503 at the address of the API while the database is not available at the start. */
function standInFor(config: Config): {
  readonly start: (failure: AppError) => void;
  readonly stop: () => Promise<void>;
} {
  let last: AppError | undefined;
  let answering: Promise<() => Promise<void>> | undefined;
  return {
    start: (failure) => {
      last = failure;
      // If the port is taken, the API reports it later.
      answering ??= answerWhileStarting(config, () => last).catch(() => async () => undefined);
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

/**
 * In one write, so that no log line comes in between. Links and keys that give access are printed only at a terminal:
 * elsewhere the output is a log.
 */
async function welcome(
  system: System,
  io: Io,
  { wantsDemo, signal }: { wantsDemo: boolean; signal: AbortSignal },
): Promise<void> {
  const { config } = system;
  const waiting = { signal, onAway: () => undefined };
  const isTerminal = io.isOutTerminal ?? false;
  const demo =
    wantsDemo && system.isEmbedded
      ? await waitForDb(async () => demoLines(system, { signal, isTerminal }), waiting)
      : [];
  const slug = demo.length > 0 ? DEMO_SLUG : undefined;
  const signIn = `\`${commandName(process.argv[1])} sign-in\``;
  let page = `not built. Run \`npm run build:console\` in the program's folder, and start again`;
  if (await hasConsole(CONSOLE_DIR)) {
    page = isTerminal
      ? `${await waitForDb(async () => createSignInLink(system.db, config.baseUrl, slug), waiting)}   (works once, for ${SIGN_IN_LIFETIME_S / 60} minutes; ${signIn} prints another)`
      : `${config.baseUrl}   (${signIn} prints a link that signs in)`;
  }
  const restoredAt = await waitForDb(async () => restoredSince(system.db), waiting);
  const lines = [
    "",
    "Shelfwire is running.",
    ...(restoredAt === null
      ? []
      : ["It is a restored copy and sends nothing to others: `shelfwire resume` makes it live."]),
    "",
    `  console  ${page}`,
    `  API      ${config.baseUrl}/api/v1   (${config.baseUrl}/api/v1/openapi.json)`,
    `  data     ${config.dataDir}${system.isEmbedded ? "" : " and the database at DATABASE_URL"}`,
    ...(config.allowLoopback
      ? [
          "  local    sources and webhooks may use 127.0.0.1 and localhost, because BASE_URL is only for this machine",
        ]
      : []),
    ...demo,
    "",
    "Stop it with Ctrl-C.",
    "",
  ];
  io.out(`${lines.join("\n")}\n`);
}

/** A clone of the repository has no command of its own. */
const commandName = (script = ""): string =>
  /[\\/]src[\\/]main\.ts$/.test(script) ? "npm run -s cli --" : "shelfwire";

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
