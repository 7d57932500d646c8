/** For operators: request ids, health, metrics, and an unavailable database. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildApp, buildMetricsApp } from "../../src/http/app.ts";
import { isUuid } from "../../src/lib/id.ts";
import { newKey } from "../../src/lib/api-key.ts";
import { AppError } from "../../src/errors.ts";
import { openDb } from "../../src/store/db.ts";
import type { Db } from "../../src/store/db.ts";
import type { Sql } from "../../src/store/sql.ts";
import { until } from "../actions.ts";
import { memoryLog } from "../installation.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { RunningApi } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";
import { administer } from "../fresh.ts";
import { enqueueDueRuns } from "../../src/pipeline/maintenance.ts";

const api = closeAfterTests(await runningApi());
const shop = await api.openShop(mugs(3));
assert.equal((await shop.sync()).status, 200);

describe("a request's id", () => {
  const ADDRESSES = [
    { path: "/api/v1/feeds", status: 401 },
    { path: "/api/v1/nothing", status: 404 },
    { path: "/api/v1/openapi.json", status: 200 },
    { path: "/f/a/b/acp.csv", status: 404 },
    { path: `/f/a/${"b".repeat(300)}/acp.csv`, status: 404 },
    { path: "/%zz", status: 400 },
    { path: "/healthz", status: 200 },
    { path: "/metrics", status: 200 },
  ];

  test("is returned with every answer and is in its log line", async () => {
    for (const [i, { path, status }] of ADDRESSES.entries()) {
      const id = `order-66.${i}:a_B`;

      const answer = await api.ask(path, { headers: { "x-request-id": id } });

      assert.equal(answer.status, status, path);
      assert.equal(answer.headers["x-request-id"], id, path);
      const line = api.log.lines.find(({ fields }) => "request_id" in fields && fields.request_id === id);
      assert.ok(line && "status" in line.fields, path);
      assert.equal(line.fields.status, status);
    }
  });

  test("is returned for feeds too, also without a body", async () => {
    const { headers } = await shop.fetch("acp.csv");
    const conditions: readonly Record<string, string>[] = [
      { "if-none-match": String(headers.etag) },
      { range: "bytes=99999999-" },
      {},
    ];
    for (const condition of conditions) {
      const answer = await shop.fetch("acp.csv", { headers: { ...condition, "x-request-id": "mine" } });
      assert.equal(answer.headers["x-request-id"], "mine");
    }
  });

  test("is generated if the client's is missing or invalid", async () => {
    const insane = ["", "a b", "a\tb", "x".repeat(129), "<script>", "line;drop", "ä"];
    const seen = new Set<string>();
    for (const sent of insane) {
      const { headers } = await api.ask("/healthz", { headers: { "x-request-id": sent } });
      const id = String(headers["x-request-id"]);
      assert.ok(isUuid(id), `${JSON.stringify(sent)} became ${id}`);
      seen.add(id);
    }
    assert.equal(seen.size, insane.length);
    assert.equal(
      (await api.ask("/healthz", { headers: { "x-request-id": "x".repeat(128) } })).headers["x-request-id"],
      "x".repeat(128),
    );
  });
});

describe("metrics", () => {
  // The library writes `Nan`, which Prometheus reads: Go takes the word in any case.
  const SAMPLE =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (NaN|Nan|[+-]?Inf|[-+.\deE]+)$/;

  async function samples(of: Pick<RunningApi, "ask">): Promise<ReadonlyMap<string, number>> {
    const answer = await of.ask("/metrics");
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    const found = new Map<string, number>();
    const typed = new Set<string>();
    for (const line of answer.text.split("\n").filter((text) => text !== "")) {
      const [, declared] = /^# TYPE (\S+) (?:counter|gauge|histogram|summary)$/.exec(line) ?? [];
      if (declared) typed.add(declared);
      if (line.startsWith("#")) continue;
      const [, name = "", labels = "", value] = SAMPLE.exec(line) ?? [];
      assert.notEqual(name, "", `not a sample: ${line}`);
      assert.ok(typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, "")), name);
      found.set(labels === "" ? name : `${name}{${labels}}`, Number(value));
    }
    return found;
  }

  test("are in Prometheus format and current", async () => {
    await samples(api);
    const second = await api.openShop(mugs(2));
    assert.equal((await second.sync()).status, 200);
    // Maintenance, which does not run here, notices that the new sources have been synced.
    await enqueueDueRuns(api);

    const metrics = await samples(api);

    assert.equal(metrics.get("shelfwire_up"), 1);
    assert.equal(metrics.get("shelfwire_catalogs"), 2);
    assert.equal(metrics.get("shelfwire_items"), 5);
    assert.equal(metrics.get("shelfwire_sync_lateness_seconds"), 0);
    assert.equal(metrics.get('shelfwire_runs{kind="sync",state="succeeded"}'), 2);
    assert.equal(metrics.get('shelfwire_runs{kind="render",state="succeeded"}'), 2);
  });

  test("count requests by route, never by URL", async () => {
    const name =
      'shelfwire_http_request_duration_seconds_count{method="GET",route="/f/:slug/:token/:file",status="200"}';
    const before = (await samples(api)).get(name) ?? 0;

    await shop.fetch("acp.csv");
    await shop.fetch("gmc.tsv");

    // A request is counted after its answer is sent.
    await until(async () => (await samples(api)).get(name) === before + 2, "both requests to be counted");
  });

  test("contain no catalog, source, key or token", async () => {
    const { feeds } = await shop.feeds();
    const [, slug = "", token = ""] = /\/f\/([^/]+)\/([^/]+)\//.exec(feeds[0]?.url ?? "") ?? [];

    const { text } = await api.ask("/metrics");

    for (const name of [shop.id, shop.sourceId, slug, token, shop.key.slice(3, 15)]) {
      assert.ok(name !== "" && !text.includes(name), name);
    }
  });
});

test("any number of health and metrics calls cause few queries", async () => {
  let statements = 0;
  const db: Db = {
    ...api.db,
    query: async <Row>(statement: Sql) => {
      statements += 1;
      return api.db.query<Row>(statement);
    },
  };
  const { metricsAgeMs: _now, ...parts } = api.parts;
  const app = await buildApp({ ...parts, db, log: memoryLog() });
  try {
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    await ask(`${url}/metrics`);
    const before = statements;

    const paths = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? "/metrics" : "/readyz"));
    const answers = await Promise.all(paths.map(async (path) => ask(url + path)));

    assert.ok(answers.every(({ status }) => status === 200));
    // One ping, and as many again as half seconds pass.
    assert.ok(statements - before < 20, String(statements - before));
  } finally {
    await app.close();
  }
});

test("many health calls are all answered, and do not delay a feed", async () => {
  await using api = await runningApi();
  const shop = await api.openShop(mugs(1));
  assert.equal((await shop.sync()).status, 200);
  const answered: string[] = [];
  const probe = async (path: string) => {
    assert.equal((await api.ask(path)).status, 200);
    answered.push(path);
  };
  const probes = Array.from({ length: 100 }, (_, i) => probe(i % 2 === 0 ? "/readyz" : "/healthz"));

  await probes[0];
  await shop.fetch("acp.csv");
  const before = answered.length;
  await Promise.all(probes);

  assert.ok(before < 50, `${before} of 100 were answered before the feed`);
  assert.equal(answered.length, 100);
});

test("metrics can have their own port, and are then not on the public one", async () => {
  const metricsApp = buildMetricsApp(memoryLog());
  const app = await buildApp({ ...api.parts, metricsApp });
  try {
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const metricsUrl = await metricsApp.listen({ host: "127.0.0.1", port: 0 });
    await ask(`${url}/healthz`);

    assertProblem(await ask(`${url}/metrics`), 404, "not_found");
    assertProblem(await ask(`${metricsUrl}/api/v1/feeds`), 404, "not_found");
    const metrics = await ask(`${metricsUrl}/metrics`);
    assert.match(metrics.text, /^shelfwire_up 1$/m);
    assert.match(metrics.text, /route="\/healthz"/);
  } finally {
    await app.close();
    await metricsApp.close();
  }
});

test("liveness and readiness are answered without a key", async () => {
  assert.equal((await api.ask("/healthz")).text, '{"status":"ok"}');
  assert.equal((await api.ask("/readyz")).text, '{"status":"ready"}');
});

test("while the database is unavailable the service is alive, not ready, and sends Retry-After", async () => {
  const target = { connectionString: "postgres://nobody@127.0.0.1:1/nothing", schema: "nowhere" };
  const db = openDb(target, { max: 1, name: "shelfwire-test" });
  const log = memoryLog();
  const app = await buildApp({ ...api.parts, db, log });
  try {
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const authorization = `Bearer ${newKey().text}`;

    assert.equal((await ask(`${url}/healthz`)).status, 200);
    for (const path of ["/readyz", "/api/v1/feeds", "/api/v1/syncs", "/f/a/b/acp.csv"]) {
      const answer = await ask(url + path, { headers: { authorization } });
      const { detail } = assertProblem(answer, 503, "database_unavailable");
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/);
      assert.ok(!/127\.0\.0\.1|ECONNREFUSED|nobody/.test(answer.text), detail);
    }
    const metrics = await ask(`${url}/metrics`);
    assert.match(metrics.text, /^shelfwire_up 0$/m);
    assert.ok(log.lines.some(({ level }) => level === "error"));
  } finally {
    await app.close();
    await db.close();
  }
});

test("while the database is unavailable, published feeds are served, and invalid tokens are refused", async () => {
  const { feeds } = await shop.feeds();
  const path = new URL(feeds[0]?.url ?? "").pathname;
  const before = await shop.fetch("acp.csv");
  let isAway = false;
  const loaded = Promise.withResolvers<void>();
  const db: Db = {
    ...api.db,
    query: async <Row>(statement: Sql) => {
      if (isAway) throw new AppError("database_unavailable", "away", { retryAfterS: 5 });
      const rows = await api.db.query<Row>(statement);
      if (statement.text.includes("from feed_files")) loaded.resolve();
      return rows;
    },
    first: async <Row>(statement: Sql) => (await db.query<Row>(statement))[0],
  };
  const app = await buildApp({ ...api.parts, db, log: memoryLog() });
  try {
    await loaded.promise;
    isAway = true;

    const during = await app.inject(path);

    assert.equal(during.statusCode, 200);
    assert.equal(during.headers.etag, before.headers.etag);
    assert.equal(during.payload, before.text);
    const wrongToken = path.replace(/[^/]+(?=\/acp\.csv$)/, "0".repeat(43));
    const refused = await app.inject(wrongToken);
    assert.equal(refused.statusCode, 503);
    assert.equal(refused.headers["retry-after"], "5");
  } finally {
    await app.close();
  }
});

test("a read-only database: not ready, calls answer 503 with the reason, feeds are served, and all recovers", async () => {
  await using own = await runningApi();
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const name = new URL(own.db.target.connectionString).pathname.slice(1);
  const cutOff = async (setting: string) => {
    await administer(server, `alter database ${name} ${setting}`);
    await administer(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  };
  const stocked = await own.openShop(mugs(3));
  assert.equal((await stocked.sync()).status, 200);
  const before = await stocked.fetch("acp.csv");

  await cutOff("set default_transaction_read_only = on");
  const refused = await until(async () => {
    const answer = await own.ask("/readyz");
    return answer.status === 503 && answer.text.includes("database_read_only") && answer;
  }, "the server to notice");
  const call = await stocked.call("/api/v1/syncs");
  const during = await stocked.fetch("acp.csv");
  await cutOff("reset default_transaction_read_only");
  await until(async () => (await own.ask("/readyz")).status === 200, "the server to be ready");

  assertProblem(refused, 503, "database_read_only");
  const problem = assertProblem(call, 503, "database_read_only");
  assert.match(problem.detail, /read-only.*DATABASE_URL/);
  assert.deepEqual([during.status, during.text], [200, before.text]);
  assert.equal((await stocked.sync()).status, 200);
});
