/**
 * One PostgreSQL for the whole test run: the one at DATABASE_URL, or our own embedded one in a temporary folder.
 * Every test file gets a schema of its own in it. Run by `node --test` once, before the first file.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Embedded } from "../src/store/embedded.ts";
import { openEmbedded } from "../src/store/embedded.ts";

let embedded: Embedded | undefined;
let dataDir: string | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env["DATABASE_URL"]) {
    process.env["TEST_DATABASE_URL"] = process.env["DATABASE_URL"];
    return;
  }
  dataDir = await mkdtemp(join(tmpdir(), "shelfwire-test-"));
  // Temporary folders are private; run by root, the server is another user and must get in.
  await chmod(dataDir, 0o711);
  embedded = await openEmbedded({ dataDir, log: () => undefined });
  process.env["TEST_DATABASE_URL"] = embedded.connectionString;
}

export async function globalTeardown(): Promise<void> {
  await embedded?.close();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
}
