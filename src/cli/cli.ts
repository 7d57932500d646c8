/** Arguments to commands, failures to exit codes. */
import { Command, CommanderError, Help } from "commander";
import { readConfig } from "../config.ts";
import { AppError, ERRORS, toAppError } from "../errors.ts";
import { counted } from "../lib/counted.ts";
import type { CommandContext, Io } from "./context.ts";
import { withEnvFile } from "./env-file.ts";
import { USAGE } from "./exit.ts";
import { requireCatalog } from "./find.ts";
import { configBesideServer } from "./find-server.ts";
import { VERSION } from "./program.ts";
import { interruption, Interrupted } from "./stop.ts";
import { commandLog, openSystem } from "./system.ts";

type AddCommand = (program: Command, context: CommandContext) => void;

/** Each is loaded when it is called, or when all are listed. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  worker: async () => (await import("./commands/worker.ts")).workerCommand,
  "heavy-calls": async () => (await import("./commands/heavy-calls.ts")).heavyCallsCommand,
  migrate: async () => (await import("./commands/migrate.ts")).migrateCommand,
  catalog: async () => (await import("./commands/catalog.ts")).catalogCommands,
  key: async () => (await import("./commands/key.ts")).keyCommands,
  "sign-in": async () => (await import("./commands/sign-in.ts")).signInCommand,
  source: async () => (await import("./commands/source.ts")).sourceCommands,
  sync: async () => (await import("./commands/sync.ts")).syncCommand,
  items: async () => (await import("./commands/items.ts")).itemsCommands,
  push: async () => (await import("./commands/push.ts")).pushCommand,
  render: async () => (await import("./commands/render.ts")).renderCommand,
  renders: async () => (await import("./commands/renders.ts")).rendersCommands,
  guard: async () => (await import("./commands/guard.ts")).guardCommands,
  runs: async () => (await import("./commands/runs.ts")).runsCommands,
  diff: async () => (await import("./commands/diff.ts")).diffCommand,
  verify: async () => (await import("./commands/verify.ts")).verifyCommand,
  refusals: async () => (await import("./commands/refusals.ts")).refusalsCommand,
  fetches: async () => (await import("./commands/fetches.ts")).fetchesCommand,
  explain: async () => (await import("./commands/explain.ts")).explainCommand,
  rules: async () => (await import("./commands/rules.ts")).rulesCommands,
  mcp: async () => (await import("./commands/mcp.ts")).mcpCommand,
  validate: async () => (await import("./commands/validate.ts")).validateCommand,
  audit: async () => (await import("./commands/audit.ts")).auditCommand,
  webhook: async () => (await import("./commands/webhook.ts")).webhookCommands,
  alerts: async () => (await import("./commands/alerts.ts")).alertCommands,
  destination: async () => (await import("./commands/destination.ts")).destinationCommands,
  changes: async () => (await import("./commands/changes.ts")).changesCommand,
  status: async () => (await import("./commands/status.ts")).statusCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  "secret-key": async () => (await import("./commands/secret-key.ts")).secretKeyCommands,
  backup: async () => (await import("./commands/backup.ts")).backupCommand,
  restore: async () => (await import("./commands/backup.ts")).restoreCommand,
  resume: async () => (await import("./commands/backup.ts")).resumeCommand,
};

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
  for (const addCommand of await commandsFor(args)) addCommand(program, context);
  acceptJsonAnywhere(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    return reportError(error, io, program.opts<{ json?: boolean }>().json ?? args.includes("--json"));
  }
}

/**
 * The command that the arguments name. Without one they ask for the list, or contain a mistake that the list helps to
 * correct.
 */
async function commandsFor(args: readonly string[]): Promise<readonly AddCommand[]> {
  const name = args.find((arg) => !arg.startsWith("-")) ?? "";
  const loaders = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  return Promise.all(loaders.flatMap((load) => load?.() ?? []));
}

function contextOf(program: Command, io: Io, endWith: CommandContext["endWith"]): CommandContext {
  const env = () => (io.envFolder === undefined ? io.env : withEnvFile(io.env, io.envFolder));
  const isJson = () => program.opts<{ json?: boolean }>().json ?? false;
  let command = "";
  program.hook("preAction", (_program, action) => {
    command = nameOf(action);
  });
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
    command: () => command,
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

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

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
  else io.talk([`${message} (${code})`, ...hintLines(failure), ""].join("\n"));
  // A bug: its stack is needed.
  if (code === "internal" || !(error instanceof AppError)) io.talk(`${stackOf(cause ?? error)}\n`);
  return ERRORS[code].exit;
}

function hintLines(failure: AppError): readonly string[] {
  const { message, runId } = failure;
  // The worker that executes a run may have other settings than the command.
  const isOwnSetting = runId === undefined && message.includes("ALLOW_PRIVATE_TARGETS");
  return [
    ...problemLines(failure),
    ...(isOwnSetting
      ? ["Set ALLOW_PRIVATE_TARGETS for this command, too: it does not read the settings of the server."]
      : []),
  ];
}

const LISTED_PROBLEMS = 20;

/** Most messages name all their problems. If this one does not, they are listed. */
function problemLines({ message, fields }: AppError): readonly string[] {
  if (fields.length < 2 || fields.every(({ detail }) => message.includes(detail))) return [];
  const more = fields.length - LISTED_PROBLEMS;
  return [
    ...fields.slice(0, LISTED_PROBLEMS).map(({ pointer, detail }) => `  ${pointer}: ${detail}`),
    ...(more > 0 ? [`  and ${counted(more, "more problem")}`] : []),
  ];
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
