/**
 * Runs one test file after another in this process: what several files import is loaded once. Each file is a test, so
 * its hooks are its own, and what it opens is closed before the next file begins.
 */
import { resolve } from "node:path";
import { mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Order } from "./messages.ts";
import { followTests } from "./test-hook.ts";

const FILE_TIMEOUT_MS = Number(process.env["TEST_FILE_TIMEOUT_MS"]);
/** How long a file may take to close its servers, connections and timers. */
const CLOSING_MS = FILE_TIMEOUT_MS / 24;

/** Errors of the running file that no test caught: without the hook, `node:test` does not know whose they are. */
let uncaught: unknown[] = [];
process.on("uncaughtException", (error) => uncaught.push(error));
process.on("unhandledRejection", (reason) => uncaught.push(reason));

async function runFile(file: string): Promise<void> {
  const before = process.getActiveResourcesInfo();
  uncaught = [];
  followTests(true);
  await test(file, { timeout: FILE_TIMEOUT_MS }, async (t) => {
    await import(pathToFileURL(resolve(file)).href);
    followTests(false);
    // Registered last, so it runs after the hooks of the file.
    t.after(async () => {
      mock.reset();
      await assertNothingLeftOpen(before);
      if (uncaught.length > 0) throw new AggregateError(uncaught, "errors that no test caught");
    });
  });
}

/** What a file leaves open would keep a process of its own from ending. */
async function assertNothingLeftOpen(before: readonly string[]): Promise<void> {
  const end = performance.now() + CLOSING_MS;
  for (;;) {
    const left = process.getActiveResourcesInfo();
    for (const resource of before) {
      const at = left.indexOf(resource);
      if (at !== -1) left.splice(at, 1);
    }
    if (left.length === 0) return;
    if (performance.now() > end) throw new Error(`the file leaves open: ${left.join(", ")}`);
    await sleep(20, undefined, { ref: false });
  }
}

process.on("message", ({ file }: Order) => void runFile(file));
process.on("disconnect", () => process.exit());
