/** Arguments to commands, failures to exit codes. */
import { Command, CommanderError, Help } from "commander";
import { readConfig } from "../config.ts";
import { AppError, ERRORS, toAppError } from "../errors.ts";
import { alertCommands } from "./commands/alerts.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand, restoreCommand } from "./commands/backup.ts";
import { catalogCommands } from "./commands/catalog.ts";
import { changesCommand } from "./commands/changes.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { guardCommands } from "./commands/guard.ts";
import { rendersCommands } from "./commands/renders.ts";
import { fetchesCommand } from "./commands/fetches.ts";
import { exclusionsCommand } from "./commands/exclusions.ts";
import { explainCommand } from "./commands/explain.ts";
import { rulesCommands } from "./commands/rules.ts";
import { keyCommands } from "./commands/key.ts";
import { signInCommand } from "./commands/sign-in.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pushCommand } from "./commands/push.ts";
import { renderCommand } from "./commands/render.ts";
import { runsCommands } from "./commands/runs.ts";
import { secretKeyCommands } from "./commands/secret-key.ts";
import { serveCommand } from "./commands/serve.ts";
import { sourceCommands } from "./commands/source.ts";
import { statusCommand } from "./commands/status.ts";
import { syncCommand } from "./commands/sync.ts";
import { verifyCommand } from "./commands/verify.ts";
import { validateCommand } from "./commands/validate.ts";
import { destinationCommands } from "./commands/destination.ts";
import { webhookCommands } from "./commands/webhook.ts";
import { workerCommand } from "./commands/worker.ts";
import type { CommandContext, Io } from "./context.ts";
import { withEnvFile } from "./env-file.ts";
import { USAGE } from "./exit.ts";
import { requireCatalog } from "./find.ts";
import { configBesideServer } from "./find-server.ts";
import { VERSION } from "./program.ts";
import { interruption, Interrupted } from "./stop.ts";
import { commandLog, openSystem } from "./system.ts";

const COMMANDS: readonly ((program: Command, context: CommandContext) => void)[] = [
  serveCommand,
  workerCommand,
  migrateCommand,
  catalogCommands,
  keyCommands,
  signInCommand,
  sourceCommands,
  syncCommand,
  pushCommand,
  renderCommand,
  rendersCommands,
  guardCommands,
  runsCommands,
  diffCommand,
  verifyCommand,
  exclusionsCommand,
  fetchesCommand,
  explainCommand,
  rulesCommands,
  mcpCommand,
  validateCommand,
  auditCommand,
  webhookCommands,
  alertCommands,
  destinationCommands,
  changesCommand,
  statusCommand,
  doctorCommand,
  secretKeyCommands,
  backupCommand,
  restoreCommand,
];

export async function runCli(args: readonly string[], io: Io): Promise<number> {
  const program = new Command("shelfwire")
    .description("A self-hosted catalog feed service.")
    .version(VERSION)
    .option("--json", "print data as JSON")
    .configureHelp({
      optionDescription: (option) =>
        `${Help.prototype.optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
    })
    .configureOutput({ writeOut: io.out, writeErr: io.talk })
    .exitOverride();
  let status = 0;
  const context = contextOf(program, io, (exitStatus) => {
    status = exitStatus;
  });
  for (const command of COMMANDS) command(program, context);
  acceptJsonAnywhere(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    return reportError(error, io, program.opts<{ json?: boolean }>().json ?? args.includes("--json"));
  }
}

function contextOf(program: Command, io: Io, endWith: CommandContext["endWith"]): CommandContext {
  const env = () => (io.envFolder === undefined ? io.env : withEnvFile(io.env, io.envFolder));
  const isJson = () => program.opts<{ json?: boolean }>().json ?? false;
  const withSystem: CommandContext["withSystem"] = async (work) => {
    using interrupted = interruption();
    const { signal } = interrupted;
    try {
      await using parts = new AsyncDisposableStack();
      const config = await configBesideServer({ ...io, env: env() }, isJson());
      const system = await openSystem(config, { ...commandLog(io), signal });
      parts.defer(system.close);
      return await Promise.race([work(system), rejectAfterAbort(signal)]);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  };
  return {
    io,
    endWith,
    isJson,
    config: () => readConfig(env()),
    withSystem,
    withCatalog: async (slug, work) =>
      withSystem(async (system) => work(await requireCatalog(system.db, slug), system)),
    print: (data, lines) => {
      const printed = isJson() ? [JSON.stringify(data)] : lines();
      io.out(printed.map((line) => `${line}\n`).join(""));
    },
  };
}

/** Work that can stop by itself has this long to do so. */
const GRACE_MS = 3_000;

async function rejectAfterAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => setTimeout(() => reject(signal.reason), GRACE_MS).unref(), {
      once: true,
    });
  });
}

/** `--json` may come before or after the name of the command. */
function acceptJsonAnywhere(program: Command): void {
  const each = (command: Command): void => {
    for (const child of command.commands) {
      child.exitOverride().configureOutput(program.configureOutput());
      if (child.commands.length === 0) {
        child.option("--json", "print data as JSON");
        child.hook("preAction", (_this, action) => {
          if (action.opts<{ json?: boolean }>().json) program.setOptionValue("json", true);
        });
      }
      each(child);
    }
  };
  each(program);
}

function reportError(error: unknown, io: Io, isJson: boolean): number {
  if (error instanceof CommanderError) return reportUsage(error, io, isJson);
  if (error instanceof Interrupted) {
    io.talk(`${error.message}\n`);
    return error.status;
  }
  const failure = toAppError(error);
  const { code, message, cause } = failure;
  if (isJson) printFailure(io, failure);
  else io.talk(`${message} (${code})\n`);
  // A bug: its stack is needed.
  if (code === "internal" || !(error instanceof AppError)) io.talk(`${stackOf(cause ?? error)}\n`);
  return ERRORS[code].exit;
}

/** Commander has printed the message; with --json it is printed as data, too. */
function reportUsage({ exitCode, message }: CommanderError, io: Io, isJson: boolean): number {
  if (exitCode === 0) return 0;
  const isHelp = message === "(outputHelp)";
  const what = isHelp ? "A command is missing." : message.replace(/^error: /, "");
  if (isJson) printFailure(io, new AppError("invalid_request", what));
  return USAGE;
}

function printFailure(io: Io, { code, message, fields, runId }: AppError): void {
  io.out(`${JSON.stringify({ error: { code, message, errors: fields, run_id: runId } })}\n`);
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
