/** Internals of a push: what a dead or stopped process leaves, and what is deleted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { itemIds, startWorker, until, waitLimit } from "../../../test/actions.ts";
import { installation } from "../../../test/installation.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import { findPush } from "../../store/pushes.ts";
import { findRun, listRuns } from "../../store/runs.ts";
import { prunePushData, type PushRequest, requestPush } from "./request.ts";
import { PUSH_LIMITS } from "./received-bytes.ts";
import { waitForSync } from "../requests.ts";
import { closeAfterTests } from "../../../test/close-after.ts";

const home = closeAfterTests(await installation({ hasWorker: false }));

const PRODUCT = { title: "Mug", link: "https://shop.example/p/1", price: "9.50 USD" };

async function* of(...texts: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const text of texts) yield Buffer.from(text);
}

async function requestOf(more: Partial<PushRequest> = {}): Promise<PushRequest> {
  return {
    catalogId: (await home.createCatalog()).id,
    key: null,
    mode: "update",
    format: "json",
    file: null,
    maxRemovedRatio: 0.5,
    bytes: of(JSON.stringify([{ id: "a", ...PRODUCT }])),
    coding: "identity",
    signal: new AbortController().signal,
    ...more,
  };
}

const ended = (runId: string) =>
  waitForSync({ db: home.db, notices: home.notices, signal: waitLimit() }, runId);

const chunksOf = (runId: string) =>
  home.db.query<{ part: number }>({
    text: "select part from push_chunks where run_id = $1 order by part",
    values: [runId],
  });

test("a body is stored in chunks of bounded size and read back as one text, also across cut characters", async () => {
  const title = "Größe ".repeat(50).trim();
  const bytes = of(JSON.stringify([{ ...PRODUCT, id: "a", title }]));
  const request = await requestOf({ bytes: inBytes(bytes) });

  const { runId } = await requestPush(home, request, { ...PUSH_LIMITS, chunkBytes: 7, smallBytes: 0 });

  assert.ok((await chunksOf(runId)).length > 40);
  await using worker = startWorker(home);
  assert.equal((await ended(runId)).state, "succeeded");
  await worker.stop();
  const [item] = await home.db.query<{ body: string }>({
    text: "select body from items where catalog_id = $1",
    values: [request.catalogId],
  });
  assert.equal((JSON.parse(item?.body ?? "{}") as { title?: string }).title, title);
  assert.deepEqual(await chunksOf(runId), []);
});

async function* inBytes(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const bytes of source) for (const byte of bytes) yield Uint8Array.of(byte);
}

test("a push whose worker died is performed by the next one from the stored body", async () => {
  const request = await requestOf();
  const { runId } = await requestPush(home, request);
  await home.db.execute({
    text: `update runs set state = 'running', owner = $2, attempts = 1, lease_until = now() - interval '1 second'
            where id = $1`,
    values: [runId, newId()],
  });

  await using worker = startWorker(home);

  assert.equal((await ended(runId)).state, "succeeded");
  await worker.stop();
  assert.deepEqual(await itemIds(home.db, request.catalogId), ["a"]);
});

const endless: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
};
async function* breaking(): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from("[");
  throw new Error("aborted");
}

const FAILING: readonly {
  readonly what: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly format?: PushRequest["format"];
  readonly code: ErrorCode;
  readonly says: RegExp;
}[] = [
  {
    what: "stops sending",
    bytes: endless,
    code: "body_incomplete",
    says: /Nothing was sent for 0\.05 seconds/,
  },
  { what: "disconnects", bytes: breaking(), code: "body_incomplete", says: /connection ended/ },
  {
    what: "sends too much",
    bytes: of("x".repeat(2_000)),
    code: "body_too_large",
    says: /more than 1000 bytes\. Nothing was changed; send less at once, by PATCH/,
  },
  {
    what: "sends an endless line",
    bytes: of('{"id": "a"}\n', "x".repeat(600)),
    format: "json_lines",
    code: "body_too_large",
    says: /line has more than 500 bytes\. Nothing was changed; correct the body/,
  },
  { what: "sends nothing", bytes: of(), code: "body_malformed", says: /empty/ },
];

for (const { what, bytes, format = "json", code, says } of FAILING) {
  test(`a sender who ${what} fails the run, which leaves no body behind and lets the next push begin`, async () => {
    const request = await requestOf({ bytes, format });
    const limits = { ...PUSH_LIMITS, idleMs: 50, maxSentBytes: 1_000, maxLineBytes: 500 };

    await assert.rejects(
      requestPush(home, request, limits),
      (error) => error instanceof AppError && error.code === code && says.test(error.message),
    );

    const [run] = await listRuns(home.db, request.catalogId, { kind: "sync", limit: 1 });
    assert.deepEqual([run?.state, run?.error?.code], ["failed", code]);
    assert.equal(await findPush(home.db, run?.id ?? ""), undefined);
    await requestPush(home, { ...request, bytes: of("[]") }, limits);
  });
}

test("a server that stops while it receives answers with that code, and the run has body_incomplete", async () => {
  const stop = new AbortController();
  const request = await requestOf({ bytes: endless, signal: stop.signal });
  const asked = requestPush(home, request);
  stop.abort(new AppError("stopping", "The server is stopping.", { retryAfterS: 10 }));

  await assert.rejects(asked, { code: "stopping", retryAfterS: 10 });

  const [run] = await listRuns(home.db, request.catalogId, { kind: "sync", limit: 1 });
  assert.deepEqual([run?.state, run?.error?.code], ["failed", "body_incomplete"]);
});

test("a receiver that lost its lease stops receiving", async () => {
  const request = await requestOf({ bytes: endless });
  const asked = requestPush(home, request, { ...PUSH_LIMITS, heartbeatMs: 20 });
  asked.catch(() => undefined);
  await until(
    async () =>
      (await home.db.execute({
        text: "update runs set owner = $2 where catalog_id = $1 and state = 'running'",
        values: [request.catalogId, newId()],
      })) === 1,
    "the run to be opened",
  );

  await assert.rejects(asked, { code: "body_incomplete" });
});

test("bodies of finished pushes and keys older than a day are deleted; open ones stay", async () => {
  const done = await requestPush(home, await requestOf({ key: "old" }));
  const open = await requestPush(home, await requestOf({ key: "new" }));
  await home.db.execute({
    text: "update runs set state = 'failed' where id = $1",
    values: [done.runId],
  });
  await home.db.execute({
    text: "update push_keys set created_at = now() - interval '25 hours' where run_id = $1",
    values: [done.runId],
  });

  await prunePushData(home.db);

  assert.equal(await findPush(home.db, done.runId), undefined);
  assert.match((await findPush(home.db, open.runId))?.body?.toString() ?? "", /"id":"a"/);
  assert.equal((await findRun(home.db, open.runId))?.state, "queued");
  const keys = await home.db.query<{ key: string }>({
    text: "select key from push_keys where run_id in ($1, $2)",
    values: [done.runId, open.runId],
  });
  assert.deepEqual(keys, [{ key: "new" }]);
});
