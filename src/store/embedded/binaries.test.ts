import assert from "node:assert/strict";
import { test } from "node:test";
import { findBinaries } from "./binaries.ts";

test("this platform has a PostgreSQL 18", async () => {
  const { major, version } = await findBinaries(process.platform, process.arch);

  assert.equal(major, 18);
  assert.match(version, /^18\./);
});

test("on a platform without one the error says to set DATABASE_URL", async () => {
  const finding = findBinaries("plan9", "mips");

  await assert.rejects(finding, { code: "embedded_database_failed", message: /plan9-mips.*DATABASE_URL/s });
});
