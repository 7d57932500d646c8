import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { heldBytes } from "../../../test/held-bytes.ts";
import { sortBulkFile } from "./bulk-file.ts";
import { SHOPIFY_LIMITS } from "./client.ts";

const PRODUCTS = 1_500;
const VARIANTS = 5;
const DESCRIPTION = "<p>Glazed stoneware, dishwasher safe.</p>".repeat(60);

const product = (p: number) => `gid://shopify/Product/${p}`;
const variant = (p: number, v: number) => `gid://shopify/ProductVariant/${p * 10 + v}`;

/** The lines of a shop of 7,500 variants: all products first, all images last. */
function* lines(): Generator<string, void, void> {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  for (let p = 1; p <= PRODUCTS; p += 1) {
    yield line({ __typename: "Product", id: product(p), title: `Mug ${p}`, descriptionHtml: DESCRIPTION });
  }
  for (let v = 0; v < VARIANTS; v += 1) {
    for (let p = 1; p <= PRODUCTS; p += 1) {
      const options = [{ name: "Size", value: String(v) }];
      yield line({
        __typename: "ProductVariant",
        id: variant(p, v),
        price: "5.90",
        selectedOptions: options,
        __parentId: product(p),
      });
    }
  }
  for (let v = 0; v < VARIANTS; v += 1) {
    for (let p = 1; p <= PRODUCTS; p += 1) {
      const image = { url: `https://cdn.shopify.com/${p}.jpg` };
      yield line({
        __typename: "MediaImage",
        id: `gid://shopify/MediaImage/${p}`,
        image,
        __parentId: variant(p, v),
      });
    }
  }
}

test("the file of a shop with 7,500 variants is read in bounded memory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bulk-"));
  try {
    const path = join(folder, "answer");
    await pipeline(Readable.from(lines()), createWriteStream(path));
    const spool = { path, folder: join(folder, "sorted"), signal: new AbortController().signal };
    await mkdir(spool.folder);
    let variants = 0;
    let withImage = 0;
    let peak = 0;
    const measure = () => {
      peak = Math.max(peak, heldBytes());
    };

    const before = heldBytes();
    const sorted = await sortBulkFile(spool, { ...SHOPIFY_LIMITS.bulk, bucketBytes: 1_000_000 });
    measure();
    for await (const batch of sorted.products()) {
      for (const one of batch) {
        assert.ok(one !== null);
        variants += one.variants.length;
        withImage += one.variants.filter((each) => each.media.length === 1).length;
      }
      measure();
    }

    assert.deepEqual([sorted.lines, sorted.roots], [PRODUCTS * (1 + 2 * VARIANTS), PRODUCTS]);
    assert.deepEqual([variants, withImage], [PRODUCTS * VARIANTS, PRODUCTS * VARIANTS]);
    // 6 MB went through, which would be well over 15 MB as objects.
    assert.ok(peak - before < 6_000_000, `${peak - before} bytes`);
  } finally {
    await rm(folder, { recursive: true });
  }
});
