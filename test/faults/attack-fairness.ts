/** Attacks by one catalog's own work: large tests and pushes, wrong keys, slow sources, a long queue. */
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";
import { call, median, note, repeat, whileAttacked } from "./attack-measures.ts";
import type { Watch } from "./attack-measures.ts";
import { expectNoOpenRun } from "./checks.ts";
import { expect } from "./problems.ts";
import { query } from "./world.ts";
import type { Tenant, World } from "./world.ts";

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
  const { origin, close } = await serving(server);
  return {
    url: (path: string) => `${origin}${path}`,
    [Symbol.asyncDispose]: close,
  };
}

export async function fairness(watch: Watch, attacker: Tenant): Promise<void> {
  const { world, victim } = watch;
  await using shop = await hostileShop();
  const drain = async (answer: Promise<Response>) => (await answer).arrayBuffer();
  await whileAttacked(watch, "Source tests of 20 MB, 10 callers", async (signal) =>
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
  await whileAttacked(watch, "Pushes of 20 MB, one after the other", async (signal) =>
    repeat(signal, 1, async () =>
      drain(call(world, attacker, "catalog?max_removed_ratio=1", { method: "PUT", body: push })),
    ),
  );
  await expectNoOpenRun(world, "the pushes");
  await whileAttacked(watch, "Wrong keys, 20 callers", async (signal) =>
    repeat(signal, 20, async () => drain(call(world, { key: "sw_wrong" }, "feeds"))),
  );
  const slow = { attacker, victim, url: shop.url("/slow") };
  await besideQueued(world, slow, { count: 40, what: "40 sources that send a row a second" });
  const short = { attacker, victim, url: shop.url("/big?mb=0") };
  await besideQueued(world, short, { count: 10_000, what: "10,000 queued syncs" });
}

type SyncTimes = { readonly totalMs: number; readonly waitMs: number };

/** How long a sync of the catalog takes with its render, and how long the two waited for a worker. */
async function syncTimes(world: World, tenant: Tenant): Promise<SyncTimes> {
  const read = async (path: string, asked = {}): Promise<Record<string, string>> => {
    const answer = await call(world, tenant, path, asked);
    expect(answer.status === 200, `${path} of ${tenant.slug} was answered with ${answer.status}`);
    return ((await answer.json()) as { data: Record<string, string> }).data;
  };
  const began = performance.now();
  const { run_id: id } = await read("syncs", { method: "POST", body: { source_id: tenant.sourceId } });
  const totalMs = performance.now() - began;
  const sync = await read(`runs/${id}`);
  const { render_run_id: renderId } = await read(`syncs/${id}`);
  const render = await read(`runs/${renderId}`);
  const waits = [sync, render].map(({ queued_at: queued, started_at: started }) =>
    started === undefined || queued === undefined ? 0 : Date.parse(started) - Date.parse(queued),
  );
  return { totalMs, waitMs: waits.reduce((sum, wait) => sum + wait) };
}

const SAMPLES = 7;
/** The median time of several syncs, and the longest wait for a worker. One alone says little: it takes some 100 ms. */
async function measureSyncs(world: World, tenant: Tenant): Promise<SyncTimes> {
  const all: SyncTimes[] = [];
  for (let i = 0; i < SAMPLES; i += 1) all.push(await syncTimes(world, tenant));
  return {
    totalMs: median(all.map(({ totalMs }) => totalMs)),
    waitMs: Math.max(...all.map(({ waitMs }) => waitMs)),
  };
}

function noteTimes(what: string, alone: SyncTimes, beside: SyncTimes): void {
  const inMs = (...times: readonly number[]): string => times.map((time) => Math.round(time)).join(", ");
  note(`Median sync with its render alone, and beside ${what}, ms`, inMs(alone.totalMs, beside.totalMs));
  note(`Its longest wait for a worker alone, and beside ${what}, ms`, inMs(alone.waitMs, beside.waitMs));
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

async function besideQueued(
  world: World,
  rivals: Rivals,
  { count, what }: { readonly count: number; readonly what: string },
): Promise<void> {
  const alone = await measureSyncs(world, rivals.victim);
  await query(world, insertSources(rivals, count), 60_000);
  await delay(2_000);
  const beside = await measureSyncs(world, rivals.victim);
  await query(world, removeSources, 60_000);
  noteTimes(what, alone, beside);
  await expectNoOpenRun(world, what);
}
