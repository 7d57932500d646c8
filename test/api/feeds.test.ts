/** GET and POST /api/v1/feeds, as sections 2.1, 2.2, 4.1 and 4.2 of the interface specify. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import { isUuid } from "../../src/lib/id.ts";
import { listRuns } from "../../src/store/runs.ts";
import { assertProblem } from "./problem.ts";
import { failRenders, allowRenders } from "./renders.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { RunningApi } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const api = closeAfterTests(await runningApi());

test("the four feeds are listed in their order before anything was rendered, and last_render is null", async () => {
  const shop = await api.openShop();

  const answer = await shop.call("/api/v1/feeds", { headers: { authorization: `Bearer ${shop.readKey}` } });

  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
  const [, token] = /\/f\/[^/]+\/([0-9A-Za-z]{32})\//.exec(answer.text) ?? [];
  const at = `http://feeds.test/f/${shop.slug}/${token}`;
  // As text, so that the keys and their order are part of what is promised.
  assert.equal(
    answer.text,
    JSON.stringify({
      data: {
        feeds: [
          { file: "acp.csv", content_type: "text/csv; charset=utf-8", url: `${at}/acp.csv` },
          { file: "acp.json", content_type: "application/json", url: `${at}/acp.json` },
          {
            file: "gmc.tsv",
            content_type: "text/tab-separated-values; charset=utf-8",
            url: `${at}/gmc.tsv`,
          },
          { file: "jsonld.json", content_type: "application/json", url: `${at}/jsonld.json` },
        ],
        last_render: null,
      },
    }),
  );
});

test("a render on demand has the same answer as a GET after it, with files and time", async () => {
  const shop = await api.openShop(mugs(3));
  await shop.sync();

  const rendered = await shop.call("/api/v1/feeds", { method: "POST" });

  assert.equal(rendered.status, 200);
  assert.equal(rendered.text, (await shop.call("/api/v1/feeds")).text);
  const { last_render: last } = (rendered.json as FeedsAnswer).data;
  assert.deepEqual(Object.keys(last ?? {}), ["run_id", "status", "stats", "started_at", "finished_at"]);
  assert.ok(isUuid(last?.run_id ?? ""));
  assert.equal(last?.status, "succeeded");
  assert.equal(last?.stats.items, 3);
  assert.match(last?.started_at ?? "", TIME);
  assert.match(last?.finished_at ?? "", TIME);
  assert.ok((last?.started_at ?? "") <= (last?.finished_at ?? ""));
});

test("every render on demand is a new run, even if nothing has changed", async () => {
  const shop = await api.openShop(mugs(1));
  await shop.sync();
  const first = await shop.feeds();

  const second = ((await shop.call("/api/v1/feeds", { method: "POST" })).json as FeedsAnswer).data;

  assert.notEqual(second.last_render?.run_id, first.last_render?.run_id);
  assert.deepEqual(second.feeds, first.feeds);
  assert.equal(second.last_render?.stats.items, 1);
});

const BODIES: readonly { readonly what: string; readonly asked: Parameters<RunningApi["ask"]>[1] }[] = [
  { what: "nothing", asked: {} },
  { what: "nothing, with the content type JSON", asked: { headers: { "content-type": "application/json" } } },
  {
    what: "nothing, with the content type JSON in UTF-8",
    asked: { headers: { "content-type": "application/json; charset=utf-8" } },
  },
  {
    what: "an empty body with the content type JSON",
    asked: { headers: { "content-type": "application/json" }, body: "" },
  },
  { what: "an empty object", asked: { body: {} } },
];

for (const { what, asked } of BODIES) {
  test(`a render on demand accepts ${what} as body`, async () => {
    const shop = await api.openShop();

    const answer = await shop.call("/api/v1/feeds", { ...asked, method: "POST" });

    assert.equal(answer.status, 200, answer.text);
    assert.equal((answer.json as FeedsAnswer).data.last_render?.stats.items, 0);
  });
}

test("a failed render is a 422 with its run, and the published files do not change", async (t) => {
  const shop = await api.openShop(mugs(2));
  await shop.sync();
  const good = await shop.feeds();
  const served = await shop.fetch("acp.csv");
  const canary = "a_cause_for_the_log";
  await failRenders(api.db, canary);
  t.after(() => allowRenders(api.db, canary));

  const failed = await shop.call("/api/v1/feeds", { method: "POST" });

  const problem = assertProblem(failed, 422, "render_failed");
  assert.ok(!failed.text.includes(canary), "the cause is for the log alone");
  const [run] = await listRuns(api.db, shop.id, { kind: "render", limit: 1 });
  assert.equal(problem.run_id, run?.id);
  assert.equal(run?.state, "failed");
  assert.deepEqual(await shop.feeds(), good);
  const now = await shop.fetch("acp.csv");
  assert.deepEqual(
    [now.text, now.headers.etag, now.headers["last-modified"]],
    [served.text, served.headers.etag, served.headers["last-modified"]],
  );
});

test("a sync whose render fails has succeeded; the old files stay until a render succeeds", async () => {
  const shop = await api.openShop(mugs(2));
  await shop.sync();
  const good = await shop.feeds();
  const served = await shop.fetch("jsonld.json");
  await failRenders(api.db, "no_render");
  shop.sells(mugs(4));

  const synced = await shop.sync();

  assert.equal(synced.status, 200, synced.text);
  assert.equal((synced.json as { data: { stats: { upserted: number } } }).data.stats.upserted, 2);
  assert.deepEqual(await shop.feeds(), good);
  assert.equal((await shop.fetch("jsonld.json")).text, served.text);

  await allowRenders(api.db, "no_render");
  const fixed = (await shop.call("/api/v1/feeds", { method: "POST" })).json as FeedsAnswer;

  assert.equal(fixed.data.last_render?.stats.items, 4);
  assert.match((await shop.fetch("jsonld.json")).text, /mug-004/);
});

test("a catalog whose first render failed has no last render", async (t) => {
  const shop = await api.openShop(mugs(2));
  await failRenders(api.db, "no_first_render");
  t.after(() => allowRenders(api.db, "no_first_render"));

  assert.equal((await shop.sync()).status, 200);

  assert.equal((await shop.feeds()).last_render, null);
  assertProblem(await shop.fetch("acp.csv"), 404, "not_found");
});
