/**
 * What the fault test breaks and watches: an installation of real processes with its own PostgreSQL, shops that change
 * their stock, a receiver of webhooks, and a reader who fetches feeds all the time and checks every byte.
 */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { ask, dataFolder } from "../e2e/embedded-holder.ts";
import { data, databaseUrl, serviceEnv, postSync, startService } from "../e2e/program.ts";
import type { ProgramEnv, Service } from "../e2e/program.ts";
import { openReceiver } from "../fakes/receiver.ts";
import type { Receiver } from "../fakes/receiver.ts";
import { articles, openShop } from "../fakes/shop.ts";
import type { Shop } from "../fakes/shop.ts";
import { withFeedToken } from "../../src/webhooks/events.sql.ts";

export type Tenant = {
  readonly slug: string;
  readonly shop: Shop;
  readonly items: number;
  readonly key: string;
  readonly sourceId: string;
  readonly secret: string;
  /** What is on the shelves: every title names it. */
  version: number;
  /** Paths of the feeds, once known. */
  feeds: readonly string[];
};

export type Disk = { readonly fill: () => Promise<void>; readonly free: () => Promise<void> };

export type World = AsyncDisposable & {
  readonly env: ProgramEnv;
  readonly dataDir: string;
  readonly tenants: readonly Tenant[];
  readonly receiver: Receiver;
  /** Null where the test may not mount a file system. */
  readonly disk: Disk | null;
  /** How long a process is frozen, at most, beyond the first second. */
  readonly freezeMs: number;
  readonly observed: Observed;
  service: Service;
};

/** What is noted along the way, for the figures. */
export type Observed = {
  /** What every server that has ended wrote to its log. */
  readonly logs: string[];
  longestStopMs: number;
  /** How long a run was open after a single stop or kill. */
  longestOpenS: number;
};

/** Items per catalog: two small ones, and one whose render takes long enough to be interrupted. */
const SIZES = [60, 60, 1_500];
const DISK_MB = 256;

export async function buildWorld({
  freezeMs,
  sizes = SIZES,
  env: more = {},
}: {
  readonly freezeMs: number;
  /** Items per catalog. */
  readonly sizes?: readonly number[];
  /** Settings in addition to those of every test. */
  readonly env?: ProgramEnv;
}): Promise<World> {
  const parts = new AsyncDisposableStack();
  try {
    const { path } = parts.use(await dataFolder());
    const disk = mountFeeds(path, parts);
    const env = { ...(await serviceEnv(path)), KEEP_RENDERS: "2", ...more };
    const receiver = parts.use(await openReceiver());
    const observed = { logs: [], longestStopMs: 0, longestOpenS: 0 };
    const service = await startService(env, "--no-demo");
    const world = { env, dataDir: path, receiver, disk, freezeMs, observed, service };
    parts.defer(async () => world.service[Symbol.asyncDispose]());
    const tenants: Tenant[] = [];
    for (const [i, items] of sizes.entries())
      tenants.push(
        await createTenant(world, { slug: `shop-${i}`, items, shop: parts.use(await openShop()) }),
      );
    return Object.assign(world, { tenants, [Symbol.asyncDispose]: async () => parts.disposeAsync() });
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** A small file system of its own for the feeds, so that it can be filled without harm to anyone else. */
function mountFeeds(dataDir: string, parts: AsyncDisposableStack): Disk | null {
  const feeds = join(dataDir, "feeds");
  mkdirSync(feeds, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", feeds], { stdio: "ignore" });
  } catch {
    return null;
  }
  parts.defer(() => void execFileSync("umount", ["-l", feeds], { stdio: "ignore" }));
  const filler = join(feeds, "filler");
  return { fill: async () => fillUp(filler), free: async () => rm(filler, { force: true }) };
}

async function fillUp(path: string): Promise<void> {
  await using file = await open(path, "w");
  for (const size of [1024 * 1024, 4096]) {
    try {
      while (true) await file.write(Buffer.alloc(size));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
}

async function createTenant(
  { env, service, receiver }: Pick<World, "env" | "service" | "receiver">,
  { slug, items, shop }: Pick<Tenant, "slug" | "items" | "shop">,
): Promise<Tenant> {
  const run = async <T>(line: string): Promise<T> => data<T>(env, ...line.split(" "));
  shop.stock(stockOf(items, 1));
  await run(`catalog create --slug ${slug} --name Shop --currency USD --store-url https://shop.example/`);
  const { key } = await run<{ key: string }>(`key create --catalog ${slug} --scopes read,write`);
  const answer = await fetch(`${service.url}/api/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      url: receiver.url(`/${slug}`),
      events: ["sync.completed", "feeds.rendered", "audit.completed"],
    }),
  });
  const { secret } = ((await answer.json()) as { data: { secret: string } }).data;
  const { id: sourceId } = await run<{ id: string }>(
    `source add --catalog ${slug} --kind feed_url --set url=${shop.url}`,
  );
  return { slug, shop, items, key, sourceId, secret, version: 1, feeds: [] };
}

const stockOf = (items: number, version: number) =>
  articles(items, { title: `Article version-${version}`, description: `As of version-${version}.` });

export function restock(tenant: Tenant): void {
  tenant.version += 1;
  tenant.shop.stock(stockOf(tenant.items, tenant.version));
}

/** Requests a sync; while things break, the answer does not matter. */
export async function askForSync({ service }: World, tenant: Tenant): Promise<number> {
  try {
    const answer = await postSync(service, tenant, AbortSignal.timeout(15_000));
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  }
}

export async function loadFeeds({ service }: World, tenant: Tenant): Promise<boolean> {
  const answer = await fetch(`${service.url}/api/v1/feeds`, {
    headers: { authorization: `Bearer ${tenant.key}` },
    signal: AbortSignal.timeout(15_000),
  });
  const { data: found } = (await answer.json()) as {
    data: { feeds: { url: string }[]; last_render: unknown };
  };
  if (found.last_render === null) return false;
  tenant.feeds = found.feeds.map(({ url }) => new URL(url).pathname);
  return true;
}

export type Reads = { whole: number; refused: number; unavailable: number; readonly faults: string[] };

/** Reads feeds until the signal aborts: each answer must be one complete version that matches its ETag. */
export async function readForever(world: World, signal: AbortSignal): Promise<Reads> {
  const reads: Reads = { whole: 0, refused: 0, unavailable: 0, faults: [] };
  while (!signal.aborted) {
    for (const { feeds, items, slug } of world.tenants)
      for (const path of feeds) await readOnce(new URL(path, world.service.url), { reads, items, slug });
    await delay(20);
  }
  return reads;
}

type Reading = { readonly reads: Reads; readonly items: number; readonly slug: string };

async function readOnce(url: URL, { reads, items, slug }: Reading): Promise<void> {
  let body: Buffer;
  let answer: Response;
  try {
    answer = await fetch(url, {
      headers: { "accept-encoding": "identity", connection: "close" },
      signal: AbortSignal.timeout(30_000),
    });
    body = Buffer.from(await answer.arrayBuffer());
  } catch {
    // No server at this moment, or it died in the middle of the answer: the reader knows that it has nothing.
    reads.refused += 1;
    return;
  }
  if (answer.status === 503) {
    reads.unavailable += 1;
    return;
  }
  const fault = faultIn(answer, body, items);
  if (fault === null) reads.whole += 1;
  else reads.faults.push(`${slug} ${url.pathname.split("/").at(-1)}: ${fault}`);
}

/** By ETag: the hash of the bytes that were served with it. */
const hashes = new Map<string, string>();

export function faultIn({ status, headers }: Response, body: Buffer, items: number): string | null {
  if (status !== 200) return `status ${status}`;
  const tag = headers.get("etag") ?? "";
  const hash = createHash("sha256").update(body).digest("hex");
  const known = hashes.get(tag) ?? hash;
  hashes.set(tag, hash);
  if (tag === "" || known !== hash) return "the bytes are not those of the tag";
  const text = body.toString();
  const versions = new Set([...text.matchAll(/As of (version-\d+)/g)].map(([, version]) => version));
  if (versions.size !== 1) return `versions ${[...versions].join(", ")}`;
  const ids = new Set([...text.matchAll(/shop\.example\/p\/(a\d+)/g)].map(([, id]) => id));
  return ids.size === items ? null : `${ids.size} of ${items} items`;
}

/** One statement on the world's database. */
export async function query(world: World, statement: string, limitMs = 5_000): Promise<readonly unknown[]> {
  const asked = ask(await databaseUrl(world.dataDir), `set search_path to shelfwire; ${statement}`);
  asked.catch(() => undefined);
  // A frozen database must not block the test.
  return Promise.race([asked, delay(limitMs, [], { ref: false })]);
}

/** What was received that should not have been, or not so, and what never came. */
export function deliveryFaults(world: World, announced: ReadonlyMap<string, string>): readonly string[] {
  const faults: string[] = [];
  const received = new Set<string>();
  for (const { path, headers, body } of world.receiver.requests) {
    const id = String(headers["webhook-id"]);
    const tenant = world.tenants.find(({ slug }) => path === `/${slug}`);
    try {
      new Webhook(tenant?.secret ?? "").verify(body, headers as Record<string, string>);
    } catch (error) {
      // The verifier also refuses what is older than five minutes, which at the end of a long run most are.
      if (!/timestamp too old/i.test(String(error))) faults.push(`${id} is badly signed: ${String(error)}`);
    }
    // The stored payload has a mark in place of the feed token, which is the fourth part of a feed's path.
    const token = tenant?.feeds[0]?.split("/")[3] ?? "";
    const expected = withFeedToken(announced.get(id) ?? "", token);
    if (expected !== body) faults.push(`${id} is not what was announced`);
    received.add(id);
  }
  for (const id of announced.keys()) if (!received.has(id)) faults.push(`${id} never came`);
  return faults;
}
