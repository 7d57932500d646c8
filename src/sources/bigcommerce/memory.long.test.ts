import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { optionProduct } from "../../../test/fakes/bigcommerce-products.ts";
import { heldBytes } from "../../../test/held-bytes.ts";
import { bigcommerceWorld } from "./world.contract.ts";

const PRODUCTS = 1_000;
const VARIANTS = 20;

test("a shop of 20,000 variants is read in bounded memory", async () => {
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
  for await (const step of world.connector.read(world.shop.settings, context)) {
    count += [step].flat().filter(({ kind }) => kind === "draft").length;
    if (count % 4_000 === 0) peak = Math.max(peak, heldBytes());
  }
  await rm(spoolDir, { recursive: true });

  assert.equal(count, PRODUCTS * VARIANTS);
  // Some 24 MB of answers went through. Two pages may be held: the one handed out and the one that comes next.
  assert.ok(peak - before < 14_000_000, `${peak - before} bytes`);
});
