/** The entry point: environment, `.env` and arguments in, exit code out. The only file that reads `process.env`. */
import { enableCompileCache } from "node:module";

// npm runs scripts in the package's folder; paths are relative to the user's folder.
const { INIT_CWD: userFolder, npm_lifecycle_event: script } = process.env;
if (script === "cli" && userFolder) process.chdir(userFolder);

// A second start loads compiled modules: half a second faster. The imports must come after it.
const { directory: compiled } = enableCompileCache();
// Processes that this one starts or becomes load this file, too, from the cache: the compiler of TypeScript takes 15
// MB.
if (compiled !== undefined) process.env["NODE_COMPILE_CACHE"] ??= compiled;

const args = process.argv.slice(2);
if (args.length === 1 && /^(-V|--version)$/.test(args[0] ?? "")) {
  // Without loading the rest of the program.
  const { VERSION } = await import("./cli/program.ts");
  process.stdout.write(`${VERSION}\n`);
} else {
  if (args[0] === "serve" || args[0] === "worker") {
    const { restartWithOptions, SERVER_OPTIONS, WORKER_OPTIONS } = await import("./cli/memory-options.ts");
    restartWithOptions(args[0] === "serve" ? SERVER_OPTIONS : WORKER_OPTIONS, process);
  }
  const { runCli } = await import("./cli/cli.ts");
  const { exitOnClosedPipe } = await import("./cli/closed-pipe.ts");
  const { standardInput } = await import("./cli/input.ts");

  const { outliveReaders } = exitOnClosedPipe([process.stdout, process.stderr], (status) =>
    process.exit(status),
  );

  process.exitCode = await runCli(args, {
    env: process.env,
    envFolder: process.cwd(),
    out: (text) => process.stdout.write(text),
    talk: (text) => process.stderr.write(text),
    input: standardInput,
    outliveReaders,
    isTerminal: process.stderr.isTTY,
    isOutTerminal: process.stdout.isTTY,
    hasColor: process.stdout.isTTY && !process.env["NO_COLOR"],
  });
}
