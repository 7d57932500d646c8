/** Rolling back to an earlier render: what the URLs serve, the pause, its end, and what is refused. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { FEED_FILES } from "../../src/channels/registry.ts";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import { newId } from "../../src/lib/id.ts";
import { cleanUp, MAINTENANCE_DEFAULTS } from "../../src/pipeline/maintenance.ts";
import { changeCatalogSettings, findCatalog } from "../../src/store/catalogs.ts";
import { listFeedFiles } from "../../src/store/feed-files.ts";
import { runsOf, until, untilRun } from "../actions.ts";
import { openReceiver } from "../fakes/receiver.ts";
import { closeAfterTests } from "../close-after.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { allowRenders, failRenders, renderIsStuck, whileNoRenderCanFinish } from "./renders.ts";
import { mugs } from "./rows.ts";
import { type Answer, runningApi, type Shop } from "./running-api.ts";
import { isLong } from "../long.ts";

const api = closeAfterTests(await runningApi());
const receiver = closeAfterTests(await openReceiver());
const assertDescribed = await describedBy(api);

const published = async (shop: Shop): Promise<string> => (await shop.feeds()).last_render?.run_id ?? "";

/** Sells mugs at this price; returns the render. */
async function sell(shop: Shop, price: string): Promise<string> {
  shop.sells(mugs(3).map((row) => ({ ...row, price: `${price} USD` })));
  assert.equal((await shop.sync()).status, 200);
  return published(shop);
}

async function rollBack(shop: Shop, runId: string, reason = "Wrong prices."): Promise<Answer> {
  return shop.call("/api/v1/renders/rollback", { method: "POST", body: { run_id: runId, reason } });
}

async function rolledBack(shop: Shop, runId: string): Promise<RenderData> {
  const answer = await rollBack(shop, runId);
  assert.equal(answer.status, 200, answer.text);
  assertDescribed("POST /api/v1/renders/rollback", answer);
  return (answer.json as { data: RenderData }).data;
}

type RenderData = {
  run_id: string;
  cause: string;
  is_published: boolean;
  is_kept: boolean;
  state: string;
  restores: string | null;
  decision: { by: string; reason: string } | null;
  exceeded: { limit: string; message: string }[];
  files: { file: string; etag: string; changed: boolean }[];
};

const release = async (shop: Shop): Promise<Answer> =>
  shop.call("/api/v1/renders/release", { method: "POST" });

test("a rollback serves the earlier files at once, as a new render, with a new date and their own ETag", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  const good = await shop.fetch("gmc.tsv");
  await delay(1_100);
  await sell(shop, "9.40");
  const bad = await shop.fetch("gmc.tsv");
  await delay(1_100);

  const render = await rolledBack(shop, first);

  assert.deepEqual(
    [render.cause, render.is_published, render.is_kept, render.state, render.restores],
    ["rollback", true, true, "published", first],
  );
  assert.deepEqual([render.decision?.by, render.decision?.reason], ["test", "Wrong prices."]);
  assert.ok(render.files.every(({ changed }) => changed));
  const now = await shop.fetch("gmc.tsv");
  assert.deepEqual([now.text, now.headers.etag], [good.text, good.headers.etag]);
  // A client that asks by date has the bad file, which is newer than the good one was.
  const asked = await shop.fetch("gmc.tsv", {
    headers: { "if-modified-since": String(bad.headers["last-modified"]) },
  });
  assert.deepEqual([asked.status, asked.text], [200, good.text]);
  const byTag = await shop.fetch("gmc.tsv", { headers: { "if-none-match": String(bad.headers.etag) } });
  assert.equal(byTag.status, 200);
  const listed = await shop.call("/api/v1/feeds");
  assertDescribed("GET /api/v1/feeds", listed);
  const { last_render: last, paused } = (listed.json as FeedsAnswer).data;
  assert.deepEqual(
    [last?.run_id, last?.status, paused?.reason],
    [render.run_id, "succeeded", "Wrong prices."],
  );
});

test("while publication is paused renders are held; release publishes again", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  await sell(shop, "7.00");
  const last = await shop.fetch("acp.csv");

  await rolledBack(shop, first);
  const held = await shop.call("/api/v1/feeds", { method: "POST" });
  assertProblem(held, 422, "render_held");
  assert.match(held.text, /publication_paused/);
  const paused = await shop.feeds();
  assert.deepEqual(
    paused.held?.exceeded.map(({ signal }) => signal),
    ["publication_paused"],
  );
  assert.match(paused.held?.exceeded[0]?.message ?? "", /Wrong prices\..*[Rr]elease/);
  assert.notEqual((await shop.fetch("acp.csv")).text, last.text);

  const released = await release(shop);
  assert.equal(released.status, 202, released.text);
  assertDescribed("POST /api/v1/renders/release", released);
  const { run_id: runId } = (released.json as { data: { run_id: string } }).data;
  await untilRun(api.db, runId, "succeeded");
  const after = await shop.feeds();
  assert.deepEqual([after.last_render?.run_id, after.held, after.paused], [runId, undefined, undefined]);
  assert.equal((await shop.fetch("acp.csv")).text, last.text);
  assertProblem(await release(shop), 409, "conflict");
});

test("a render that ends after a rollback, although it began before it, does not publish", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  await sell(shop, "8.00");
  const { settings } = (await findCatalog(api.db, shop.id)) ?? { settings: {} };
  await changeCatalogSettings(api.db, shop.id, { ...settings, sellerName: "Another name" });
  const { rendering, rollingBack } = await whileNoRenderCanFinish(api.db, async () => {
    const back = rollBack(shop, first);
    // From here on it has the lock of the catalog, without which no render can end.
    await renderIsStuck(api.db);
    const work = { rollingBack: back, rendering: shop.call("/api/v1/feeds", { method: "POST" }) };
    await until(async () => (await openRenders(shop)) > 0, "the render to begin");
    return work;
  });
  assert.equal((await rollingBack).status, 200);
  assert.match(assertProblem(await rendering, 422, "render_held").detail, /paused/);
  assert.match((await shop.fetch("gmc.tsv")).text, /9\.50 USD/);
});

const openRenders = async ({ id }: Shop): Promise<number> =>
  (await runsOf(api.db, id)).filter(({ kind, state }) => kind === "render" && state === "running").length;

test("the status says that publication is paused, and why, until it is released", async () => {
  const shop = await api.openShop();
  const only = await sell(shop, "9.50");
  const codes = async () => {
    const { attention } = (
      (await shop.call("/api/v1/catalog/status")).json as {
        data: { attention: { code: string; message: string }[] };
      }
    ).data;
    return attention.filter(({ code }) => code === "publication_paused").map(({ message }) => message);
  };
  assert.deepEqual(await codes(), []);
  await rolledBack(shop, only);
  const [message = "", ...others] = await codes();
  assert.match(
    message,
    /^Publication is paused by a rollback .* ago: .* The reason: "Wrong prices"\. Release publication/,
  );
  assert.deepEqual(others, []);
  await release(shop);
  assert.deepEqual(await codes(), []);
});

test("with the published render, a rollback only pauses: the files and their dates stay", async () => {
  const shop = await api.openShop();
  const only = await sell(shop, "9.50");
  const before = await shop.fetch("jsonld.json");
  const { files } = await rolledBack(shop, only);
  assert.ok(files.every(({ changed }) => !changed));
  const after = await shop.fetch("jsonld.json");
  assert.deepEqual(
    [after.headers.etag, after.headers["last-modified"]],
    [before.headers.etag, before.headers["last-modified"]],
  );
  // A render that changes nothing is not held.
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
  assert.ok((await shop.feeds()).paused);
});

if (isLong)
  test("under load, every fetch during rollbacks and renders gets a complete file of one render, with its ETag", async () => {
    const shop = await api.openShop();
    const renders = [await sell(shop, "9.50"), await sell(shop, "8.00"), await sell(shop, "7.00")];
    const known = new Map<string, Set<string>>(FEED_FILES.map((file) => [file, new Set<string>()]));
    for (const run of renders)
      for (const { file, etag } of await listFeedFiles(api.db, run)) known.get(file)?.add(etag);

    const hashes = new Map<string, string>();

    const stop = new AbortController();
    let fetched = 0;
    const readers = FEED_FILES.flatMap((file) =>
      ["identity", "gzip"].map(async (encoding) => {
        while (!stop.signal.aborted) {
          const answer = await shop.fetch(file, { headers: { "accept-encoding": encoding } });
          assert.equal(answer.status, 200);
          fetched += 1;
          const etag = String(answer.headers.etag).replaceAll('"', "").replace("-gzip", "");
          assert.ok(known.get(file)?.has(etag), `${file} has an unknown ETag`);
          if (encoding === "identity") {
            const hash = createHash("sha256").update(answer.bytes).digest("hex");
            assert.equal(hashes.get(etag) ?? hash, hash, "one ETag has two files");
            hashes.set(etag, hash);
          } else assert.equal(answer.bytes.length, Number(answer.headers["content-length"]));
        }
      }),
    );
    try {
      for (let round = 0; round < 6; round++) {
        const run = renders[round % renders.length] ?? "";
        const { files } = await rolledBack(shop, run);
        // After the answer, every request gets these files.
        for (const { file, etag } of files) {
          const answer = await shop.fetch(file as (typeof FEED_FILES)[number]);
          assert.equal(String(answer.headers.etag).slice(1, 65), etag);
        }
        if (round % 3 === 2) await shop.call("/api/v1/feeds", { method: "POST" });
      }
    } finally {
      stop.abort();
      await Promise.all(readers);
    }
    assert.ok(fetched > 30, `only ${fetched} fetches`);
  });

test("the files of a rollback are queued for every destination, and announced as an event", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  const hook = { url: receiver.url("/hook"), events: ["feeds.rendered"] };
  assert.equal((await shop.call("/api/v1/webhooks", { method: "POST", body: hook })).status, 201);
  const added = await shop.call("/api/v1/destinations", {
    method: "POST",
    body: { kind: "https", format: "gmc.tsv.gz", settings: { url: "https://127.0.0.1:9/feed" } },
  });
  assert.equal(added.status, 201, added.text);
  await sell(shop, "8.00");
  const { run_id: runId, files } = await rolledBack(shop, first);

  const deliveries = await api.db.query<{ runId: string; etag: string }>({
    text: `select e.run_id, e.etag from destination_deliveries e join destinations d on d.id = e.destination_id
            where d.catalog_id = $1 order by e.id desc limit 1`,
    values: [shop.id],
  });
  const sent = files.find(({ file }) => file === "gmc.tsv");
  assert.deepEqual(deliveries, [{ runId, etag: sent?.etag }]);
  const events = await api.db.query({
    text: "select 1 from webhook_events where catalog_id = $1 and type = 'feeds.rendered' and strpos(payload, $2) > 0",
    values: [shop.id, runId],
  });
  assert.equal(events.length, 1);
});

test("a rollback that fails in the middle changes nothing", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  const second = await sell(shop, "8.00");
  await failRenders(api.db, "no_files");
  const failed = await rollBack(shop, first);
  await allowRenders(api.db, "no_files");
  assert.equal(failed.status, 500);
  const { last_render: last, paused } = await shop.feeds();
  assert.deepEqual([last?.run_id, paused], [second, undefined]);
});

test("unknown renders, renders of others, those never published and those without files are refused", async () => {
  const [shop, other] = [await api.openShop(), await api.openShop()];
  const first = await sell(shop, "9.50");
  const theirs = await sell(other, "9.50");
  const second = await sell(shop, "8.00");
  await rolledBack(shop, first);
  const held = (await sellHeld(shop)) ?? "";

  assertProblem(await rollBack(shop, newId()), 404, "not_found");
  assertProblem(await rollBack(shop, theirs), 404, "not_found");
  assert.match(assertProblem(await rollBack(shop, held), 409, "conflict").detail, /Promote/);
  assertProblem(await rollBack(shop, "x"), 400, "invalid_request");
  assertProblem(await rollBack(shop, first, "  "), 400, "invalid_request");
  const read = { authorization: `Bearer ${shop.readKey}` };
  for (const path of ["rollback", "release"])
    assertProblem(
      await shop.call(`/api/v1/renders/${path}`, {
        method: "POST",
        headers: read,
        body: path === "rollback" ? { run_id: first, reason: "x" } : undefined,
      }),
      403,
      "insufficient_scope",
    );

  const [file] = await listFeedFiles(api.db, second);
  await rm(join(api.dataDir, "feeds", shop.id, file?.folder ?? ""), { recursive: true });
  assert.match(assertProblem(await rollBack(shop, second), 410, "render_gone").detail, /no longer kept/);
  assert.equal((await findCatalog(api.db, shop.id))?.publishedRunId, await published(shop));
});

test("a render with a damaged file is neither rolled back to nor promoted", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  const second = await sell(shop, "8.00");
  const fileOf = async (runId: string): Promise<string> =>
    join(api.dataDir, "feeds", shop.id, (await listFeedFiles(api.db, runId))[0]?.folder ?? "", "gmc.tsv");
  const whole = await damage(await fileOf(first));
  const refused = assertProblem(await rollBack(shop, first), 410, "render_gone");
  assert.match(refused.detail, /^gmc\.tsv of the render .* is damaged on disk.*Choose another render/);
  const { last_render: last, paused } = await shop.feeds();
  assert.deepEqual([last?.run_id, paused], [second, undefined], "nothing has changed");

  await writeFile(await fileOf(first), whole);
  await rolledBack(shop, first);
  const held = (await sellHeld(shop)) ?? "";
  await damage(await fileOf(held));
  const body = { run_id: held, reason: "Checked." };
  const promoted = await shop.call("/api/v1/renders/promote", { method: "POST", body });
  assert.match(assertProblem(promoted, 410, "render_gone").detail, /damaged/);
  assert.equal((await shop.feeds()).held?.run_id, held, "it is still held");
});

/** Changes one byte of a file; returns what it was. */
async function damage(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  const damaged = Buffer.from(bytes);
  damaged[damaged.length - 3] = (damaged.at(-3) ?? 0) ^ 1;
  await writeFile(path, damaged);
  return bytes;
}

/** Syncs while publication is paused; returns the render that is held. */
async function sellHeld(shop: Shop): Promise<string | undefined> {
  shop.sells(mugs(3).map((row) => ({ ...row, price: "6.00 USD" })));
  assert.equal((await shop.sync()).status, 200);
  return (await shop.feeds()).held?.run_id;
}

test("a held render can be promoted while publication is paused, and the pause stays", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  await sell(shop, "8.00");
  await rolledBack(shop, first);
  const held = await sellHeld(shop);
  const promoted = await shop.call("/api/v1/renders/promote", {
    method: "POST",
    body: { run_id: held, reason: "Checked." },
  });
  assert.equal(promoted.status, 200, promoted.text);
  const feeds = await shop.feeds();
  assert.deepEqual([feeds.last_render?.run_id, feeds.held], [held, undefined]);
  assert.ok(feeds.paused, "only a release ends the pause");
});

test("the files that a rollback serves are kept, however many renders follow", async () => {
  const shop = await api.openShop();
  const first = await sell(shop, "9.50");
  const { run_id: back } = await rolledBack(shop, first);
  for (const price of ["8.00", "7.00", "6.00"]) {
    shop.sells(mugs(3).map((row) => ({ ...row, price: `${price} USD` })));
    await shop.sync();
  }
  await cleanUp(api.jobs, { ...MAINTENANCE_DEFAULTS, keepRenders: 1 });
  assert.match((await shop.fetch("gmc.tsv")).text, /9\.50 USD/);
  assert.equal(await published(shop), back);
});
