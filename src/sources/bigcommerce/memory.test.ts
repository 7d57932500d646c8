import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { optionProduct } from "../../../test/fakes/bigcommerce-products.ts";
import { bigcommerceWorld } from "./world.contract.ts";

const PRODUCTS = 2_500;
const VARIANTS = 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is really held, not what the collector has not got round to yet. */
function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test("a shop of 50,000 variants is read in bounded memory", async () => {
  const description = "Glazed stoneware, dishwasher safe. ".repeat(100);
  const products = Array.from({ length: PRODUCTS }, (_, i) =>
    optionProduct(i + 1, VARIANTS, { description }),
  );
  await using world = await bigcommerceWorld(products);
  const spoolDir = await mkdtemp(join(tmpdir(), "bigcommerce-"));
  const signal = new AbortController().signal;
  const context = { http: world.http, signal, spoolDir, previous: null, extent: "whole" } as const;
  let count = 0;
  let peak = 0;

  const before = heldBytes();
  for await (const event of world.connector.read(world.shop.settings, context)) {
    if (event.kind !== "draft") continue;
    count += 1;
    if (count % 10_000 === 0) peak = Math.max(peak, heldBytes());
  }
  await rm(spoolDir, { recursive: true });

  assert.equal(count, PRODUCTS * VARIANTS);
  // Some 60 MB of answers went through. Two pages may be held: the one handed out and the one that comes next.
  assert.ok(peak - before < 24_000_000, `${Math.round((peak - before) / 1e6)} MB`);
});
