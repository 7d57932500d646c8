/**
 * Attacks by calls that take much processor time, within the default rate limit of one key. Meanwhile the feeds of
 * another catalog are read, and its API is called with light and with heavy calls.
 */
import { execFileSync } from "node:child_process";
import { availableParallelism, constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { call, forkReader, note, repeat } from "./attack-measures.ts";
import { expectNoOpenRun } from "./checks.ts";
import { endsWithin, expect, settles } from "./problems.ts";
import type { ReadTimes } from "./feed-reader.ts";
import { buildWorld, loadFeeds, restock } from "./world.ts";
import type { Tenant, World } from "./world.ts";

/** Items of the attacker's catalog, which is compared and searched, and of the other one, whose feeds are read. */
const SIZES = [10_000, 1_500];
/** As many calls as a key may make by default. */
const CALLS_PER_MINUTE = 3_000;
const QUIET_MS = 6_000;
const ATTACK_MS = 20_000;
/** How long the calls under way may take to end when the attack is over. */
const END_MS = 120_000;
const MAX_TIMES_SLOWER = 2;

const CORES = availableParallelism();
/** With fewer cores, the attacker has the lowest priority instead of its own cores. */
const HAS_OWN_CORES = process.platform === "linux" && CORES >= 4;

/** Processes that this one starts from now on run on these cores as well. */
function runOn(half: "first" | "second"): void {
  if (!HAS_OWN_CORES) return;
  const middle = CORES >> 1;
  const range = half === "first" ? `0-${middle - 1}` : `${middle}-${CORES - 1}`;
  execFileSync("taskset", ["-a", "-p", "-c", range, String(process.pid)], { stdio: "ignore" });
}

type HeavyCall = () => Promise<Response>;

/** The heavy calls, on the attacker's own catalog. */
async function heavyCalls(world: World, attacker: Tenant): Promise<Readonly<Record<string, HeavyCall>>> {
  const answer = await call(world, attacker, "renders?limit=2");
  const { renders } = ((await answer.json()) as { data: { renders: { run_id: string }[] } }).data;
  const [after, before] = renders.map(({ run_id: id }) => id);
  const row = `a1,Mug,https://shop.example/p/1,5 USD,${"x".repeat(1_000)}\n`;
  const file = `id,title,link,price,description\n${row.repeat(2_000)}`;
  return {
    compare: async () => call(world, attacker, `renders/${before}/compare/${after}`),
    explain: async () => call(world, attacker, "items/a17/explain"),
    preview: async () =>
      fetch(`${world.service.url}/api/v1/catalog/preview`, {
        method: "POST",
        headers: { authorization: `Bearer ${attacker.key}`, "content-type": "text/csv" },
        body: file,
        signal: AbortSignal.timeout(END_MS),
      }),
    test: async () =>
      call(world, attacker, "sources/test", { method: "POST", body: { id: attacker.sourceId } }),
    search: async () => call(world, attacker, "items?q=version&limit=200"),
    "findings.csv": async () => call(world, attacker, "audit/findings.csv"),
  };
}

type Victim = { readonly world: World; readonly victim: Tenant; readonly readers: Readers };
type Readers = { readonly feeds: ReturnType<typeof forkReader>; readonly api: ReturnType<typeof forkReader> };
type Times = { readonly feeds: ReadTimes; readonly api: ReadTimes };

const LIGHT_PATHS = ["feeds", "syncs", "webhooks", "catalog/settings", "catalog/status"];

async function measure({ world, victim, readers }: Victim, forMs: number): Promise<Times> {
  const feedUrls = victim.feeds.map((path) => new URL(path, world.service.url).href);
  const apiUrls = LIGHT_PATHS.map((path) => `${world.service.url}/api/v1/${path}`);
  const [feeds, api] = await Promise.all([
    readers.feeds.read(feedUrls, forMs),
    readers.api.read(apiUrls, forMs, victim.key),
  ]);
  return { feeds, api };
}

type Attack = { readonly name: string; readonly callers: number; readonly calls: readonly HeavyCall[] };

async function attackBy(watch: Victim, { name, callers, calls }: Attack): Promise<void> {
  await measure(watch, 1_000);
  const quiet = await measure(watch, QUIET_MS);
  const answers = new Map<number, number>();
  const stop = new AbortController();
  const pauseMs = (callers / CALLS_PER_MINUTE) * 60_000;
  let next = 0;
  const attacking = repeat(stop.signal, callers, async () => {
    const began = performance.now();
    next += 1;
    const answer = await calls[next % calls.length]?.();
    await answer?.arrayBuffer();
    const status = answer?.status ?? 0;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    await delay(Math.max(0, pauseMs - (performance.now() - began)), undefined, { signal: stop.signal });
  });
  await delay(1_000);
  const during = await measure(watch, ATTACK_MS);
  stop.abort();
  expect(await endsWithin(attacking, END_MS), `${name} does not end`);
  const counts = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  note(`${name}: answers`, counts.join(", "));
  for (const kind of ["feeds", "api"] as const) {
    const [calm, busy] = [quiet[kind], during[kind]];
    const what = kind === "feeds" ? "feeds" : "API";
    note(
      `${name}: ${what} of another catalog, 95 %, ms before and during`,
      `${calm.p95.toFixed(1)}, ${busy.p95.toFixed(1)} (${(busy.p95 / (calm.p95 || 1)).toFixed(1)} times)`,
    );
    expect(busy.faults.length === 0, `${name}: ${what} answered with ${busy.faults.join(", ")}`);
    if (HAS_OWN_CORES)
      expect(busy.p95 <= MAX_TIMES_SLOWER * calm.p95, `${name}: ${what} of another catalog are too slow`);
  }
  expect(![...answers.keys()].some((status) => status >= 500), `${name}: a heavy call caused a server error`);
}

/** Runs the attacks in an installation of its own, whose rate limit is the default. */
export async function attackByHeavyCalls(
  worlds: AsyncDisposableStack,
  { each = false }: { readonly each?: boolean } = {},
): Promise<void> {
  runOn("first");
  const env = {
    MAX_CONNECTIONS_PER_ADDRESS: "0",
    RATE_LIMIT_PER_MINUTE: String(CALLS_PER_MINUTE),
  };
  await using world = worlds.use(await buildWorld({ freezeMs: 0, sizes: SIZES, env }));
  runOn("second");
  using feeds = forkReader();
  using api = forkReader();
  // An attacker on another machine takes no processor time of this one. The readers were started before.
  if (!HAS_OWN_CORES) setPriority(constants.priority.PRIORITY_LOW);
  const [attacker, victim] = world.tenants;
  if (!attacker || !victim) return;
  for (const tenant of [attacker, victim])
    expect(await settles(async () => loadFeeds(world, tenant), 120_000), `no feeds of ${tenant.slug}`);
  restock(attacker);
  const synced = await call(world, attacker, "syncs", {
    method: "POST",
    body: { source_id: attacker.sourceId },
  });
  expect(synced.status === 200, `the sync of ${attacker.slug} was answered with ${synced.status}`);
  await expectNoOpenRun(world, "the syncs");
  const calls = await heavyCalls(world, attacker);
  const watch = { world, victim, readers: { feeds, api } };
  const all = Object.values(calls);
  if (each)
    for (const [name, one] of Object.entries(calls))
      await attackBy(watch, { name: `10 callers of ${name}`, callers: 10, calls: [one] });
  else if (calls["compare"])
    await attackBy(watch, { name: "10 callers of compare", callers: 10, calls: [calls["compare"]] });
  await attackBy(watch, { name: "60 callers of heavy calls", callers: 60, calls: all });
}
