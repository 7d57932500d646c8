/**
 * Tests for every source: a whole read ends with `end`, positions count up from 1, a row that cannot be read is an
 * event, a failure is an AppError and never an end, and no request runs ahead of the consumer or on without it.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, test } from "node:test";
import { AppError, type ErrorCode } from "../errors.ts";
import { type HttpClient, httpClient } from "../lib/outbound/http-client.ts";
import { HttpFailure } from "../lib/outbound/http-failure.ts";
import { expectAgreement } from "../../test/expect-agreement.ts";
import { failureOf } from "./events.contract.ts";
import type { RetryPolicy } from "./kit/retry.ts";
import type {
  Connector,
  ProbeResult,
  ReadContext,
  SourceEvent,
  SourceEvents,
  SourceSettings,
} from "./source.ts";

/** A fake shop for one test, with its connector. */
export type SourceFixture = {
  readonly connector: Connector;
  readonly http: HttpClient;
  /** Adds this many valid items to the shop, and returns the settings to read it with. */
  readonly withItems: (count: number) => SourceSettings;
  /** Three items, the second of which cannot be read. */
  readonly withBrokenItem: () => SourceSettings;
  /** A shop that fails permanently, after its first answers if there are several, and the expected code. */
  readonly withFailure: () => Failing;
  /** More than one page of items, one page of which fails twice and then works. */
  readonly withFlakyPage: () => { readonly settings: SourceSettings; readonly items: number };
  /** A shop that revokes the credentials during the read; null if all is read with one request. */
  readonly withRevokedCredentials: (() => Failing) | null;
  /** A shop that returns one item twice, and how many drafts are expected: paged lists return it once. */
  readonly withRepeatedItem: () => { readonly settings: SourceSettings; readonly drafts: number };
  /**
   * A shop that gains and loses items during the read, and the draft ids of those that stay; null if all is read with
   * one request.
   */
  readonly withChanges:
    | (() => { readonly settings: SourceSettings; readonly staying: readonly string[] })
    | null;
  /** How many requests the shop received. */
  readonly requestCount: () => number;
  /** Connections whose answer is not complete. */
  readonly busyConnections: () => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type Failing = { readonly settings: SourceSettings; readonly code: ErrorCode };

/** For fixtures: retries without waits. */
export const BRIEF_RETRIES: RetryPolicy = {
  waitsMs: [0, 0, 0],
  maxRetryAfterMs: 1_000,
  maxThrottledMs: 2_000,
};
export const NO_RETRIES: RetryPolicy = { ...BRIEF_RETRIES, waitsMs: [] };

/** No source has pages of more than 250. */
const SEVERAL_PAGES = 600;

/** More than any source reads at once. */
const MANY = 1_500;

export function describeSource(name: string, makeFixture: () => Promise<SourceFixture>): void {
  describe(`${name} as a source`, () => {
    for (const count of [0, 1, 250, SEVERAL_PAGES]) {
      test(`a read of ${count} items returns all of them, numbered from 1, and then ends`, async () => {
        await using shop = await makeFixture();

        const events = await readAll(shop, shop.withItems(count));

        assert.equal(events.at(-1)?.kind, "end");
        assert.equal(events.filter(({ kind }) => kind === "end").length, 1);
        assert.deepEqual(
          positionsOf(events),
          Array.from({ length: count }, (_, index) => index + 1),
        );
        assert.equal(new Set(draftedIds(events)).size, count);
      });
    }

    test("an item that cannot be read is rejected at its position, and the others are read", async () => {
      await using shop = await makeFixture();

      const events = await readAll(shop, shop.withBrokenItem());

      const kinds = events.filter(({ kind }) => kind !== "warning").map(({ kind }) => kind);
      assert.deepEqual(kinds, ["draft", "rejected", "draft", "end"]);
      assert.deepEqual(positionsOf(events), [1, 2, 3]);
    });

    test("if the shop fails, the read fails with a code and has no end event", async () => {
      await using shop = await makeFixture();
      const { settings, code } = shop.withFailure();
      const seen: SourceEvent[] = [];

      const failure = await readInto(seen, shop, settings).then(
        () => assert.fail("the read should have failed"),
        (thrown: unknown) => thrown,
      );

      assert.ok(failure instanceof AppError, String(failure));
      assert.equal(failure.code, code);
      assert.ok(seen.every(({ kind }) => kind !== "end" && kind !== "unchanged"));
    });

    test("a page that fails twice and then works is read, without missing or duplicate items", async () => {
      await using shop = await makeFixture();
      const { settings, items } = shop.withFlakyPage();

      const events = await readAll(shop, settings);

      assert.equal(events.at(-1)?.kind, "end");
      assert.equal(draftedIds(events).length, items);
      assert.equal(new Set(draftedIds(events)).size, items);
    });

    test("if the credentials are revoked during the read, it fails as unauthorized", async (t) => {
      await using shop = await makeFixture();
      if (!shop.withRevokedCredentials) return t.skip("reads all with one request");
      const { settings, code } = shop.withRevokedCredentials();

      const failure = await readAll(shop, settings).then(
        () => assert.fail("the read should have failed"),
        (thrown: unknown) => thrown,
      );

      assert.ok(failure instanceof AppError, String(failure));
      assert.equal(failure.code, code);
    });

    test("an item that the shop returns twice is neither lost nor duplicated", async () => {
      await using shop = await makeFixture();
      const { settings, drafts } = shop.withRepeatedItem();

      const events = await readAll(shop, settings);

      assert.equal(draftedIds(events).length, drafts);
      assert.deepEqual(
        positionsOf(events),
        Array.from({ length: drafts }, (_, index) => index + 1),
      );
    });

    test("if the shop changes during the read, every item that stays is read once, or the read fails as incomplete", async (t) => {
      await using shop = await makeFixture();
      if (!shop.withChanges) return t.skip("reads all with one request");
      const { settings, staying } = shop.withChanges();

      const read = await readAll(shop, settings).catch((error: unknown) => error);

      if (read instanceof Error) {
        assert.ok(read instanceof AppError && read.code === "source_incomplete", String(read));
        return;
      }
      const ids = draftedIds(read as SourceEvent[]);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(
        staying.filter((id) => !ids.includes(id)),
        [],
      );
    });

    test("with the validators of the last read, an unchanged shop ends the next read at once", async () => {
      await using shop = await makeFixture();
      const settings = shop.withItems(3);
      const end = (await readAll(shop, settings)).at(-1);
      assert.ok(end?.kind === "end");
      if (end.validators === null) return;

      const events = await readAll(shop, settings, { previous: end.validators });

      assert.deepEqual(
        events.map(({ kind }) => kind),
        ["unchanged"],
      );
    });

    test("a read that is aborted before its start sends no request", async () => {
      await using shop = await makeFixture();
      const settings = shop.withItems(3);
      const before = shop.requestCount();

      await assert.rejects(
        readAll(shop, settings, { signal: AbortSignal.abort(new Error("not now")) }),
        /not now/,
      );

      assert.equal(shop.requestCount(), before);
    });

    test("an abort stops the read at its next event, with its reason", async () => {
      await using shop = await makeFixture();
      const abort = new AbortController();
      let seen = 0;

      const reading = withRead(shop, shop.withItems(MANY), { signal: abort.signal }, async (events) => {
        for await (const event of events) {
          if (event.kind === "draft") seen += 1;
          if (seen === 5) abort.abort(new Error("enough"));
        }
      });

      await assert.rejects(reading, /enough/);
      assert.equal(seen, 5);
      assert.equal(await shop.busyConnections(), 0);
    });

    test("if the consumer stops early, nothing keeps running", async () => {
      await using shop = await makeFixture();

      await withRead(shop, shop.withItems(MANY), {}, async (events) => {
        for await (const event of events) if (event.kind === "draft") break;
        assert.deepEqual(await events.next(), { done: true, value: undefined });
      });

      assert.equal(await shop.busyConnections(), 0);
    });

    test("backpressure: no request runs ahead of a slow consumer", async () => {
      await using shop = await makeFixture();

      await withRead(shop, shop.withItems(MANY), {}, async (events) => {
        await events.next();
        const asked = shop.requestCount();
        for (let i = 0; i < 200; i += 1) await turn();
        // One page may be prefetched while the first is consumed.
        assert.ok(shop.requestCount() <= asked + 1, `${shop.requestCount() - asked} requests ran ahead`);
      });
    });

    for (const part of ["probe", "sample"] as const) {
      test(`a host that cannot be reached is tried twice in a ${part}, which a person waits for`, async (t) => {
        await using shop = await makeFixture();
        const { connector } = shop;
        const { probe } = connector;
        const settings = shop.withItems(1);
        const { http, tries } = unreachable();

        const reading =
          part === "sample"
            ? readAll({ connector, http }, settings, { extent: "sample" })
            : probe?.(settings, { http, signal: new AbortController().signal });
        if (reading === undefined) return t.skip("has no probe");
        const failure = await failureOf(reading);

        assert.equal(failure.code, "source_unreachable");
        assert.match(failure.message, /port 443/);
        assert.equal(tries(), 2);
      });
    }

    test("a sample returns the first items, numbered from 1", async () => {
      await using shop = await makeFixture();

      await withRead(shop, shop.withItems(MANY), { extent: "sample" }, async (events) => {
        const first = await events.next();
        assert.ok(first.done !== true && first.value.kind === "draft");
        assert.equal(first.value.position, 1);
      });
    });
  });
}

function unreachable() {
  let tries = 0;
  const http: HttpClient = {
    request: () => {
      tries += 1;
      const message = "shop.example could not be reached on port 443 (ECONNREFUSED).";
      return Promise.reject(new HttpFailure("unreachable", message));
    },
    close: () => Promise.resolve(),
  };
  return { http, tries: () => tries };
}

type ReadChanges = Partial<Omit<ReadContext, "http" | "spoolDir">>;

/** What the fake of a shop system has: settings that open it, and an end. */
type FakeShop = AsyncDisposable & { readonly settings: SourceSettings };

/**
 * A fake shop with its connector and an HTTP client that may reach it, for one test. Settings are added to the shop's.
 */
export function sourceWorld<Shop extends FakeShop>(shop: Shop, connector: Connector) {
  const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
  const { signal } = new AbortController();
  return {
    shop,
    http,
    connector,
    read: (settings: SourceSettings = {}, changes: ReadChanges = {}): Promise<SourceEvent[]> =>
      readAll({ connector, http }, { ...shop.settings, ...settings }, changes),
    probe: (settings: SourceSettings = {}): Promise<ProbeResult> => {
      assert.ok(connector.probe !== undefined);
      return connector.probe({ ...shop.settings, ...settings }, { http, signal });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await http.close();
      await shop[Symbol.asyncDispose]();
    },
  };
}

/** All events of a read. What a test reads is also rendered, validated and audited: see `expectAgreement`. */
export async function readAll(
  shop: Pick<SourceFixture, "connector" | "http">,
  settings: SourceSettings,
  changes: ReadChanges = {},
): Promise<SourceEvent[]> {
  const events: SourceEvent[] = [];
  await readInto(events, shop, settings, changes);
  await expectAgreement(shop, events);
  return events;
}

async function readInto(
  seen: SourceEvent[],
  shop: Pick<SourceFixture, "connector" | "http">,
  settings: SourceSettings,
  changes: ReadChanges = {},
): Promise<void> {
  await withRead(shop, settings, changes, async (events) => {
    for await (const event of events) seen.push(event);
  });
}

/** One read with its own spool folder, which is removed afterwards. */
async function withRead(
  { connector, http }: Pick<SourceFixture, "connector" | "http">,
  settings: SourceSettings,
  changes: ReadChanges,
  use: (events: AsyncGenerator<SourceEvent, void, void>) => Promise<void>,
): Promise<void> {
  const spoolDir = await mkdtemp(join(tmpdir(), "source-"));
  const context: ReadContext = {
    http,
    signal: new AbortController().signal,
    spoolDir,
    previous: null,
    extent: "whole",
    ...changes,
  };
  const events = oneByOne(connector.read(settings, context), context.signal);
  try {
    await use(events);
  } finally {
    await events.return();
    await rm(spoolDir, { recursive: true });
  }
}

/** As `intake` consumes them: it looks at the signal before every event. */
async function* oneByOne(events: SourceEvents, signal: AbortSignal): AsyncGenerator<SourceEvent, void, void> {
  for await (const step of events) {
    for (const event of [step].flat()) {
      signal.throwIfAborted();
      yield event;
    }
  }
}

function positionsOf(events: readonly SourceEvent[]): number[] {
  return events.flatMap((event) => {
    if (event.kind === "draft") return [event.position];
    return event.kind === "rejected" ? [event.rejection.position] : [];
  });
}

function draftedIds(events: readonly SourceEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.kind !== "draft") return [];
    return [String(event.draft.id ?? event.draft.sku)];
  });
}
