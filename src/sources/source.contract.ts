/**
 * What every source keeps, whatever it reads: a whole read ends with `end` and nothing after it, positions count up
 * from 1, what cannot be read is an event, a failure is an AppError and never looks like an end, and nobody runs
 * ahead of its reader or on without it.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, test } from "node:test";
import { AppError, type ErrorCode } from "../errors.ts";
import type { HttpClient } from "../lib/outbound/http-client.ts";
import type { RetryPolicy } from "./kit/retry.ts";
import type { Connector, ReadContext, SourceEvent, SourceSettings } from "./source.ts";

/** A shop of one's own, made for one test. */
export type SourceFixture = {
  readonly connector: Connector;
  readonly http: HttpClient;
  /** Puts so many good items into the shop and gives the settings to read it with. */
  readonly withItems: (count: number) => SourceSettings;
  /** Three items, the second of which cannot be read. */
  readonly withBrokenItem: () => SourceSettings;
  /** A shop that fails for good after it has begun to answer, and the code that must come of it. */
  readonly withFailure: () => Failing;
  /** More than one page of items, one page of which fails twice and then works. */
  readonly withFlakyPage: () => { readonly settings: SourceSettings; readonly items: number };
  /** A shop that takes the credentials back in the middle; null if all is read with one request. */
  readonly withRevokedCredentials: (() => Failing) | null;
  /** A shop that gives one item twice, and how many drafts are due: pages drift, so a repeated one may come once. */
  readonly withRepeatedItem: () => { readonly settings: SourceSettings; readonly drafts: number };
  /**
   * A shop that gains and loses items while it is being read, and the ids (as drafted) of those that stay all the
   * time; null if all is read with one request.
   */
  readonly withChanges:
    | (() => { readonly settings: SourceSettings; readonly staying: readonly string[] })
    | null;
  /** How many requests the shop has had. */
  readonly requestCount: () => number;
  /** Connections that are in use by an answer under way. */
  readonly busyConnections: () => Promise<number>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type Failing = { readonly settings: SourceSettings; readonly code: ErrorCode };

/** For fixtures: as often as in real life, without the waits. */
export const BRIEF_RETRIES: RetryPolicy = {
  waitsMs: [0, 0, 0],
  maxRetryAfterMs: 1_000,
  maxThrottledMs: 2_000,
};
export const NO_RETRIES: RetryPolicy = { ...BRIEF_RETRIES, waitsMs: [] };

/** More than any source hands out at once. */
const MANY = 3_000;

export function describeSource(name: string, makeFixture: () => Promise<SourceFixture>): void {
  describe(`${name} as a source`, () => {
    for (const count of [0, 1, 250, MANY]) {
      test(`a read of ${count} items gives them all, numbered from 1, and then ends`, async () => {
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

    test("an item that cannot be read is an event in its place, and the others are read", async () => {
      await using shop = await makeFixture();

      const events = await readAll(shop, shop.withBrokenItem());

      const kinds = events.filter(({ kind }) => kind !== "warning").map(({ kind }) => kind);
      assert.deepEqual(kinds, ["draft", "rejected", "draft", "end"]);
      assert.deepEqual(positionsOf(events), [1, 2, 3]);
    });

    test("a shop that fails is a failure with its code, and never an end", async () => {
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

    test("a page that fails twice and then works is read, and nothing is missing or doubled", async () => {
      await using shop = await makeFixture();
      const { settings, items } = shop.withFlakyPage();

      const events = await readAll(shop, settings);

      assert.equal(events.at(-1)?.kind, "end");
      assert.equal(draftedIds(events).length, items);
      assert.equal(new Set(draftedIds(events)).size, items);
    });

    test("credentials that are taken back in the middle end the read as refused credentials", async (t) => {
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

    test("an item that the shop gives twice is not lost and not invented", async () => {
      await using shop = await makeFixture();
      const { settings, drafts } = shop.withRepeatedItem();

      const events = await readAll(shop, settings);

      assert.equal(draftedIds(events).length, drafts);
      assert.deepEqual(
        positionsOf(events),
        Array.from({ length: drafts }, (_, index) => index + 1),
      );
    });

    test("a shop that changes while it is read gives every item that stays, once, or fails as incomplete", async (t) => {
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

    test("what a whole read remembers lets an unchanged shop end the next read at once", async () => {
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

    test("a read that is aborted beforehand asks the shop for nothing", async () => {
      await using shop = await makeFixture();
      const settings = shop.withItems(3);
      const before = shop.requestCount();

      await assert.rejects(
        readAll(shop, settings, { signal: AbortSignal.abort(new Error("not now")) }),
        /not now/,
      );

      assert.equal(shop.requestCount(), before);
    });

    test("an abort stops the read at its next event, with the reason given", async () => {
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

    test("a reader that leaves early leaves nothing running", async () => {
      await using shop = await makeFixture();

      await withRead(shop, shop.withItems(MANY), {}, async (events) => {
        for await (const event of events) if (event.kind === "draft") break;
        assert.deepEqual(await events.next(), { done: true, value: undefined });
      });

      assert.equal(await shop.busyConnections(), 0);
    });

    test("a slow reader is waited for: no request runs ahead of it", async () => {
      await using shop = await makeFixture();

      await withRead(shop, shop.withItems(MANY), {}, async (events) => {
        await events.next();
        const asked = shop.requestCount();
        for (let i = 0; i < 200; i += 1) await turn();
        // One page may have been asked for already while the first is being handed out.
        assert.ok(shop.requestCount() <= asked + 1, `${shop.requestCount() - asked} requests ran ahead`);
      });
    });

    test("a sample gives first items and never claims more than it read", async () => {
      await using shop = await makeFixture();

      await withRead(shop, shop.withItems(MANY), { extent: "sample" }, async (events) => {
        const first = await events.next();
        assert.ok(first.done !== true && first.value.kind === "draft");
        assert.equal(first.value.position, 1);
      });
    });
  });
}

type ReadChanges = Partial<Omit<ReadContext, "http" | "spoolDir">>;

export async function readAll(
  shop: Pick<SourceFixture, "connector" | "http">,
  settings: SourceSettings,
  changes: ReadChanges = {},
): Promise<SourceEvent[]> {
  const events: SourceEvent[] = [];
  await readInto(events, shop, settings, changes);
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

/** One read with a spool folder of its own, which is removed however the read ends. */
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
  try {
    await use(connector.read(settings, context));
  } finally {
    await rm(spoolDir, { recursive: true });
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
