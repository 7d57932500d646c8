/** Shops that fail: the answer says what happened and what to do, and the catalog is not changed. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "node:test";
import type { ErrorCode } from "../../src/errors.ts";
import { ERRORS } from "../../src/errors.ts";
import { FEED_FILES } from "../../src/channels/registry.ts";
import { findRun } from "../../src/store/runs.ts";
import type { Page } from "../fakes/feed-host.ts";
import { assertProblem } from "./problem.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { RunningApi, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());

/** Everything a failed sync must leave alone: the items, what the feed URLs serve, and the last render. */
async function standing({ db }: RunningApi, shop: Shop) {
  const items = await db.query({
    text: "select id, source_id, encode(fingerprint, 'hex') as fingerprint, body from items where catalog_id = $1 order by id",
    values: [shop.id],
  });
  const files = await Promise.all(
    FEED_FILES.map(async (file) => {
      const { bytes, headers } = await shop.fetch(file);
      return [file, bytes, headers.etag, headers["last-modified"]];
    }),
  );
  return { items, files, lastRender: (await shop.feeds()).last_render };
}

async function assertFailsInPlace(
  { api, shop }: { api: RunningApi; shop: Shop },
  { code, detail }: { code: ErrorCode; detail: RegExp },
): Promise<void> {
  const before = await standing(api, shop);
  assert.ok(before.items.length > 0);

  const answer = await shop.sync();

  const { run_id: runId = "", ...problem } = assertProblem(answer, 422, code);
  assert.match(problem.detail, detail);
  assert.equal(problem.instance, "/api/v1/syncs");
  const run = await findRun(api.db, runId);
  assert.deepEqual([run?.state, run?.error?.code, run?.sourceId], ["failed", code, shop.sourceId]);
  const { data } = (await shop.call("/api/v1/syncs")).json as { data: { syncs: { status: string }[] } };
  assert.deepEqual(
    data.syncs.map(({ status }) => status),
    ["failed", "succeeded"],
  );
  assert.deepEqual(await standing(api, shop), before);
}

type Failing = {
  readonly shop: string;
  readonly page: Page;
  readonly code: ErrorCode;
  readonly detail: RegExp;
};
const status = (code: number): Page => ({ kind: "file", status: code, body: "" });

const FAILING: readonly Failing[] = [
  {
    shop: "answers 404",
    page: status(404),
    code: "source_not_found",
    detail: /status 404\. .*check the address/,
  },
  { shop: "answers 410", page: status(410), code: "source_not_found", detail: /status 410/ },
  {
    shop: "answers 401",
    page: status(401),
    code: "source_unauthorized",
    detail: /status 401\. .*password/,
  },
  { shop: "answers 500", page: status(500), code: "source_unavailable", detail: /status 500/ },
  { shop: "answers 503", page: status(503), code: "source_unavailable", detail: /status 503/ },
  {
    shop: "returns a web page",
    page: { kind: "file", body: "<!doctype html><title>Please log in</title><p>Welcome" },
    code: "source_not_a_feed",
    detail: /Please log in/,
  },
  {
    shop: "returns nothing",
    page: { kind: "file", body: "" },
    code: "source_not_a_feed",
    detail: /zero bytes/,
  },
  {
    shop: "returns some other table",
    page: { kind: "file", body: "name,phone\nAda,1\nBob,2\n" },
    code: "source_not_a_feed",
    detail: /phone/,
  },
  {
    shop: "hangs up in the middle",
    page: { kind: "cut", body: csv(mugs(3)), announced: 100_000 },
    code: "source_incomplete",
    detail: /broke off after \d+ bytes/,
  },
  {
    shop: "sends half an archive",
    page: { kind: "file", body: Buffer.from("1f8b0800000000000003", "hex") },
    code: "source_incomplete",
    detail: /./,
  },
  {
    shop: "redirects to a private address",
    page: { kind: "redirect", to: "http://10.0.0.1/feed.csv" },
    code: "target_forbidden",
    detail: /ALLOW_PRIVATE_TARGETS/,
  },
  {
    shop: "suddenly has 2 of its 25 items",
    page: { kind: "file", body: csv(mugs(2)) },
    code: "catalog_collapsed",
    detail: /remove 23 of the source's 25 items.*max_removed_ratio/,
  },
  {
    shop: "suddenly has no item of its 25",
    page: { kind: "file", body: csv([]) },
    code: "catalog_collapsed",
    detail: /remove 25 of the source's 25 items/,
  },
];

for (const { shop: what, page, code, detail } of FAILING) {
  test(`a shop that ${what} fails the sync with ${code} and changes nothing`, async () => {
    const shop = await api.openShop(mugs(25));
    assert.equal((await shop.sync()).status, 200);
    shop.answers(page);

    await assertFailsInPlace({ api, shop }, { code, detail });
  });
}

test("a shop that never answers fails the sync with source_timeout and changes nothing", async () => {
  await using hasty = await runningApi({ patienceMs: 400 });
  const shop = await hasty.openShop(mugs(12));
  assert.equal((await shop.sync()).status, 200);
  shop.answers({ kind: "silent" });

  await assertFailsInPlace({ api: hasty, shop }, { code: "source_timeout", detail: /longer than 0\.4 s/ });
});

test("a shop that cannot be reached fails the first sync with source_unreachable", async () => {
  const shop = await api.openShop([], "http://127.0.0.1:1/feed.csv");

  const problem = assertProblem(await shop.sync(), 422, "source_unreachable");

  assert.equal((await findRun(api.db, problem.run_id ?? ""))?.state, "failed");
  assert.equal((await shop.feeds()).last_render, null);
});

test("a source may lose half of its items, and a small one all of them", async () => {
  const large = await api.openShop(mugs(12));
  const small = await api.openShop(mugs(9));
  await large.sync();
  await small.sync();
  large.sells(mugs(6));
  small.sells([]);

  assert.equal((await large.sync()).status, 200);
  assert.equal((await small.sync()).status, 200);

  assert.equal((await large.feeds()).last_render?.stats.items, 6);
  assert.equal((await small.feeds()).last_render?.stats.items, 0);
});

test("a shop that has recovered is synced normally", async () => {
  const shop = await api.openShop(mugs(3));
  shop.answers(status(500));
  assertProblem(await shop.sync(), 422, "source_unavailable");
  shop.sells(mugs(3));

  const answer = await shop.sync();

  assert.equal(answer.status, 200, answer.text);
  assert.equal((await shop.feeds()).last_render?.stats.items, 3);
});

test("an internal error fails the sync without its cause, which is in the log", async () => {
  const canary = "a_cause_for_the_log";
  const shop = await api.openShop(mugs(3));
  await api.db.execute({
    text: `alter table items add constraint ${canary} check (false) not valid`,
    values: [],
  });
  try {
    const answer = await shop.sync();

    const problem = assertProblem(answer, 422, "internal");
    assert.equal(problem.detail, ERRORS.internal.title);
    assert.ok(!answer.text.includes(canary));
    assert.ok(!(await shop.call("/api/v1/syncs")).text.includes(canary));
    const line = api.log.lines.find(({ fields }) => inspect(fields).includes(problem.run_id ?? "?"));
    assert.ok(inspect(line).includes(canary));
  } finally {
    await api.db.execute({ text: `alter table items drop constraint ${canary}`, values: [] });
  }
});
