import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { variableProduct, variation, type WooRow } from "../../../test/fakes/woocommerce-rows.ts";
import { heldBytes } from "../../../test/held-bytes.ts";
import { WITH_KEY } from "../../../test/fakes/woocommerce-world.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import { woocommerce } from "./woocommerce.ts";

const PARENTS = 600;
const EACH = 10;
const description = "Glazed stoneware, dishwasher safe. ".repeat(600);

const parentAt = (place: number): WooRow => {
  const first = 1_000_000 + place * EACH;
  return variableProduct(
    place + 1,
    Array.from({ length: EACH }, (_, i) => first + i),
    { description: `${place} ${description}` },
  );
};
const variationAt = (place: number): WooRow => variation(1_000_000 + place, Math.floor(place / EACH) + 1);

const lists: Readonly<Record<string, { total: number; rowAt: (place: number) => WooRow }>> = {
  "/wp-json/wc/v3/products": { total: PARENTS, rowAt: parentAt },
  "/wp-json/wc/v3/variations": { total: PARENTS * EACH, rowAt: variationAt },
};

/** The shop does not state how it shows prices, so each is requested. */
function shownIn(url: string): WooRow[] | null {
  const { pathname, searchParams } = new URL(url);
  if (pathname !== "/wp-json/wc/store/v1/products") return null;
  const prices = { price: "2000", regular_price: "2000", sale_price: "2000", currency_minor_unit: 2 };
  const ids = (searchParams.get("include") ?? "").split(",").filter(Boolean);
  return ids.map((id) => ({ id: Number(id), prices: { ...prices, currency_code: "EUR" } }));
}

/** A very large shop: every page is created on request and not kept. */
const largeShop: HttpClient = {
  request: ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const list = lists[pathname];
    const from = Number(searchParams.get("offset") ?? "0");
    const count = Math.min(Number(searchParams.get("per_page")), (list?.total ?? 0) - from);
    const rows = Array.from({ length: Math.max(0, count) }, (_, i) => list?.rowAt(from + i));
    const body = pathname === "/wp-json/" ? { namespaces: ["wc/v3"] } : (shownIn(url) ?? rows);
    return Promise.resolve({
      status: 200,
      headers: { "x-wp-total": String(list?.total ?? 0) },
      url,
      body: (async function* () {
        yield Buffer.from(JSON.stringify(body));
      })(),
      discard: () => undefined,
    });
  },
  close: () => Promise.resolve(),
};

test("the memory of a read does not grow with 6,000 variations", async () => {
  const spoolDir = await mkdtemp(join(tmpdir(), "woo-memory-"));
  const { signal } = new AbortController();
  const used: number[] = [];
  let count = 0;
  const before = heldBytes();

  const events = woocommerce.read(WITH_KEY, {
    http: largeShop,
    signal,
    spoolDir,
    previous: null,
    extent: "whole",
  });
  for await (const step of events) {
    count += [step].flat().filter(({ kind }) => kind === "draft").length;
    if (count % 1_200 === 1) used.push(heldBytes() - before);
  }
  await rm(spoolDir, { recursive: true });

  assert.equal(count, PARENTS * EACH);
  // The products alone are 12 MB of text, and every variation repeats that of its product.
  const [most, growth] = [Math.max(...used), Math.max(...used) - (used[0] ?? 0)];
  assert.ok(most < 6_000_000 && growth < 4_000_000, `${most} bytes, ${growth} of them during the read`);
});
