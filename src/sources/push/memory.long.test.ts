import assert from "node:assert/strict";
import { test } from "node:test";
import { heldBytes } from "../../../test/held-bytes.ts";
import { RECORD_LIMITS } from "../product-record/limits.ts";
import { readPush } from "./read.ts";

const MUG = { id: "mug-1", title: "Mug", price: "9.50 USD" };

test("8,000 products pass through without gathering in memory", async () => {
  const line = `${JSON.stringify({ ...MUG, description: "Glazed stoneware. ".repeat(80) })}\n`;
  async function* pages(): AsyncGenerator<string, void, void> {
    for (let page = 0; page < 80; page += 1) yield line.repeat(100);
  }
  let [count, batches, peak] = [0, 0, 0];
  const before = heldBytes();

  for await (const batch of readPush(pages, { format: "json_lines", limits: RECORD_LIMITS })) {
    count += batch.length;
    if (batches++ % 10 === 0) peak = Math.max(peak, heldBytes());
  }

  assert.equal(count, 8_000);
  // 12 MB went through.
  assert.ok(peak - before < 4_000_000, `${peak - before} bytes`);
});
