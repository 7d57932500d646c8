import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { tempDir } from "../fresh.ts";

const FILES = {
  "1-passes.test.ts": `import { test } from "node:test"; test("passes", () => {}); test.skip("is skipped", () => {});`,
  "2-fails.test.ts": `import { after, describe, test } from "node:test";
    import { createServer } from "node:http";
    const server = createServer().listen(0);
    after(() => server.close());
    describe("a suite", () => { test("fails", () => { throw new Error("one is not two"); }); });
    test("passes after a failure", () => {});`,
  "3-ends.test.ts": `import { test } from "node:test"; test("ends the process", () => process.exit(3));`,
  "4-hangs.test.ts": `import { test } from "node:test"; test("hangs", () => new Promise((r) => setTimeout(r, 1e9)));`,
  "5-blocks.test.ts": `import { test } from "node:test";
    test("blocks", () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
  "6-leaves.test.ts": `import { createServer } from "node:http"; import { test } from "node:test";
    test("leaves a server open", () => { createServer().listen(0); });`,
  "7-breaks.test.ts": `import "./missing.ts";`,
  "8-throws.test.ts": `import { test } from "node:test"; import { setTimeout as sleep } from "node:timers/promises";
    test("passes first", () => sleep(10));
    test("throws after it has ended", async () => { setTimeout(() => { throw new Error("too late"); }, 1); await sleep(50); });`,
  "9-passes.test.ts": `import { test } from "node:test"; test("passes as well", () => {});`,
};

test("a file that ends, hangs, blocks or breaks fails by name, and the files after it are run", async () => {
  await using folder = await tempDir();
  const paths = Object.keys(FILES).map((name) => join(folder.path, name));
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder.path, name), content);

  const { status, out } = await run(["--concurrency", "3", "--timeout", "8000", ...paths]);

  const lines = out.replaceAll(/(?:\.\.\/|\/)\S*\/(?=\d-)/g, "").split("\n");
  const outcome = lines.flatMap((line) => /^([✔✖] \d-\S+ \(\d+ tests)/.exec(line)?.[1] ?? []);
  assert.deepEqual(outcome.toSorted(byName), [
    "✔ 1-passes.test.ts (2 tests",
    "✖ 2-fails.test.ts (2 tests",
    "✖ 3-ends.test.ts (0 tests",
    "✖ 4-hangs.test.ts (1 tests",
    "✖ 5-blocks.test.ts (0 tests",
    "✖ 6-leaves.test.ts (1 tests",
    "✖ 7-breaks.test.ts (0 tests",
    "✖ 8-throws.test.ts (2 tests",
    "✔ 9-passes.test.ts (1 tests",
  ]);
  for (const expected of [
    "  ✖ a suite › fails (2-fails.test.ts:5:",
    "    Error: one is not two",
    "    Its process ended with code 3",
    "  ✖ hangs (4-hangs.test.ts:1:",
    "test timed out after 8000ms",
    "    It blocks its process",
    "the file leaves open: TCPServerWrap",
    "missing.ts",
    "Error: too late",
    "9 files, 7 failed; 9 tests, 2 failed, 1 skipped;",
  ])
    assert.ok(
      lines.some((line) => line.includes(expected)),
      `${expected}\n\n${out}`,
    );
  assert.equal(status, 1);
});

/** Without the mark. */
const byName = (a: string, b: string) => a.slice(1).localeCompare(b.slice(1));

/** On the database server of this test run. */
async function run(args: readonly string[]): Promise<{ status: number | null; out: string }> {
  const { TEST_DATABASE_URL: server, NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, "run.ts"), ...args], {
    env: { ...rest, DATABASE_URL: server },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [out, [status]] = await Promise.all([
    text(child.stdout),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { status, out };
}
