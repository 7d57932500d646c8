import assert from "node:assert/strict";
import { test } from "node:test";
import { normalize } from "../src/catalog/normalize.ts";
import { httpClient } from "../src/lib/outbound/http-client.ts";
import { feedUrl } from "../src/sources/feed-url/feed-url.ts";
import type { SourceEvent, Validators } from "../src/sources/source.ts";
import { tempDir } from "../test/fresh.ts";
import { openShop, type Shop } from "./shop.ts";

async function read(
  shop: Shop,
  spoolDir: string,
  previous: Validators | null,
): Promise<readonly SourceEvent[]> {
  const http = httpClient({ allowPrivate: ["127.0.0.1"], userAgent: "Shelfwire-test" });
  try {
    const context = {
      http,
      signal: new AbortController().signal,
      spoolDir,
      previous,
      extent: "whole",
    } as const;
    return (await Array.fromAsync(feedUrl.read({ url: shop.url }, context))).flat();
  } finally {
    await http.close();
  }
}

test("our reader turns every row into an item, without warnings", async () => {
  await using dir = await tempDir();
  await using shop = await openShop(dir.path, 500);

  const events = await read(shop, dir.path, null);

  const drafts = events.filter((event) => event.kind === "draft");
  assert.equal(drafts.length, 500);
  for (const { position, draft } of drafts) {
    const result = normalize(draft, { position, settings: {} });
    assert.deepEqual(result.kind === "item" ? result.warnings : result, []);
  }
});

test("a conditional request gets 304 as long as the shop has validators", async () => {
  await using dir = await tempDir();
  await using shop = await openShop(dir.path, 10);
  const end = (await read(shop, dir.path, null)).at(-1);
  assert.ok(end?.kind === "end");

  const again = await read(shop, dir.path, end.validators);
  assert.equal(shop.lastStatus(), 304);
  shop.show("first", { hasValidators: false });
  const sameBytes = await read(shop, dir.path, end.validators);
  assert.equal(shop.lastStatus(), 200);
  shop.show("blank_column", { hasValidators: true });
  const otherBytes = await read(shop, dir.path, end.validators);

  assert.deepEqual(
    again.map(({ kind }) => kind),
    ["unchanged"],
  );
  assert.deepEqual(
    sameBytes.map(({ kind }) => kind),
    ["unchanged"],
  );
  assert.equal(otherBytes.filter(({ kind }) => kind === "draft").length, 10);
});
