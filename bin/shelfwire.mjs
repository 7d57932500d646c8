#!/usr/bin/env node
/**
 * The installed command. The program is TypeScript that Node.js runs as it is, which older versions cannot do; the
 * one that came with the dependencies can, whatever the machine has.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const NEEDED = 26;
const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const bundled = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
const major = Number(process.versions.node.split(".")[0]);

if (major >= NEEDED) await import("../src/main.ts");
else if (existsSync(bundled)) {
  const { status, signal } = spawnSync(bundled, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(`Shelfwire needs Node.js ${NEEDED} or newer; this is ${process.version}.\n`);
  process.exitCode = 4;
}
