/** A feed's URL is its only protection: the answer to an invalid one has no reason, and a valid one is never logged. */
import assert from "node:assert/strict";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import { publishedEverywhere } from "../../src/store/feed-files.ts";
import { assertProblem, likeness } from "./problem.ts";
import { failRenders, allowRenders } from "./renders.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());

async function tokenOf(shop: Shop): Promise<string> {
  const { feeds } = await shop.feeds();
  const token = /\/f\/[^/]+\/([^/]+)\//.exec(feeds[0]?.url ?? "")?.[1];
  assert.ok(token);
  return token;
}

async function openRendered(): Promise<{ readonly shop: Shop; readonly token: string }> {
  const shop = await api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  return { shop, token: await tokenOf(shop) };
}

test("every invalid feed URL gets the same answer", async () => {
  const { shop, token } = await openRendered();
  const other = await openRendered();
  const bare = await api.openShop(mugs(2));
  const good = `/f/${shop.slug}/${token}/acp.csv`;
  assert.equal((await api.ask(good)).status, 200);
  const wrong = [
    `/f/no-such-shop/${token}/acp.csv`,
    `/f/${other.shop.slug}/${token}/acp.csv`,
    `/f/${shop.slug}/${other.token}/acp.csv`,
    `/f/${shop.slug}/${token.slice(0, -1)}/acp.csv`,
    `/f/${shop.slug}/${token.toLowerCase()}x/acp.csv`,
    `/f/${shop.slug}/x/acp.csv`,
    `/f/${shop.slug}/${"x".repeat(300)}/acp.csv`,
    `/f/${shop.slug}/${token}/acp.xml`,
    `/f/${shop.slug}/${token}/ACP.CSV`,
    `/f/${shop.slug}/${token}/acp.csv.gz`,
    `/f/${shop.slug}/${token}/..%2Facp.csv`,
    `/f/${shop.slug}/${token}/%00`,
    `/f/${shop.slug.toUpperCase()}/${token}/acp.csv`,
    `/f/%00/${token}/acp.csv`,
    `/f/${shop.slug}%00/${token}/acp.csv`,
    `/f/${bare.slug}/${await tokenOf(bare)}/acp.csv`,
    `/f/no-such-shop/x/nothing`,
  ];

  const answers = await Promise.all(wrong.map(async (path) => ({ path, answer: await api.ask(path) })));

  const [first] = answers;
  assert.ok(first);
  for (const { path, answer } of answers) {
    const { instance } = assertProblem(answer, 404, "not_found");
    assert.equal(instance, undefined, path);
    assert.deepEqual(likeness(answer), likeness(first.answer), path);
  }
});

test("HEAD of an invalid URL is refused like GET, without the body", async () => {
  const { shop, token } = await openRendered();

  for (const path of [`/f/${shop.slug}/x/acp.csv`, `/f/nobody/${token}/acp.csv`]) {
    const head = await api.ask(path, { method: "HEAD" });
    assert.equal(head.status, 404);
    assert.equal(head.bytes.length, 0);
    assert.match(String(head.headers["content-type"]), /^application\/problem\+json/);
  }
});

test("a feed needs no key, and an invalid key does not matter", async () => {
  const { shop } = await openRendered();

  for (const authorization of ["Bearer nonsense", `Bearer ${shop.readKey}`, "Basic YTpi"]) {
    assert.equal((await shop.fetch("gmc.tsv", { headers: { authorization } })).status, 200);
  }
});

test("a missing file is an error that is not cached, until the next render", async () => {
  const { shop } = await openRendered();
  const whole = await shop.fetch("acp.json");
  const root = join(api.dataDir, "feeds", shop.id);
  for (const name of await readdir(root)) await rm(join(root, name), { recursive: true });

  for (const headers of [{ "accept-encoding": "gzip" }, { range: "bytes=0-9" }]) {
    const answer = await shop.fetch("acp.json", { headers });
    assertProblem(answer, 503, "feed_missing");
    for (const name of ["etag", "last-modified", "content-encoding", "content-range", "accept-ranges"]) {
      assert.equal(answer.headers[name], undefined, name);
    }
    assert.ok(!answer.text.includes(root));
  }

  const rendered = (await shop.call("/api/v1/feeds", { method: "POST" })).json as FeedsAnswer;
  assert.equal(rendered.data.last_render?.stats.items, 2);
  assert.deepEqual((await shop.fetch("acp.json")).bytes, whole.bytes);
});

test("no log line contains the token of a feed", async () => {
  const { shop, token } = await openRendered();
  const good = `/f/${shop.slug}/${token}/acp.csv`;
  const etag = String((await api.ask(good)).headers.etag);
  const requests = [
    { status: 200, path: good },
    { status: 200, path: `${good}?again=${token}` },
    { status: 304, path: good, headers: { "if-none-match": etag } },
    { status: 206, path: good, headers: { range: "bytes=0-1" } },
    { status: 416, path: good, headers: { range: "bytes=9999999-" } },
    { status: 404, path: `/f/other/${token}/acp.csv` },
    { status: 404, path: `/f/${shop.slug}/${token}/other.csv` },
    { status: 404, path: `/f/${shop.slug}/${token}${token}/acp.csv` },
    { status: 404, path: `/f/${shop.slug}/${token}/%00` },
    { status: 404, path: `/f/${shop.slug}/${token.repeat(10)}/acp.csv` },
    { status: 404, path: `/f/${shop.slug}/${token}` },
    { status: 404, path: `/elsewhere/${token}` },
    { status: 400, path: `/f/${shop.slug}/${token}/%zz` },
    { status: 405, path: good, method: "POST" as const },
    { status: 401, path: "/api/v1/feeds", headers: { authorization: `Bearer ${token}` } },
  ];
  for (const { status, path, ...asked } of requests) {
    assert.equal((await api.ask(path, asked)).status, status, path);
  }
  await failRenders(api.db, "for_the_log");
  await shop.call("/api/v1/feeds", { method: "POST" });
  await allowRenders(api.db, "for_the_log");
  await rm(join(api.dataDir, "feeds", shop.id), { recursive: true });
  assertProblem(await api.ask(good), 503, "feed_missing");
  await api.db.execute({ text: "alter table removed_catalogs rename to removed_catalogs_away", values: [] });
  await publishedEverywhere();
  assertProblem(await api.ask(good), 500, "internal");
  await api.db.execute({ text: "alter table removed_catalogs_away rename to removed_catalogs", values: [] });

  const log = inspect(api.log.lines, {
    depth: Infinity,
    maxArrayLength: Infinity,
    maxStringLength: Infinity,
  });

  assert.ok(!log.includes(token));
  const lines = api.log.lines.filter(({ message }) => message === "request").map(({ fields }) => fields);
  const logged = new Set(lines.map((fields) => ("status" in fields ? fields.status : undefined)));
  for (const { status } of [...requests, { status: 500 }, { status: 503 }])
    assert.ok(logged.has(status), `no line says ${status}`);
  assert.ok(lines.some((fields) => "route" in fields && fields.route === "/f/:slug/:token/:file"));
});
