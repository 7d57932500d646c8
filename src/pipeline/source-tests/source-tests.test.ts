import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorker, until, waitLimit } from "../../../test/actions.ts";
import { heldFeed } from "../../../test/fakes/held-feed.ts";
import { articles, openShop } from "../../../test/fakes/shop.ts";
import { installation } from "../../../test/installation.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import { claimSourceTest, insertSourceTest, pruneSourceTests } from "../../store/source-tests.ts";
import { sampleSource } from "../sync/sample.ts";
import { requestSourceTest, type TestRequest } from "./request.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const SECRET = "a-password-to-keep-secret";
const CSV = "id,title,link,price,currency\n1,Mug,https://shop.example/1,5.00,USD\n";

const home = closeAfterTests(await installation({ hasWorker: false }));

const sourceAt = (url: string) => ({
  kind: "feed_url",
  settings: { url, username: "shop", password: SECRET },
});

function ask(catalogId: string, url: string, more: Partial<TestRequest> = {}) {
  const { db, notices, parts } = home;
  const caller = { db, notices, encryption: parts.encryption };
  const signal = waitLimit();
  return requestSourceTest(caller, { catalogId, test: { source: sourceAt(url) }, signal, ...more });
}

const rows = () =>
  home.db.query<{ catalogId: string; request: Buffer; isClaimed: boolean }>({
    text: "select catalog_id, request, owner is not null as is_claimed from source_tests",
    values: [],
  });

const hasCode = (code: string) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  return true;
};

test("a worker's answer equals a direct sample, and no row is left", async () => {
  await using shop = await openShop();
  shop.stock(articles(3));
  const { id } = await home.createCatalog();
  await using worker = startWorker(home);

  const answered = await ask(id, shop.url);

  const source = { catalogId: id, ...sourceAt(shop.url) };
  const direct = await sampleSource(home.jobs, source, waitLimit());
  assert.deepEqual(answered, JSON.parse(JSON.stringify(direct)));
  assert.deepEqual(await rows(), []);
  await worker.stop();
});

test("a failure has its code, message and fields", async () => {
  await using shop = await openShop();
  shop.breakDown(401);
  const { id } = await home.createCatalog();
  await using worker = startWorker(home);

  await assert.rejects(ask(id, shop.url), hasCode("source_unauthorized"));
  await assert.rejects(ask(id, "http://10.0.0.1/feed.csv"), hasCode("target_forbidden"));
  assert.deepEqual(await rows(), []);
  await worker.stop();
});

test("the row and the log contain no secret in plain text", async () => {
  await using feed = await heldFeed(CSV);
  const { id } = await home.createCatalog();
  await using worker = startWorker(home);
  const asked = ask(id, feed.url);
  await feed.asked;

  const [row] = await rows();
  feed.release();
  await asked;

  assert.equal(row?.request.includes(SECRET), false);
  assert.equal(row?.request.includes("127.0.0.1"), false);
  assert.equal(JSON.stringify(home.log.lines).includes(SECRET), false);
  await worker.stop();
});

test("a test that no worker begins fails with a code, and its row is deleted", async () => {
  const { id } = await home.createCatalog();

  await assert.rejects(ask(id, "http://127.0.0.1:1/", { claimMs: 50 }), hasCode("worker_unavailable"));

  assert.deepEqual(await rows(), []);
});

test("a test whose worker dies fails as interrupted, and its row is deleted", async () => {
  const { id } = await home.createCatalog();
  const asked = ask(id, "http://127.0.0.1:1/");
  // A worker that claims and is never heard of again.
  await until(() => claimSourceTest(home.db, { owner: newId(), leaseMs: 20 }), "the test to be claimed");

  await assert.rejects(asked, hasCode("interrupted"));

  assert.deepEqual(await rows(), []);
});

test("a caller that disconnects cancels the test: the worker stops reading, and a new test can begin", async () => {
  await using feed = await heldFeed(CSV);
  const { id } = await home.createCatalog();
  await using worker = startWorker(home);
  const gone = new AbortController();
  const asked = ask(id, feed.url, { signal: gone.signal });
  await feed.asked;

  gone.abort(new AppError("stopping", "The caller hung up."));

  await assert.rejects(asked, hasCode("stopping"));
  await until(async () => (await rows()).length === 0, "the worker to end the test");
  feed.release();
  assert.equal((await ask(id, feed.url)).items.length, 1);
  await worker.stop();
});

test("a worker that is stopped releases its tests for another one", async () => {
  await using feed = await heldFeed(CSV);
  const { id } = await home.createCatalog();
  const first = startWorker(home);
  const asked = ask(id, feed.url);
  await feed.asked;
  await first.stop();
  feed.release();

  await using second = startWorker(home);

  assert.equal((await asked).items.length, 1);
  await second.stop();
});

test("with few slots, the catalog with the fewest running tests is next", async () => {
  const [{ id: busy }, { id: quiet }] = [await home.createCatalog(), await home.createCatalog()];
  for (const catalogId of [busy, busy, quiet]) {
    const waiting = { id: newId(), catalogId, request: Buffer.alloc(0), wantedMs: 60_000 };
    await insertSourceTest(home.db, waiting);
  }

  const claimed = [
    await claimSourceTest(home.db, { owner: newId(), leaseMs: 10_000 }),
    await claimSourceTest(home.db, { owner: newId(), leaseMs: 10_000 }),
  ];
  await home.db.execute({ text: "delete from source_tests", values: [] });

  assert.deepEqual(
    claimed.map((one) => one?.catalogId),
    [busy, quiet],
  );
});

test("rows of a killed server are deleted", async () => {
  const { id } = await home.createCatalog();
  await home.db.execute({
    text: `insert into source_tests (id, catalog_id, request, wanted_until, owner, lease_until)
           values (gen_random_uuid(), $1, '', now() - interval '1 s', null, null),
                  (gen_random_uuid(), $1, '', now() - interval '1 s', gen_random_uuid(), now() - interval '1 s'),
                  (gen_random_uuid(), $1, '', now() + interval '1 day', null, null)`,
    values: [id],
  });
  await using shop = await openShop();
  shop.stock(articles(1));
  await using worker = startWorker(home);

  assert.equal((await ask(id, shop.url)).items.length, 1);

  assert.equal(await pruneSourceTests(home.db), 3);
  assert.deepEqual(await rows(), []);
  await worker.stop();
});
