import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { zipOf } from "../../../test/fakes/zip.ts";
import { tempDir } from "../../../test/fresh.ts";
import type { SourceEvent, Validators } from "../source.ts";
import { draftsOf, failureOf } from "../events.contract.ts";
import { feedFixture, file } from "./feed-fixture.contract.ts";
import { FEED_LIMITS } from "./limits.ts";
import { readOnThread } from "./sample-threads.ts";

const twoMoreTries = { waitsMs: [0, 0], maxRetryAfterMs: 30_000, maxThrottledMs: 60_000 };

const csv = "id,title,link,price\n1,Mug,/1,5.90 EUR\n";
const other = "id,title,link,price\n1,Mug,/1,6.90 EUR\n";

function validatorsOf(events: readonly SourceEvent[]): Validators {
  const last = events.at(-1);
  assert.ok(last?.kind === "end" && last.validators !== null);
  return last.validators;
}
const kinds = (events: readonly SourceEvent[]): string[] => events.map(({ kind }) => kind);

describe("an unchanged file ends the read early", () => {
  test("if the host supports ETags", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { ...file(csv), etag: 'W/"1"' });
    const previous = validatorsOf(await world.read({ url }));

    const events = await world.read({ url }, { previous });

    assert.deepEqual(events, [{ kind: "unchanged", validators: previous }]);
    assert.equal(world.host.requests[1]?.headers["if-none-match"], 'W/"1"');
  });

  test("if the host supports Last-Modified", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { ...file(csv), lastModified: "Sat, 14 Nov 2026 10:00:00 GMT" });
    const previous = validatorsOf(await world.read({ url }));

    assert.deepEqual(kinds(await world.read({ url }, { previous })), ["unchanged"]);
  });

  test("if the host supports neither, but sends the same bytes", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", file(csv));
    const previous = validatorsOf(await world.read({ url }));

    assert.deepEqual(kinds(await world.read({ url }, { previous })), ["unchanged"]);
  });

  test("if only the time in a gzip header differs", async () => {
    await using world = await feedFixture();
    const [one, two] = [gzipSync(csv), gzipSync(csv)];
    two.writeUInt32LE(1_700_000_000, 4);
    const url = world.host.serve("/feed", file(one), file(two));
    const previous = validatorsOf(await world.read({ url }));

    assert.deepEqual(kinds(await world.read({ url }, { previous })), ["unchanged"]);
  });
});

describe("a file that may have changed is read", () => {
  test("if its bytes differ", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { ...file(csv), etag: '"1"' }, { ...file(other), etag: '"2"' });
    const previous = validatorsOf(await world.read({ url }));

    const events = await world.read({ url }, { previous });

    assert.equal(draftsOf(events)[0]?.price, "6.90 EUR");
    assert.notDeepEqual(validatorsOf(events), previous);
  });

  test("if it was written within the minute before it was fetched, whatever its validators say", async () => {
    await using world = await feedFixture();
    const lastModified = new Date().toUTCString();
    const same = { etag: '"same"', lastModified };
    const url = world.host.serve("/feed", { ...file(csv), ...same }, { ...file(other), ...same });
    const previous = validatorsOf(await world.read({ url }));

    const events = await world.read({ url }, { previous });

    assert.equal(draftsOf(events)[0]?.price, "6.90 EUR");
    assert.equal(world.host.requests[1]?.headers["if-none-match"], undefined);
  });

  test("validators of another reader version or other settings are not sent", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { ...file(csv), etag: '"1"' });
    const previous = validatorsOf(await world.read({ url, format: "auto" }));

    const older = await world.read({ url, format: "auto" }, { previous: { ...previous, reader: "0:older" } });
    const changed = await world.read({ url, format: "csv" }, { previous });

    assert.deepEqual(
      [kinds(older), kinds(changed)],
      [
        ["draft", "end"],
        ["draft", "end"],
      ],
    );
    assert.ok(world.host.requests.every(({ headers }) => headers["if-none-match"] === undefined));
  });

  test("a 304 from another URL than last time is ignored", async () => {
    await using world = await feedFixture();
    world.host.serve("/old", { ...file(csv), etag: '"1"' });
    world.host.serve("/new", { ...file(other), etag: '"1"' });
    const url = world.host.serve("/feed", { kind: "redirect", to: "/old" }, { kind: "redirect", to: "/new" });
    const previous = validatorsOf(await world.read({ url }));

    const events = await world.read({ url }, { previous });

    assert.equal(draftsOf(events)[0]?.price, "6.90 EUR");
  });

  test("a sample is always fetched", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { ...file(csv), etag: '"1"' });
    const previous = validatorsOf(await world.read({ url }));

    assert.deepEqual(kinds(await world.read({ url }, { previous, extent: "sample" })), ["draft", "end"]);
  });

  test("the stored validators contain no secret", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", file(csv));
    const read = async (password: string) =>
      validatorsOf(await world.read({ url, username: "u", password, headers: `X-Key: ${password}` }));

    assert.deepEqual(await read("one"), await read("two"));
  });
});

describe("the request", () => {
  test("carries the credentials and headers of the settings", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { ...file(csv), basic: "me:s3cret:x" });

    const events = await world.read({
      url,
      username: "me",
      password: "s3cret:x",
      headers: "X-Shop: 7\r\nAccept: text/csv",
    });

    assert.equal(draftsOf(events).length, 1);
    assert.equal(world.host.requests[0]?.headers["x-shop"], "7");
    assert.equal(world.host.requests[0]?.headers.accept, "text/csv");
  });

  test("follows redirects and stores a hash of the final URL, which may contain a secret", async () => {
    await using world = await feedFixture();
    const target = world.host.serve("/target", file(csv));
    const url = world.host.serve("/feed", { kind: "redirect", to: "/hop" });
    world.host.serve("/hop", { kind: "redirect", to: target, status: 308 });
    world.host.serve("/target?", file(csv));

    const { url: stored } = validatorsOf(await world.read({ url }));
    assert.equal(stored, validatorsOf(await world.read({ url: target }))["url"]);
    assert.notEqual(stored, validatorsOf(await world.read({ url: `${target}?` }))["url"]);
    assert.equal(stored?.includes("127.0.0.1"), false);
  });
});

describe("a host that fails", () => {
  const answers = {
    401: "source_unauthorized",
    403: "source_unauthorized",
    404: "source_not_found",
    410: "source_not_found",
    418: "source_unavailable",
    429: "source_unavailable",
    500: "source_unavailable",
    503: "source_unavailable",
  };
  for (const [status, code] of Object.entries(answers)) {
    test(`status ${status} is ${code}`, async () => {
      await using world = await feedFixture();

      const error = await failureOf(world.readPage({ ...file("oh no"), status: Number(status) }));

      assert.equal(error.code, code);
      assert.match(error.message, new RegExp(`status ${status}`));
    });
  }

  test("is requested three times if a retry may help", async () => {
    await using world = await feedFixture({ retries: twoMoreTries });

    const error = await failureOf(world.readPage({ ...file(""), status: 503 }));

    assert.equal(error.code, "source_unavailable");
    assert.equal(world.host.requests.length, 3);
  });

  test("is requested once if a retry cannot help", async () => {
    await using world = await feedFixture({ retries: twoMoreTries });

    for (const status of [401, 404, 418]) await failureOf(world.readPage({ ...file(""), status }));

    assert.equal(world.host.requests.length, 3);
  });

  test("may recover between retries", async () => {
    await using world = await feedFixture({ retries: twoMoreTries });
    const cut = { kind: "cut", body: "id,ti", announced: 100 } as const;
    const url = world.host.serve("/feed", { ...file(""), status: 500 }, cut, file(csv));

    assert.equal(draftsOf(await world.read({ url })).length, 1);
  });

  test("that asks for a longer wait than a run may take fails the read, and the message has that time", async () => {
    await using world = await feedFixture({ retries: { ...twoMoreTries, maxRetryAfterMs: 1_000 } });

    const error = await failureOf(
      world.readPage({ ...file(""), status: 429, headers: { "retry-after": "3600" } }),
    );

    assert.equal(error.retryAfterS, 3_600);
    assert.equal(world.host.requests.length, 1);
  });

  test("can be aborted during the wait", async () => {
    await using world = await feedFixture({ retries: { ...twoMoreTries, waitsMs: [60_000] } });
    const url = world.host.serve("/feed", { ...file(""), status: 503 });
    const abort = new AbortController();

    const reading = world.read({ url }, { signal: abort.signal });
    while (world.host.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error("enough"));

    await assert.rejects(reading, /enough/);
  });
});

describe("a sample", () => {
  test("whose reading takes more processor time than its limit is given up, and says so", async () => {
    await using world = await feedFixture({ sampleCpuMs: 0 });
    const url = world.host.serve("/feed", { kind: "file", body: "id,title,price\n1,Mug,5 USD\n" });

    const error = await failureOf(world.read({ url }, { extent: "sample" }));

    assert.equal(error.code, "source_timeout");
    assert.match(error.message, /processor time/);
    assert.equal(draftsOf(await world.read({ url }, {})).length, 1, "the whole file can be read");
  });

  test("that waits for a free thread can be aborted", async () => {
    await using folder = await tempDir();
    const path = join(folder.path, "feed.csv");
    await writeFile(path, csv);
    const fetched = { path, bytes: csv.length, isWhole: true, coding: null, charset: null, validators: {} };
    const sample = {
      file: { kind: "file", ...fetched },
      settings: {},
      limits: FEED_LIMITS,
      currency: "EUR",
    } as const;
    const abort = new AbortController();
    // A reader that does not ask for the next batch keeps its thread.
    const busy = [1, 2].map(() => readOnThread(sample, new AbortController().signal));
    for (const batches of busy) await batches.next();

    const waiting = readOnThread(sample, abort.signal).next();
    abort.abort(new Error("enough"));

    await assert.rejects(waiting, /enough/);
    for (const batches of busy) await batches.return();
    const next = readOnThread(sample, new AbortController().signal);
    assert.equal((await next.next()).done, false, "the threads are free again");
    await next.return();
  });

  test("of a file that is no feed fails as the whole file does, with its settings to try", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { kind: "file", body: "<!doctype html><title>Log in</title>" });

    const [sampled, whole] = [
      await failureOf(world.read({ url }, { extent: "sample" })),
      await failureOf(world.read({ url }, {})),
    ];

    assert.deepEqual([sampled.code, sampled.message], [whole.code, whole.message]);
  });

  const rows = `id,title\n${Array.from({ length: 5_000 }, (_, i) => `${i},Mug number ${i * 7_919}`).join("\n")}\n`;

  test("of a large file is its beginning, without an end", async () => {
    await using world = await feedFixture({ sampleBytes: 20_000 });
    for (const body of [Buffer.from(rows), gzipSync(rows)]) {
      const url = world.host.serve("/feed", file(body));

      const events = await world.read({ url }, { extent: "sample" });

      assert.ok(draftsOf(events).length > 100 && draftsOf(events).length < 5_000);
      assert.ok(draftsOf(events).every(({ title }) => /^Mug number \d+$/.test(title ?? "")));
      assert.ok(!kinds(events).includes("end"));
    }
  });

  test("of a zip archive is the whole archive, because its directory is at the end", async () => {
    await using world = await feedFixture({ sampleBytes: 2_000 });
    const url = world.host.serve("/feed", file(zipOf({ "feed.csv": rows })));

    const events = await world.read({ url }, { extent: "sample" });

    assert.equal(draftsOf(events).length, 5_000);
    assert.equal(events.at(-1)?.kind, "end");
  });
});
