/**
 * The attack test: `npm run test:attacks -- [--seed 7] [--record]`. One catalog's key, and callers without any, attack a
 * running installation; the feeds of another catalog are read meanwhile. Checks that no call ends in an error of ours,
 * that nothing of another catalog is shown or changed, and that memory comes back. How much slower the other catalog's
 * feeds become is measured and not asserted: on a busy machine it says little. Only loopback; ends by itself.
 * `--record` writes the figures into docs/reliability.md.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { faultOf, fuzzer, sendFuzzCall } from "../api/fuzz.ts";
import type { ApiDocument } from "../api/fuzz.ts";
import { workerOf } from "../e2e/program.ts";
import { checkEnd, expectNoOpenRun } from "./checks.ts";
import { recordFigures } from "./figures.ts";
import { endsWithin, expect, problems, randomFrom, settles } from "./problems.ts";
import { buildWorld, learnFeeds, query } from "./world.ts";
import type { Tenant, World } from "./world.ts";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    calls: { type: "string", default: "6000" },
    rows: { type: "string", default: "2000000" },
    readers: { type: "string", default: "1000" },
    /** The large log alone. */
    log: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const [seed, calls, rows, readers] = [given.seed, given.calls, given.rows, given.readers].map(Number) as [
  number,
  number,
  number,
  number,
];

const LIMIT_MS = 40 * 60_000;
const IDLE_LIMIT_MS = 180_000;

const figures: Record<string, number | string> = {};
const note = (name: string, value: number | string): void => {
  figures[name] = value;
  console.log(`  ${name}: ${value}`);
};

type Call = { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> };

async function call(
  world: World,
  { key }: Pick<Tenant, "key">,
  path: string,
  asked: Call = {},
): Promise<Response> {
  const { method = "GET", body, headers = {} } = asked;
  return fetch(`${world.service.url}/api/v1/${path}`, {
    method,
    headers: {
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
}

/** Resident memory of a process, in megabytes. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

const READER = join(import.meta.dirname, "read-time.ts");

/** The median time of a feed read, in milliseconds. */
async function readTime(world: World, { feeds }: Tenant, count = 60): Promise<number> {
  const urls = feeds.map((path) => new URL(path, world.service.url).href);
  const { stdout } = await promisify(execFile)(process.execPath, [READER, String(count), ...urls]);
  const { median: ms, faults } = JSON.parse(stdout) as { median: number; faults: readonly number[] };
  expect(faults.length === 0, `feeds were answered with ${faults.join(", ")} during an attack`);
  return ms;
}

/** The other catalog's feeds are read before, during and after the attack. Records how much slower they were. */
async function whileAttacked(
  world: World,
  { name, victim }: { readonly name: string; readonly victim: Tenant },
  attack: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const before = await readTime(world, victim);
  const stop = new AbortController();
  const attacking = attack(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) expect(false, `${name}: ${String(error)}`);
  });
  await delay(1_000);
  const during = await readTime(world, victim, 150);
  stop.abort();
  expect(await endsWithin(attacking, IDLE_LIMIT_MS), `${name} does not end`);
  const after = await readTime(world, victim);
  const base = (before + after) / 2;
  note(`${name}: times slower`, Math.round((during / base) * 10) / 10);
}

/** Thousands of calls that the seed makes up. */
async function fuzzApi(world: World, [attacker, , victim]: readonly Tenant[]): Promise<void> {
  if (!attacker || !victim) return;
  const document = (await (await call(world, { key: "" }, "openapi.json")).json()) as ApiDocument;
  const next = fuzzer({
    document,
    chance: randomFrom(seed),
    ids: [attacker.sourceId, victim.sourceId],
    urls: ["http://127.0.0.1:9/feed.csv", attacker.shop.url],
  });
  const before = await (await call(world, victim, "items?limit=500")).text();
  const statuses: Record<string, number> = {};
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const made = next();
      const authorization = left % 20 === 0 ? "" : `Bearer ${attacker.key}`;
      const answer = await sendFuzzCall(world.service.url, made, authorization);
      const status = `${Math.floor(answer.status / 100)}xx`;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const fault = faultOf(made, answer, [victim.secret, victim.key, victim.shop.url]);
      if (fault !== null) expect(false, fault);
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  const after = await (await call(world, victim, "items?limit=500")).text();
  expect(before === after, "made-up calls changed another catalog");
  note("Made-up calls", calls);
  note("… answered 2xx, 4xx, 5xx", ["2xx", "4xx", "5xx"].map((status) => statuses[status] ?? 0).join(", "));
}

/** Every documented call with keys that must not open it, and with the ids of another catalog. */
async function attackAuthorization(world: World, [attacker, , victim]: readonly Tenant[]): Promise<void> {
  if (!attacker || !victim) return;
  const document = (await (await call(world, { key: "" }, "openapi.json")).json()) as ApiDocument;
  const { key } = victim;
  const wrong = [
    "",
    "Bearer",
    "Bearer x",
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}x`,
    `Bearer ${key.slice(0, 16)}${attacker.key.slice(16)}`,
    `Basic ${key}`,
    `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
    `Bearer ${key} ${key}`,
    `Bearer ${key.toUpperCase()}`,
    `Bearer ${key.toLowerCase().replace(/\d/g, "0")}`,
    `Bearer ' or 1=1 --`,
    `Token ${key}`,
    key,
    `Bearer "${key}"`,
    `Bearer ${encodeURIComponent(`${key}\0`)}`,
    `Digest ${key}`,
    "Bearer null",
    "Bearer undefined",
  ];
  let count = 0;
  let isKeyed = 0;
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) {
      const url = world.service.url + path.replace("{id}", "a1");
      for (const authorization of wrong) {
        const answer = await fetch(url, { method: method.toUpperCase(), headers: { authorization } });
        await answer.body?.cancel();
        count += 1;
        expect(
          answer.status === 401,
          `${method} ${path} answers ${answer.status} to "${authorization.slice(0, 12)}…"`,
        );
      }
      isKeyed += 1;
    }
  // Ids of the other catalog under one's own key.
  const foreign: readonly (readonly [string, string, object])[] = [
    ["syncs", "POST", { source_id: victim.sourceId }],
    ["sources", "PATCH", { id: victim.sourceId, enabled: false }],
    ["sources", "DELETE", { id: victim.sourceId, items: "remove" }],
    ["sources/test", "POST", { id: victim.sourceId }],
  ];
  for (const [path, method, body] of foreign) {
    const answer = await call(world, attacker, path, { method, body });
    await answer.body?.cancel();
    count += 1;
    expect(
      answer.status >= 400 && answer.status < 500,
      `${method} ${path} with a foreign id: ${answer.status}`,
    );
  }
  note("Authorization attacks", count);
  note("… on calls", isKeyed);
}

async function openSockets(world: World, count: number, head: string): Promise<Socket[]> {
  const port = Number(new URL(world.service.url).port);
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.pause();
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    socket.write(head);
    sockets.push(socket);
  }
  return sockets;
}

/** Many connections that send nothing more or read nothing: memory comes back when they are gone. */
async function flood(
  world: World,
  victim: Tenant,
  { name, count, head }: { readonly name: string; readonly count: number; readonly head: string },
): Promise<void> {
  const { pid } = world.service;
  const before = await memoryOf(pid);
  let peak = before;
  await whileAttacked(world, { name, victim }, async (signal) => {
    const sockets = await openSockets(world, count, head);
    while (!signal.aborted) {
      peak = Math.max(peak, await memoryOf(pid));
      await delay(200);
    }
    for (const socket of sockets) socket.destroy();
  });
  const isBack = async () => (await memoryOf(pid)) < before * 1.5 + 50;
  expect(await settles(isBack, IDLE_LIMIT_MS), `${name}: memory does not come back`);
  note(`${name}: MB before, at most, after`, `${before}, ${peak}, ${await memoryOf(pid)}`);
}

/** A shop whose feeds are as large or as slow as asked for. */
async function hostileShop() {
  const server = createServer((request, response) => {
    response.on("error", () => undefined).setMaxListeners(0);
    const url = new URL(request.url ?? "/", "http://x");
    const megabytes = Number(url.searchParams.get("mb") ?? 0);
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("id,title,link,price,description\n");
    void (async () => {
      if (url.pathname === "/slow") {
        for (let i = 0; i < 600 && !response.destroyed; i += 1) {
          response.write(`s${i},Mug,https://shop.example/p/s${i},5 USD,Slow\n`);
          await delay(1_000);
        }
      } else {
        const text = "x".repeat(1_000);
        for (let i = 0; i < megabytes * 1_000 && !response.destroyed; i += 1) {
          if (!response.write(`b${i},Mug ${i},https://shop.example/p/b${i},5 USD,${text}\n`))
            await Promise.race([once(response, "drain"), once(response, "close")]);
        }
      }
      response.end();
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Repeats a call from several callers until the signal aborts. */
async function repeat(signal: AbortSignal, callers: number, work: () => Promise<unknown>): Promise<void> {
  const one = async () => {
    while (!signal.aborted) await work().catch(async () => delay(100));
  };
  await Promise.all(Array.from({ length: callers }, one));
}

async function fairness(world: World, [, attacker, victim]: readonly Tenant[]): Promise<void> {
  if (!attacker || !victim) return;
  await using shop = await hostileShop();
  const drain = async (answer: Promise<Response>) => (await answer).arrayBuffer();
  await whileAttacked(world, { name: "Source tests of 20 MB, 10 at once", victim }, async (signal) =>
    repeat(signal, 10, async () =>
      drain(
        call(world, attacker, "sources/test", {
          method: "POST",
          body: { kind: "feed_url", settings: { url: shop.url("/big?mb=20") } },
        }),
      ),
    ),
  );
  const product = {
    title: "Mug",
    link: "https://shop.example/p",
    price: "5 USD",
    description: "x".repeat(1_000),
  };
  const push = Array.from({ length: 20_000 }, (_, i) => ({ id: `push${i}`, ...product }));
  await whileAttacked(world, { name: "Pushes of 20 MB, one after the other", victim }, async (signal) =>
    repeat(signal, 1, async () =>
      drain(call(world, attacker, "catalog?max_removed_ratio=1", { method: "PUT", body: push })),
    ),
  );
  await expectNoOpenRun(world, "the pushes");
  await whileAttacked(
    world,
    { name: "Wrong keys from 20 callers, without the rate limit", victim },
    async (signal) => repeat(signal, 20, async () => drain(call(world, { key: "sw_wrong" }, "feeds"))),
  );
  await slowSources(world, { attacker, victim, url: shop.url("/slow") });
  await backlog(world, { attacker, victim, url: shop.url("/big?mb=0") });
}

/** How long a sync of the catalog takes, its render included. */
async function syncTime(world: World, tenant: Tenant): Promise<number> {
  const began = performance.now();
  const answer = await call(world, tenant, "syncs", { method: "POST", body: { source_id: tenant.sourceId } });
  await answer.arrayBuffer();
  expect(answer.status === 200, `a sync of ${tenant.slug} was answered with ${answer.status}`);
  return performance.now() - began;
}

type Rivals = { readonly attacker: Tenant; readonly victim: Tenant; readonly url: string };

const insertSources = ({ attacker, url }: Rivals, count: number): string => `
  insert into sources (id, catalog_id, kind, name, settings, enabled, interval_s)
  select gen_random_uuid(), catalog_id, 'feed_url', 'attack ' || n, jsonb_build_object('url', '${url}'), false, 86400
    from sources, generate_series(1, ${count}) n where sources.id = '${attacker.sourceId}';
  insert into runs (id, catalog_id, source_id, kind, state, cause)
  select gen_random_uuid(), catalog_id, id, 'sync', 'queued', 'request' from sources where name like 'attack %'`;

/** Ends what is left of an attack, so that the next one is measured by itself. */
const removeSources = `
  delete from sources where name like 'attack %';
  update runs set state = 'failed', finished_at = now(), owner = null, lease_until = null,
                  error = '{"code":"interrupted","message":"The attack is over."}'
   where state in ('queued', 'running') and source_id is not null
     and source_id not in (select id from sources)`;

async function slowSources(world: World, rivals: Rivals): Promise<void> {
  const alone = Math.min(await syncTime(world, rivals.victim), await syncTime(world, rivals.victim));
  await query(world, insertSources(rivals, 40), 60_000);
  await delay(3_000);
  const beside = await syncTime(world, rivals.victim);
  await query(world, removeSources, 60_000);
  note(
    "Sync beside 40 sources that send a row a second: times slower",
    Math.round((beside / alone) * 10) / 10,
  );
  await expectNoOpenRun(world, "slow sources");
}

async function backlog(world: World, rivals: Rivals): Promise<void> {
  const alone = Math.min(await syncTime(world, rivals.victim), await syncTime(world, rivals.victim));
  await query(world, insertSources(rivals, 10_000), 60_000);
  await delay(2_000);
  const beside = await syncTime(world, rivals.victim);
  await query(world, removeSources, 60_000);
  note("Sync beside 10,000 queued syncs: times slower", Math.round((beside / alone) * 10) / 10);
  await expectNoOpenRun(world, "10,000 queued syncs");
}

/** What makes two million inserts slow and no count faster. The installation is thrown away afterwards. */
const DROP_CONSTRAINTS = `
  alter table webhook_deliveries
    drop constraint webhook_deliveries_catalog_id_event_id_fkey,
    drop constraint webhook_deliveries_catalog_id_endpoint_id_fkey,
    drop constraint webhook_deliveries_event_id_endpoint_id_key;
  drop index webhook_deliveries_by_catalog`;

/** `/readyz` and `/metrics` with an empty delivery log, and with a large one. */
async function largeLog(world: World, victim: Tenant): Promise<void> {
  const time = async (path: string) => {
    const times: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      // Beyond the time for which an answer is kept.
      await delay(path === "/metrics" ? 5_200 : 600);
      const began = performance.now();
      await (await fetch(world.service.url + path)).text();
      times.push(performance.now() - began);
    }
    return median(times);
  };
  const before = { ready: await time("/readyz"), metrics: await time("/metrics") };
  const fill = `insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, state, attempts, created_at, finished_at)
    select e.catalog_id, gen_random_uuid(), gen_random_uuid(), e.id, 'delivered', 1, now(), now()
      from (select * from webhook_endpoints limit 1) e, generate_series(1, ${rows}) n`;
  await query(world, `${DROP_CONSTRAINTS}; ${fill}; analyze webhook_deliveries`, 600_000);
  const after = { ready: await time("/readyz"), metrics: await time("/metrics") };
  note("Rows of the delivery log", rows);
  const ms = (number: number) => Math.round(number * 10) / 10;
  note("`/readyz` with an empty log and with those rows, ms", `${ms(before.ready)}, ${ms(after.ready)}`);
  note("`/metrics` with an empty log and with those rows, ms", `${ms(before.metrics)}, ${ms(after.metrics)}`);
  await whileAttacked(
    world,
    { name: "`/metrics` and `/readyz` at that log, 40 callers", victim },
    async (signal) =>
      repeat(signal, 40, async () => {
        await (await fetch(`${world.service.url}/metrics`)).text();
        await (await fetch(`${world.service.url}/readyz`)).text();
      }),
  );
}

async function attackAll(world: World, victim: Tenant): Promise<void> {
  const { tenants, service } = world;
  await attackAuthorization(world, tenants);
  await fuzzApi(world, tenants);
  await expectNoOpenRun(world, "the made-up calls");
  const feed = new URL(victim.feeds[0] ?? "", service.url).pathname;
  const request = (line: string) => `${line}\r\nHost: localhost\r\n`;
  await flood(world, victim, {
    name: "500 connections that never end their request",
    count: 500,
    head: `${request("POST /api/v1/syncs HTTP/1.1")}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  });
  await flood(world, victim, {
    name: `${readers.toLocaleString("en")} readers that stop reading`,
    count: readers,
    head: `${request(`GET ${feed} HTTP/1.1`)}\r\n`,
  });
  await fairness(world, tenants);
}

async function main(world: World): Promise<void> {
  const { tenants, service } = world;
  const [, , victim] = tenants;
  if (!victim) return;
  for (const tenant of tenants)
    expect(await settles(async () => learnFeeds(world, tenant), 120_000), `no feeds of ${tenant.slug}`);
  note("Seed", seed);
  note(
    "Cores, load of the machine at the start",
    `${availableParallelism()}, ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  const idle = { server: await memoryOf(service.pid), worker: await memoryOf(await workerOf(service)) };
  if (!given.log) await attackAll(world, victim);
  await largeLog(world, victim);
  const end = { server: await memoryOf(service.pid), worker: await memoryOf(await workerOf(service)) };
  note("Memory of the server, MB at the start and at the end", `${idle.server}, ${end.server}`);
  note("Memory of the worker, MB at the start and at the end", `${idle.worker}, ${end.worker}`);
  note("Load of the machine at the end", (loadavg()[0] ?? 0).toFixed(1));
  await checkEnd(world);
  note("Problems", problems.length);
  if (given.record) await recordFigures("attacks", [["Figure | Value", figures]]);
}

async function runBounded(): Promise<void> {
  await using world = await buildWorld({ freezeMs: 0, env: { MAX_CONNECTIONS_PER_ADDRESS: "0" } });
  const cut = Promise.withResolvers<never>();
  const timer = setTimeout(() => cut.reject(new Error("the test took too long")), LIMIT_MS);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => cut.reject(new Error(`stopped by ${signal}`)));
  try {
    await Promise.race([main(world), cut.promise]);
  } catch (error) {
    expect(false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  clearTimeout(timer);
  console.log(`${problems.length} problems`);
}

await runBounded();
process.exit(problems.length === 0 ? 0 : 1);
