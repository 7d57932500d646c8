/**
 * A dispatcher in its own process, which a test can kill. Run as a program it delivers until it ends. Its
 * clock is fixed at the given time.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { runDispatcher } from "../../src/webhooks/dispatcher.ts";
import { openDb } from "../../src/store/db.ts";
import type { DbTarget } from "../../src/store/db.ts";
import { ENCRYPTION, testWebhookClient } from "./receiver-seed.ts";

export function spawnSender({ connectionString, schema }: DbTarget, now: Date): ChildProcess {
  return spawn(process.execPath, [import.meta.filename, connectionString, schema, now.toISOString()], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

if (import.meta.main) {
  const [connectionString = "", schema = "", time = ""] = process.argv.slice(2);
  const db = openDb({ connectionString, schema }, { max: 4, name: "shelfwire-test-sender" });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const deps = { db, client: testWebhookClient(), encryption: ENCRYPTION, log, now: () => new Date(time) };
  await runDispatcher(deps, { on: () => () => {} }, new AbortController().signal);
}
