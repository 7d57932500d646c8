/** The program: environment, `.env` and arguments in, exit code out. The only file that looks at `process.env`. */
import { enableCompileCache } from "node:module";

// The second start finds every module stripped and compiled: half a second less. Hence the import after it.
enableCompileCache();
const { runCli } = await import("./cli/cli.ts");
const { exitOnClosedPipe } = await import("./cli/closed-pipe.ts");

exitOnClosedPipe([process.stdout, process.stderr], (status) => process.exit(status));

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  envFolder: process.cwd(),
  out: (text) => process.stdout.write(text),
  talk: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  hasColor: process.stdout.isTTY && !process.env["NO_COLOR"],
});
