import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { zipOf } from "../../../test/fakes/zip.ts";
import type { ErrorCode } from "../../errors.ts";
import { failureOf } from "../events.contract.ts";
import { feedFixture, file } from "./feed-fixture.contract.ts";
import type { FeedLimits } from "./limits.ts";

const small: Partial<FeedLimits> = {
  maxDownloadBytes: 300_000,
  maxUnpackedBytes: 1_000_000,
  maxUnpackRatio: 200,
  ratioFromBytes: 100_000,
  maxFieldChars: 10_000,
  maxRowChars: 40_000,
  maxDepth: 16,
  maxColumns: 50,
};

const header = "id,title,price\n";
const rss = (inner: string): string => `<rss><channel>${inner}</channel></rss>`;
const good = { id: "1", title: "Mug", price: "5" };
const deep = (open: string, close: string): string => open.repeat(100) + close.repeat(100);

/** What is served, and the failure it must end in. */
const cases: Record<string, readonly [body: string | Uint8Array, code: ErrorCode]> = {
  "a gzip bomb": [gzipSync(Buffer.alloc(5_000_000, "x")), "source_too_large"],
  "a double gzip bomb": [gzipSync(gzipSync(Buffer.alloc(20_000_000, "x"))), "source_too_large"],
  "a zstd bomb": [zstdCompressSync(Buffer.alloc(5_000_000, "x")), "source_too_large"],
  "a zip bomb": [zipOf({ "feed.csv": Buffer.alloc(5_000_000, "x") }), "source_too_large"],
  "a zip entry that lies about its size": [
    zipOf({ "feed.csv": Buffer.alloc(50_000, "x") }, { claimedSize: 10 }),
    "source_malformed",
  ],
  "an endless row": [header + "x,".repeat(30_000), "source_too_large"],
  "an endless cell": [`${header}1,"${"x".repeat(50_000)}`, "source_too_large"],
  "a cell beyond its cap": [`${header}1,${"x".repeat(20_000)},5\n`, "source_too_large"],
  "too many columns": [
    `${Array.from({ length: 60 }, (_, i) => `c${i}`).join(",")},id,title\n`,
    "source_too_large",
  ],
  "an open quote at the end": [`${header}1,Mug,5\n2,"Cup,6\n`, "source_incomplete"],
  "an endless JSON string": [`[{"id":"${"x".repeat(50_000)}`, "source_too_large"],
  "a JSON text beyond its cap": [
    JSON.stringify([{ ...good, title: "x".repeat(20_000) }]),
    "source_too_large",
  ],
  "a JSON line beyond its cap": [`${JSON.stringify(good)}\n{"id":"${"x".repeat(50_000)}`, "source_too_large"],
  "deep JSON": [`[{"id":${deep("[", "]")}}]`, "source_too_large"],
  "deep JSON before the list": [`{"a":${deep('{"a":', "}")}}`, "source_too_large"],
  "deep JSON Lines": [
    `${JSON.stringify(good)}\n{"id":"1","title":"x","a":${deep("[", "]")}}\n`,
    "source_too_large",
  ],
  "differently named fields without end": [
    JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ ...good, [`f${i}`]: 1 }))),
    "source_too_large",
  ],
  "truncated JSON": [JSON.stringify([good, good]).slice(0, -5), "source_incomplete"],
  "JSON with a stray quote": ['[{"id":"1","title":"12" pan"},{"id":"2","title":"x"}]', "source_incomplete"],
  "JSON with two stray quotes": ['[{"id":"1","title":"a "good" pan"},{"id":"2"}]', "source_malformed"],
  "the billion laughs": [
    `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "${"&lol;".repeat(10)}">]><rss><channel><item><id>&lol2;</id></item></channel></rss>`,
    "source_not_a_feed",
  ],
  "an external entity": [
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><item><id>&x;</id></item></channel></rss>',
    "source_not_a_feed",
  ],
  "deep XML": [rss(`<item>${deep("<a>", "</a>")}</item>`), "source_too_large"],
  "an endless XML text": [`<rss><channel><item><title>${"x".repeat(50_000)}`, "source_too_large"],
  "an endless XML item": [`<rss><channel><item>${"<a/>".repeat(20_000)}`, "source_too_large"],
  "an endless comment": [`<rss><!--${"x".repeat(50_000)}`, "source_too_large"],
  "truncated XML": [rss("<item><id>1</id></item>").slice(0, -10), "source_incomplete"],
  "XML that is not well-formed": [rss("<item><id>1</title></item>"), "source_malformed"],
  "truncated gzip": [gzipSync(`${header}${"1,Mug,5\n".repeat(1_000)}`).subarray(0, -20), "source_incomplete"],
  "a truncated zip": [zipOf({ "feed.csv": header }).subarray(0, -10), "source_incomplete"],
  "gzip that is damaged": [
    gzipSync(Buffer.from(Array.from({ length: 500 }, (_, i) => (i * i) % 251))).fill(0xff, 20, 40),
    "source_malformed",
  ],
  "more bytes than may be fetched": [Buffer.alloc(400_000, "1,Mug,5\n"), "source_too_large"],
};

describe("a hostile file ends in a clear failure", () => {
  for (const [what, [body, code]] of Object.entries(cases)) {
    test(what, async () => {
      await using world = await feedFixture(small);

      const error = await failureOf(world.readPage(body));

      assert.equal(error.code, code, error.message);
      assert.ok(error.message.length > 20 && error.message.length < 500, error.message);
    });
  }
});

describe("a hostile host ends in a clear failure", () => {
  test("an endless response is stopped at the limit", async () => {
    await using world = await feedFixture(small);

    const error = await failureOf(world.readPage({ kind: "endless", piece: "1,Mug,5\n".repeat(1_000) }));

    assert.equal(error.code, "source_too_large");
    // What the limit is, and what fits into buffers on the way.
    assert.ok(world.host.sentBytes() < 20_000_000, `${world.host.sentBytes()} bytes were sent`);
  });

  test("a response shorter than its Content-Length is incomplete", async () => {
    await using world = await feedFixture(small);

    const error = await failureOf(
      world.readPage({ kind: "cut", body: `${header}1,Mug,5\n`, announced: 1_000 }),
    );

    assert.equal(error.code, "source_incomplete");
  });

  test("missing headers time out", async () => {
    await using world = await feedFixture({ ...small, http: { headersMs: 50 } });

    assert.equal((await failureOf(world.readPage({ kind: "silent" }))).code, "source_timeout");
  });

  test("a body that stalls times out", async () => {
    await using world = await feedFixture({ ...small, http: { idleMs: 50 } });

    assert.equal(
      (await failureOf(world.readPage({ kind: "stalled", piece: header }))).code,
      "source_timeout",
    );
  });

  test("a redirect loop fails", async () => {
    await using world = await feedFixture(small);

    assert.equal(
      (await failureOf(world.readPage({ kind: "redirect", to: "/feed" }))).code,
      "source_unavailable",
    );
  });

  test("a private address is refused, and the setting that would allow it is named", async () => {
    await using world = await feedFixture(small);

    for (const url of ["http://10.0.0.1/feed", "http://[::1]/feed", "http://169.254.169.254/latest"]) {
      const error = await failureOf(world.read({ url }));

      assert.equal(error.code, "target_forbidden");
      assert.match(error.message, /ALLOW_PRIVATE_TARGETS/);
    }
  });

  test("a host that does not exist is unreachable", async () => {
    await using world = await feedFixture(small);
    const url = world.host.serve("/feed", file(header));
    await world.host[Symbol.asyncDispose]();

    assert.equal((await failureOf(world.read({ url }))).code, "source_unreachable");
  });
});
