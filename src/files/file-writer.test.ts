import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { FileWriter, STEP } from "./file-writer.ts";
import { openStore } from "./open-store.ts";

const SEGMENTS = 300;
const SEGMENT_BYTES = 40_000;

test("segments that are partly kept take no memory each", async () => {
  await using root = await tempDir();
  const store = openStore(root.path);
  const optionsOf = (folder: string, previous?: string) => ({
    location: root.path,
    name: { catalogId: "c", folder, file: "acp.csv" },
    isFeed: true,
    previous: previous === undefined ? undefined : { folder: previous, copied: new Set<string>() },
  });
  const head = { bytes: Buffer.from("head\n"), steps: [STEP.write, 5, STEP.end, 0] };
  const half = SEGMENT_BYTES / 2;
  const [earlier, later] = await Promise.all(
    ["first", "second"].map(async (folder) => store.create({ catalogId: "c", folder })),
  );
  const first = new FileWriter(optionsOf("first"));
  first.apply(head);
  const whole = { bytes: Buffer.alloc(SEGMENT_BYTES, "a"), steps: [STEP.write, SEGMENT_BYTES, STEP.end, 0] };
  for (let i = 0; i < SEGMENTS; i += 1) first.apply(whole);
  await first.finish();
  await earlier?.commit();

  const second = new FileWriter(optionsOf("second", "first"));
  second.apply(head);
  const steps = [STEP.keep, half, STEP.write, 1, STEP.skip, 1, STEP.keep, half - 1, STEP.end, 0];
  const changed = { bytes: Buffer.from("b"), steps };
  second.apply(changed);
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 1; i < SEGMENTS; i += 1) second.apply(changed);
  const growth = process.memoryUsage().arrayBuffers - before;
  await second.finish();
  await later?.commit();

  assert.ok(growth < 20 * SEGMENT_BYTES, `${growth} bytes for ${SEGMENTS} segments`);
  const expected = `head\n${`${"a".repeat(half)}b${"a".repeat(half - 1)}`.repeat(SEGMENTS)}`;
  assert.equal(await readFile(join(root.path, "c", "second", "acp.csv"), "utf8"), expected);
});
