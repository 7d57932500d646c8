import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { itemIds, runsOf } from "../../test/acts.ts";
import { article, articles, openShop } from "../../test/fakes/shop.ts";
import type { Row } from "../../test/fakes/shop.ts";
import { installation } from "../../test/installation.ts";
import { AppError } from "../errors.ts";
import { findSource } from "../store/sources.ts";
import { sampleSource } from "./sample.ts";
import type { Sampled } from "./sample.ts";

let home: Awaited<ReturnType<typeof installation>>;
before(async () => {
  home = await installation({ hasWorker: false });
});
after(() => home[Symbol.asyncDispose]());

async function sample(rows: readonly Row[] | number): Promise<{ catalogId: string; sampled: Sampled }> {
  await using shop = await openShop();
  if (typeof rows === "number") shop.breakDown(rows);
  else shop.stock(rows);
  const { id: catalogId } = await home.createCatalog();
  const source = await findSource(home.db, await home.addFeed(catalogId, shop.url));
  assert.ok(source);
  const sampled = await sampleSource(home.jobs, source, AbortSignal.timeout(20_000));
  return { catalogId, sampled };
}

test("a first look shows what would become of the first rows, good and bad", async () => {
  const { sampled } = await sample([
    article("a"),
    article("b", { price: "" }),
    article("c", { gtin: "123" }),
  ]);

  assert.deepEqual(
    sampled.items.map(({ id }) => id),
    ["a", "c"],
  );
  assert.deepEqual(
    sampled.rejections.map(({ position, code }) => ({ position, code })),
    [{ position: 2, code: "missing_price" }],
  );
  assert.ok(sampled.warnings.some(({ code }) => code === "invalid_gtin"));
  assert.equal(sampled.isWhole, true);
});

test("a first look stops after twenty rows, and says that there is more", async () => {
  const { sampled } = await sample([...articles(19), article("bad", { title: "" }), ...articles(500)]);

  assert.equal(sampled.items.length, 19);
  assert.equal(sampled.rejections.length, 1);
  assert.equal(sampled.isWhole, false);
});

test("a first look changes nothing and leaves nothing behind", async () => {
  const { catalogId } = await sample(articles(3));

  assert.deepEqual(await itemIds(home.db, catalogId), []);
  assert.deepEqual(await runsOf(home.db, catalogId), []);
  assert.deepEqual(await readdir(home.jobs.spoolRoot), []);
});

test("a source that cannot be read says why", async () => {
  await assert.rejects(
    sample(401),
    (error) => error instanceof AppError && error.code === "source_unauthorized",
  );
});
