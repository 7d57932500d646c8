/** A server that stops answers every waiting call, and loses nothing it has accepted. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { buildApp } from "../../src/http/app.ts";
import { work } from "../../src/pipeline/worker.ts";
import { createKey } from "../../src/setup/keys.ts";
import { listKeys } from "../../src/store/keys.ts";
import { findRun, listRuns } from "../../src/store/runs.ts";
import type { JobKind } from "../../src/store/runs.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { RunningApi, Shop } from "./running-api.ts";

/** A second server on the same installation: its own to stop, and as patient as the test wants. */
async function secondServer({ parts }: RunningApi, graceMs: number) {
  const app = await buildApp({ ...parts, graceMs });
  return { app, url: await app.listen({ host: "127.0.0.1", port: 0 }) };
}

const A_LONG_TIME_MS = 3_600_000;

/** The run that the waiting call has asked for. */
async function queued({ db }: RunningApi, { id }: Shop, kind: JobKind): Promise<string> {
  while (true) {
    const [run] = await listRuns(db, id, { kind, limit: 1 });
    if (run) return run.id;
    await nextTurn();
  }
}

// Neither the grace nor the keep-alive of the callers' connections may be what ends it.
const AT_ONCE = { timeout: 30_000 };

test(
  "a call that waits for a run is answered at once when the server stops; the run continues",
  AT_ONCE,
  async () => {
    await using api = await runningApi({ hasWorker: false });
    const shop = await api.openShop(mugs(2));
    const { app, url } = await secondServer(api, A_LONG_TIME_MS);
    const headers = { authorization: `Bearer ${shop.key}` };
    const body = { source_id: shop.sourceId };
    const sync = ask(`${url}/api/v1/syncs`, { method: "POST", headers, body });
    const render = ask(`${url}/api/v1/feeds`, { method: "POST", headers });
    const runs = [await queued(api, shop, "sync"), await queued(api, shop, "render")];

    await app.close();

    for (const answer of [await sync, await render]) {
      assertProblem(answer, 503, "stopping");
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/);
    }
    for (const id of runs) assert.equal((await findRun(api.db, id))?.state, "queued");

    const stop = new AbortController();
    const working = work(api.jobs, api.notices, stop.signal);
    for (const id of runs) assert.equal((await api.ended(id)).state, "succeeded");
    stop.abort();
    await working;
  },
);

test("a client that never finishes does not delay the stop of a server", async () => {
  await using api = await runningApi({ hasWorker: false });
  const shop = await api.openShop();
  const { key, id } = await createKey(api.db, {
    catalogId: shop.id,
    name: "test",
    scopes: ["write"],
    expiresAt: null,
  });
  const { app, url } = await secondServer(api, 50);
  const caller = connect(Number(new URL(url).port), "127.0.0.1");
  const headers = `host: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 99`;
  caller.write(`POST /api/v1/syncs HTTP/1.1\r\n${headers}\r\n\r\n{`);
  const isBeingServed = async () =>
    (await listKeys(api.db, shop.id)).find((row) => row.id === id)?.lastUsedAt;
  while (!(await isBeingServed())) await nextTurn();

  const hungUp = once(caller.resume(), "close");
  await app.close();

  await hungUp;
});

test("a server that has stopped accepts no calls", async () => {
  await using api = await runningApi({ hasWorker: false });

  await api.app.close();

  await assert.rejects(api.ask("/healthz"), { code: "ECONNREFUSED" });
});
