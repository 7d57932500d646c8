/**
 * `shelfwire heavy-calls`: answers the heavy calls of a server, which starts this process and passes them on. It runs
 * the same application on a socket that only the server's user can open. Keys are checked again here; rates and queues
 * are limited by the server.
 */
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "commander";
import type { Config } from "../../config.ts";
import { buildApp } from "../../http/app.ts";
import { CLIENT_LIMITS } from "../../http/slow-clients.ts";
import type { CommandContext, Io } from "../context.ts";
import { VERSION } from "../program.ts";
import { stopSignal, unlessStopped } from "../stop.ts";
import { openSystem } from "../system.ts";

/** Fewer than the server has: heavy calls leave most of the database to others. */
const CONNECTIONS = 6;
/** As for the server's calls. */
const STATEMENT_MS = 20_000;

export function heavyCallsCommand(program: Command, { config, io }: CommandContext): void {
  program
    .command("heavy-calls", { hidden: true })
    .description("answer the heavy calls of a server, which starts this process")
    .requiredOption("--socket <path>", "the socket to listen on")
    .action(async ({ socket }: { socket: string }) => {
      const settings = config();
      io.outliveReaders?.();
      const signal = stopSignal({ attached: true });
      await unlessStopped(signal, async () => answerUntil(signal, { config: settings, io, socket }));
    });
}

type Answering = { readonly config: Config; readonly io: Io; readonly socket: string };

async function answerUntil(signal: AbortSignal, { config, io, socket }: Answering): Promise<void> {
  await using parts = new AsyncDisposableStack();
  // A server that was killed cannot remove the folder. The socket is gone when the application has closed.
  parts.defer(async () => rmdir(dirname(socket)).catch(() => undefined));
  const system = await openSystem(config, {
    name: "shelfwire-heavy-calls",
    connections: CONNECTIONS,
    statementMs: STATEMENT_MS,
    signal,
    // The server logs every request.
    log: {
      level: config.logLevel === "info" ? "warn" : config.logLevel,
      stream: io.talk,
      isReadable: io.isTerminal,
    },
    waiting: { signal },
  });
  parts.defer(system.close);
  const app = await buildApp({
    ...system,
    ...config,
    feedUrl: system.jobs.feedUrl,
    version: VERSION,
    folders: system.jobs.folders,
    rateLimitPerMinute: 0,
    clients: { ...CLIENT_LIMITS, maxPerAddress: 0 },
  });
  parts.defer(async () => app.close());
  await app.listen({ path: socket });
  process.send?.("listening");
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
