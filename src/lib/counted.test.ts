import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { counted, plural } from "./counted.ts";

test("one is singular, everything else plural", () => {
  assert.equal(counted(1, "item"), "1 item");
  assert.deepEqual(
    [0, 2, 1_000].map((count) => counted(count, "item")),
    ["0 items", "2 items", "1000 items"],
  );
  assert.equal(counted(1, "item is", "items are"), "1 item is");
  assert.equal(counted(0, "item is", "items are"), "0 items are");
  assert.equal(`${(1_000).toLocaleString("en")} ${plural(1_000, "item")}`, "1,000 items");
  assert.equal(counted(3, "delivery", "deliveries"), "3 deliveries");
});

/**
 * A number before one of these nouns may be one. Limits are constants, and written in capitals or as `max…`, `most…`.
 */
const BARE_COUNT =
  /\$\{(?!number\(|lengthOf|minBytes|idleMs|\w*\.?(?:max|most|limit|longest|[A-Z_]{3,}))[^{}]*\} (?:items|rows|warnings|products|variants|catalogs|sources|deliveries)\b(?!\()/;

test("no message in src has a plural noun after a count that may be one", async () => {
  const folder = join(import.meta.dirname, "..");
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith(".ts") && !/\.(?:test|fixture|contract)\.ts$/.test(name),
  );
  const found: string[] = [];
  for (const name of files) {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n");
    for (const [i, line] of lines.entries())
      if (BARE_COUNT.test(line) && !/=== 1 \?|\bAll \$\{|\ball \$\{/.test(line))
        found.push(`${name}:${i + 1}: ${line.trim()}`);
  }
  assert.deepEqual(found, []);
});
