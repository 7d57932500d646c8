/** Responses of feed URLs: the whole file or a range, in the requested coding, or 304. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { FEED_FILES, type FeedFile } from "../../src/channels/registry.ts";
import { listFeedFiles } from "../../src/store/feed-files.ts";
import { listRuns } from "../../src/store/runs.ts";
import { until } from "../actions.ts";
import { assertProblem } from "./problem.ts";
import { renderIsStuck, whileNoRenderCanFinish } from "./renders.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi());
const shop = await api.openShop(mugs(40));
assert.equal((await shop.sync()).status, 200);

const CONTENT_TYPES: Readonly<Record<FeedFile, string>> = {
  "acp.csv": "text/csv; charset=utf-8",
  "acp.json": "application/json",
  "gmc.tsv": "text/tab-separated-values; charset=utf-8",
  "jsonld.json": "application/json",
};

describe("a whole file", () => {
  for (const file of FEED_FILES) {
    test(`${file} has its exact content type and the headers for caches`, async () => {
      const { status, headers, bytes, text } = await shop.fetch(file);

      assert.equal(status, 200);
      assert.equal(headers["content-type"], CONTENT_TYPES[file]);
      assert.equal(headers["content-length"], String(bytes.length));
      assert.equal(headers["content-encoding"], undefined);
      assert.match(String(headers.etag), /^"[0-9a-f]{64}"$/);
      const { run_id: runId } = (await shop.feeds()).last_render ?? { run_id: "" };
      const row = (await listFeedFiles(api.db, runId)).find((one) => one.file === file);
      assert.equal(headers.etag, `"${row?.etag}"`);
      assert.equal(headers["cache-control"], "public, max-age=60, must-revalidate");
      assert.equal(headers["accept-ranges"], "bytes");
      assert.match(String(headers.vary), /^accept-encoding$/i);
      assert.equal(headers["set-cookie"], undefined);
      assert.equal(headers.location, undefined);
      const modified = new Date(String(headers["last-modified"]));
      assert.equal(modified.toUTCString(), headers["last-modified"]);
      assert.ok(modified <= new Date());
      for (const { id } of mugs(40)) assert.ok(text.includes(id), id);
    });

    test(`HEAD of ${file} has the headers of GET and no body`, async () => {
      const got = await shop.fetch(file);

      const head = await shop.fetch(file, { method: "HEAD" });

      assert.equal(head.status, 200);
      assert.equal(head.bytes.length, 0);
      assert.deepEqual(lasting(head), lasting(got));
    });
  }

  test("gmc.txt is gmc.tsv, for Microsoft; a fresh copy gets 304, and no other file has a second name", async () => {
    const { feeds } = await shop.feeds();
    const path = new URL(feeds.find(({ file }) => file === "gmc.tsv")?.url ?? "").pathname;
    const named = (name: string) => path.replace("gmc.tsv", name);
    const got = await shop.fetch("gmc.tsv");

    const answer = await api.ask(named("gmc.txt"));
    const etag = answer.headers.etag ?? "";
    const fresh = await api.ask(named("gmc.txt"), { headers: { "if-none-match": etag } });

    assert.equal(answer.text, got.text);
    assert.deepEqual(lasting(answer), lasting(got));
    assert.equal(fresh.status, 304);
    for (const name of ["acp.txt", "gmc.TXT", "gmc.txt.gz"])
      assert.equal((await api.ask(named(name))).status, 404, name);
    assert.equal((await api.ask(named("gmc.txt").replace(/\/[^/]+\/gmc/, "/wrong/gmc"))).status, 404);
  });

  test("a query string changes nothing", async () => {
    const { feeds } = await shop.feeds();
    const path = new URL(feeds[0]?.url ?? "").pathname;

    const answer = await api.ask(`${path}?utm_source=merchant`);

    assert.equal(answer.status, 200);
    assert.equal(answer.text, (await shop.fetch("acp.csv")).text);
  });
});

/** Headers without those of the moment and of the connection. */
function lasting({ headers }: Answer) {
  const { date: _, "x-request-id": __, connection: ___, "keep-alive": ____, ...rest } = headers;
  return rest;
}

describe("a client with a cached copy", () => {
  type Copy = { readonly etag: string; readonly modified: string };
  type Asking = {
    readonly has: string;
    readonly headers: (copy: Copy) => Record<string, string>;
    readonly status: 200 | 304;
  };
  const later = (date: string, seconds: number) => new Date(Date.parse(date) + seconds * 1000).toUTCString();

  const ASKING: readonly Asking[] = [
    { has: "the ETag", headers: ({ etag }) => ({ "if-none-match": etag }), status: 304 },
    {
      has: "the ETag as a weak one",
      headers: ({ etag }) => ({ "if-none-match": `W/${etag}` }),
      status: 304,
    },
    {
      has: "the ETag among others",
      headers: ({ etag }) => ({ "if-none-match": `"a", W/"b",${etag}` }),
      status: 304,
    },
    { has: "any copy", headers: () => ({ "if-none-match": "*" }), status: 304 },
    { has: "another ETag", headers: () => ({ "if-none-match": '"other"' }), status: 200 },
    {
      has: "the ETag without its quotes",
      headers: ({ etag }) => ({ "if-none-match": etag.replaceAll('"', "") }),
      status: 200,
    },
    {
      has: "the ETag of the gzip copy",
      headers: ({ etag }) => ({ "if-none-match": etag.replace(/"$/, '-gzip"') }),
      status: 200,
    },
    { has: "the date", headers: ({ modified }) => ({ "if-modified-since": modified }), status: 304 },
    {
      has: "a later date",
      headers: ({ modified }) => ({ "if-modified-since": later(modified, 60) }),
      status: 304,
    },
    {
      has: "an earlier date",
      headers: ({ modified }) => ({ "if-modified-since": later(modified, -1) }),
      status: 200,
    },
    { has: "an unreadable date", headers: () => ({ "if-modified-since": "yesterday" }), status: 200 },
    {
      has: "another ETag and the date",
      headers: ({ modified }) => ({ "if-none-match": '"other"', "if-modified-since": modified }),
      status: 200,
    },
    {
      has: "the ETag and an old date",
      headers: ({ etag, modified }) => ({ "if-none-match": etag, "if-modified-since": later(modified, -60) }),
      status: 304,
    },
    {
      has: "the ETag, with a range",
      headers: ({ etag }) => ({ "if-none-match": etag, range: "bytes=0-9" }),
      status: 304,
    },
  ];

  for (const { has, headers, status } of ASKING) {
    test(`${has}: ${status}`, async () => {
      const whole = await shop.fetch("gmc.tsv");
      const copy = { etag: String(whole.headers.etag), modified: String(whole.headers["last-modified"]) };

      for (const method of ["GET", "HEAD"] as const) {
        const answer = await shop.fetch("gmc.tsv", { method, headers: headers(copy) });

        assert.equal(answer.status, status);
        assert.equal(answer.headers.etag, copy.etag);
        assert.equal(answer.headers["last-modified"], copy.modified);
        assert.equal(answer.headers["cache-control"], whole.headers["cache-control"]);
        assert.equal(answer.headers.vary, whole.headers.vary);
        if (status === 304) {
          assert.equal(answer.bytes.length, 0);
          assert.equal(answer.headers["content-type"], undefined);
          assert.equal(answer.headers["content-encoding"], undefined);
        } else if (method === "GET") assert.deepEqual(answer.bytes, whole.bytes);
      }
    });
  }
});

test("a 304 has the same bytes with a lookup and without one", async () => {
  const { feeds } = await shop.feeds();
  const path = new URL(feeds[0]?.url ?? "").pathname;
  const { headers: whole } = await shop.fetch("acp.csv", { headers: { "accept-encoding": "gzip" } });
  const conditions = ["", "HEAD"].flatMap((method) =>
    ["keep-alive", "close"].flatMap((connection) => [
      { method, headers: { connection, "if-none-match": String(whole.etag), "accept-encoding": "gzip" } },
      { method, headers: { connection, "if-modified-since": String(whole["last-modified"]) } },
    ]),
  );
  for (const { method, headers } of conditions) {
    const lines = Object.entries({ host: "feeds.test", "x-request-id": "mine", ...headers });
    const text = [`${method || "GET"} ${path} HTTP/1.1`, ...lines.map((line) => line.join(": "))].join(
      "\r\n",
    );
    const send = async () => (await rawAnswer(`${text}\r\n\r\n`)).replace(/^Date: .*$/m, "Date");

    // An address with a query is always answered by the router.
    const routed = await rawAnswer(`${text.replace(path, `${path}?q`)}\r\n\r\n`);

    assert.match(routed, /^HTTP\/1\.1 304 /);
    assert.equal(await send(), routed.replace(/^Date: .*$/m, "Date"));
    assert.equal(await send(), routed.replace(/^Date: .*$/m, "Date"));
  }
});

/** The bytes of an answer without a body. */
async function rawAnswer(request: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(api.url).port) });
  socket.write(request);
  let answer = "";
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.includes("\r\n\r\n")) break;
  }
  socket.destroy();
  return answer;
}

describe("a range request", () => {
  type Part = {
    readonly range: string;
    readonly from?: number;
    readonly to?: (size: number) => number;
    readonly status: 200 | 206 | 416;
  };
  const PARTS: readonly Part[] = [
    { range: "bytes=0-0", from: 0, to: () => 0, status: 206 },
    { range: "bytes=0-99", from: 0, to: () => 99, status: 206 },
    { range: "bytes=100-249", from: 100, to: () => 249, status: 206 },
    { range: "bytes=100-", from: 100, to: (size) => size - 1, status: 206 },
    { range: "bytes=0-", from: 0, to: (size) => size - 1, status: 206 },
    { range: "bytes=100-99999999", from: 100, to: (size) => size - 1, status: 206 },
    { range: "bytes=-50", from: -50, to: (size) => size - 1, status: 206 },
    { range: "bytes=-99999999", from: 0, to: (size) => size - 1, status: 206 },
    { range: "bytes=99999999-", status: 416 },
    { range: "bytes=99999999-99999999", status: 416 },
    { range: "bytes=-0", status: 416 },
    { range: "bytes=0-9,20-29", status: 200 },
    { range: "bytes=9-0", status: 200 },
    { range: "bytes=-", status: 200 },
    { range: "bytes=a-b", status: 200 },
    { range: "lines=0-9", status: 200 },
    { range: "0-9", status: 200 },
  ];

  for (const { range, from = 0, to, status } of PARTS) {
    test(`${range}: ${status}`, async () => {
      const whole = await shop.fetch("acp.csv");
      const size = whole.bytes.length;

      const answer = await shop.fetch("acp.csv", { headers: { range } });

      assert.equal(answer.status, status);
      assert.equal(answer.headers.etag, whole.headers.etag);
      if (status === 416) {
        assert.equal(answer.headers["content-range"], `bytes */${size}`);
        assert.equal(answer.bytes.length, 0);
        return;
      }
      const start = from < 0 ? size + from : from;
      const end = to?.(size) ?? size - 1;
      assert.deepEqual(answer.bytes, whole.bytes.subarray(start, end + 1));
      assert.equal(answer.headers["content-length"], String(end + 1 - start));
      assert.equal(answer.headers["content-type"], CONTENT_TYPES["acp.csv"]);
      assert.equal(
        answer.headers["content-range"],
        status === 206 ? `bytes ${start}-${end}/${size}` : undefined,
      );
    });
  }

  test("HEAD ignores a range", async () => {
    for (const range of ["bytes=0-9", "bytes=99999999-"]) {
      const head = await shop.fetch("acp.csv", { method: "HEAD", headers: { range } });

      assert.equal(head.status, 200);
      assert.equal(head.headers["content-range"], undefined);
    }
  });

  test("If-Range gives the part only while the copy it completes is still the file", async () => {
    const whole = await shop.fetch("acp.json");
    const etag = String(whole.headers.etag);
    const modified = String(whole.headers["last-modified"]);
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
    const conditions = [
      { ifRange: etag, status: 206 },
      { ifRange: modified, status: 206 },
      { ifRange: '"other"', status: 200 },
      // A weak tag cannot vouch for bytes (RFC 9110, 13.1.5).
      { ifRange: `W/${etag}`, status: 200 },
      { ifRange: earlier, status: 200 },
      { ifRange: "nonsense", status: 200 },
    ];

    for (const { ifRange, status } of conditions) {
      const answer = await shop.fetch("acp.json", { headers: { range: "bytes=5-14", "if-range": ifRange } });

      assert.equal(answer.status, status, ifRange);
      assert.deepEqual(answer.bytes, status === 206 ? whole.bytes.subarray(5, 15) : whole.bytes);
    }
  });

  test("the parts together are the file", async () => {
    const whole = await shop.fetch("jsonld.json");
    const parts: Buffer[] = [];

    for (let at = 0; at < whole.bytes.length; at += 1_500) {
      const range = `bytes=${at}-${at + 1_499}`;
      parts.push((await shop.fetch("jsonld.json", { headers: { range } })).bytes);
    }

    assert.ok(parts.length > 3);
    assert.deepEqual(Buffer.concat(parts), whole.bytes);
  });
});

describe("a client that accepts compressed files", () => {
  const UNPACK = { gzip: gunzipSync, zstd: zstdDecompressSync } as const;
  const ACCEPTED: readonly { readonly accept: string; readonly coding: keyof typeof UNPACK | undefined }[] = [
    { accept: "gzip", coding: "gzip" },
    { accept: "zstd", coding: "zstd" },
    { accept: "gzip, deflate, br", coding: "gzip" },
    { accept: "gzip, deflate, br, zstd", coding: "gzip" },
    { accept: "gzip;q=1.0, zstd;q=0.5", coding: "gzip" },
    { accept: "GZIP", coding: "gzip" },
    { accept: "identity;q=0, gzip", coding: "gzip" },
    { accept: "identity;q=0.5, gzip;q=0.4", coding: undefined },
    { accept: "gzip;q=0", coding: undefined },
    { accept: "br", coding: undefined },
    { accept: "identity", coding: undefined },
    { accept: "*;q=0", coding: undefined },
    { accept: "", coding: undefined },
  ];

  for (const { accept, coding } of ACCEPTED) {
    test(`Accept-Encoding "${accept}" gets ${coding ?? "the file as it is"}`, async () => {
      for (const file of FEED_FILES) {
        const plain = await shop.fetch(file);

        const answer = await shop.fetch(file, { headers: { "accept-encoding": accept } });

        assert.equal(answer.status, 200);
        assert.equal(answer.headers["content-encoding"], coding);
        assert.equal(answer.headers["content-type"], CONTENT_TYPES[file]);
        // A zstd copy is made while it is sent.
        const length = coding === "zstd" ? undefined : String(answer.bytes.length);
        assert.equal(answer.headers["content-length"], length);
        assert.equal(answer.headers["accept-ranges"], coding === "zstd" ? "none" : "bytes");
        assert.match(String(answer.headers.vary), /^accept-encoding$/i);
        assert.deepEqual(coding ? UNPACK[coding](answer.bytes) : answer.bytes, plain.bytes);
        const { headers: head } = await shop.fetch(file, {
          method: "HEAD",
          headers: { "accept-encoding": accept },
        });
        assert.deepEqual(
          [head["content-encoding"], head["content-length"], head.etag],
          [coding, answer.headers["content-length"], answer.headers.etag],
        );
      }
    });
  }

  test("each coding has its own ETag, which is valid for that coding only", async () => {
    const codings = ["identity", "gzip", "zstd"] as const;
    const tags = await Promise.all(
      codings.map(async (accept) =>
        String((await shop.fetch("acp.csv", { headers: { "accept-encoding": accept } })).headers.etag),
      ),
    );
    assert.equal(new Set(tags).size, 3);

    for (const [i, accept] of codings.entries()) {
      for (const [j, tag] of tags.entries()) {
        const headers = { "accept-encoding": accept, "if-none-match": tag };
        const { status, headers: answered } = await shop.fetch("acp.csv", { headers });
        assert.equal(status, i === j ? 304 : 200);
        assert.equal(answered.etag, tags[i]);
      }
    }
  });

  test("a range of a compressed file is a range of the compressed bytes", async () => {
    const ranged = async (coding: "gzip" | "zstd") => {
      const whole = await shop.fetch("acp.csv", { headers: { "accept-encoding": coding } });
      const ifRange = { range: "bytes=10-59", "if-range": String(whole.headers.etag) };
      const part = await shop.fetch("acp.csv", { headers: { "accept-encoding": coding, ...ifRange } });
      assert.equal(part.headers["content-encoding"], coding);
      return { whole, part };
    };
    const gzip = await ranged("gzip");
    const zstd = await ranged("zstd");

    assert.equal(gzip.part.status, 206);
    assert.equal(gzip.part.headers["content-range"], `bytes 10-59/${gzip.whole.bytes.length}`);
    assert.deepEqual(gzip.part.bytes, gzip.whole.bytes.subarray(10, 60));
    assert.equal(zstd.part.status, 200, "a file that is compressed while it is sent has no ranges");
    assert.deepEqual(zstd.part.bytes, zstd.whole.bytes);
  });
});

describe("over time", () => {
  /** Syncs the shop as if an hour ago: dates have a resolution of seconds, and tests do not wait. */
  const syncAnHourAgo = async (of: Shop) => {
    const run = (text: string) => api.db.execute({ text, values: [] });
    await run(`create function an_hour_ago() returns trigger language plpgsql as $$
      begin new.last_modified := new.last_modified - interval '1 hour'; return new; end $$`);
    await run(`create trigger an_hour_ago before insert on feed_files
      for each row execute function an_hour_ago()`);
    await of.sync();
    await run("drop function an_hour_ago cascade");
  };
  const marks = async (of: Shop) =>
    Object.fromEntries(
      await Promise.all(
        FEED_FILES.map(async (file) => {
          const { headers, text } = await of.fetch(file);
          return [file, { etag: headers.etag, modified: headers["last-modified"], text }] as const;
        }),
      ),
    );

  test("without changes, a sync and a render keep every ETag and date", async () => {
    const steady = await api.openShop(mugs(3));
    await syncAnHourAgo(steady);
    const before = await marks(steady);
    const { last_render: first } = await steady.feeds();

    await steady.sync();
    await steady.call("/api/v1/feeds", { method: "POST" });

    assert.notEqual((await steady.feeds()).last_render?.run_id, first?.run_id);
    assert.deepEqual(await marks(steady), before);
  });

  test("missing files are answered with Retry-After, and rendered again automatically", async () => {
    const unlucky = await api.openShop(mugs(3));
    await unlucky.sync();
    const before = await unlucky.fetch("gmc.tsv");
    await rm(join(api.dataDir, "feeds", unlucky.id), { recursive: true });

    const answers = await Promise.all(FEED_FILES.map(async (file) => unlucky.fetch(file)));

    for (const answer of answers) {
      const problem = assertProblem(answer, 503, "feed_missing");
      assert.equal(answer.headers["retry-after"], "60");
      assert.equal(problem.instance, undefined);
    }
    const isBack = async () => (await unlucky.fetch("gmc.tsv")).status === 200;
    await until(isBack, "the feeds to be rendered again");
    assert.equal((await unlucky.fetch("gmc.tsv")).text, before.text);
    const renders = await listRuns(api.db, unlucky.id, { kind: "render", limit: 10 });
    assert.equal(renders.length, 2, "four readers who miss a file ask for one render");
  });

  test("missing files that are rendered again keep their ETags and dates", async () => {
    const unlucky = await api.openShop(mugs(3));
    await syncAnHourAgo(unlucky);
    const before = await marks(unlucky);
    await rm(join(api.dataDir, "feeds", unlucky.id), { recursive: true });

    assert.equal((await unlucky.call("/api/v1/feeds", { method: "POST" })).status, 200);

    assert.deepEqual(await marks(unlucky), before);
  });

  test("after a change of an item, every file has a new ETag and a later date at the same URL", async () => {
    const lively = await api.openShop(mugs(3));
    await syncAnHourAgo(lively);
    const before = await marks(lively);
    const { feeds } = await lively.feeds();
    lively.sells([...mugs(2), { id: "mug-003", title: "A better mug" }]);

    await lively.sync();

    const now = await marks(lively);
    for (const file of FEED_FILES) {
      assert.notEqual(now[file]?.etag, before[file]?.etag, file);
      assert.ok(Date.parse(now[file]?.modified ?? "") > Date.parse(before[file]?.modified ?? ""), file);
      assert.match(now[file]?.text ?? "", /A better mug/);
    }
    assert.deepEqual((await lively.feeds()).feeds, feeds);
  });

  test("during a render, the old files are served until all four new ones are complete", async () => {
    const busy = await api.openShop(mugs(2));
    await busy.sync();
    const before = await marks(busy);
    busy.sells(mugs(5));

    const { call } = await whileNoRenderCanFinish(api.db, async () => {
      const call = busy.sync();
      await renderIsStuck(api.db);
      assert.deepEqual(await marks(busy), before);
      return { call };
    });

    assert.equal((await call).status, 200);
    for (const { text } of Object.values(await marks(busy))) assert.match(text, /mug-005/);
  });
});
