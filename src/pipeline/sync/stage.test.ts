import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { freshDb } from "../../../test/fresh.ts";
import type { SourceEvent } from "../../sources/source.ts";
import type { Db } from "../../store/db.ts";
import { sql } from "../../store/sql.ts";
import { openStaging } from "../../store/staging.ts";
import { intake } from "../intake.ts";
import { KnownHashes } from "../../lib/known-hashes.ts";
import { Ledger } from "./ledger.ts";
import { threadsFor } from "./normalizer-threads.ts";
import { hashText, rowText } from "./row-batch.ts";
import { readInto, ReadProducts, sourceSink, stagingSink, type QueueLimits } from "./stage.ts";
import { cases, isLong } from "../../../test/long.ts";

const IN_PLACE: QueueLimits = { afterRows: Number.POSITIVE_INFINITY, batchChars: 256 * 1024 };
const STAGED_ITEMS = sql`select position, id, group_id, fingerprint, body from staged order by position`;
const settings = { currency: "EUR", storeUrl: "https://shop.example/" };

const anyDraft = fc.record(
  {
    id: fc.constantFrom("a", "b", "c", "d", "é—", " "),
    title: fc.constantFrom("Mug", "<b>Mug</b>", "", "Tasse “groß”"),
    link: fc.constantFrom("/mug", "https://shop.example/mug?a=1&amp;b=2", "nowhere"),
    price: fc.constantFrom("5,00", "1.299", "0.00 EUR", "free"),
    groupId: fc.constantFrom("g", "h"),
    gtin: fc.constantFrom("4006381333931", "123"),
    categories: fc.constant(["Home > Mugs"]),
  },
  { requiredKeys: ["id", "title", "link", "price"] },
);

const anyEvent = fc.oneof(
  { weight: 6, arbitrary: anyDraft.map((draft) => ({ kind: "draft" as const, draft })) },
  { weight: 1, arbitrary: fc.constant({ kind: "rejected" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "warning" as const }) },
);

type AnyEvent = { readonly kind: "draft" | "rejected" | "warning"; readonly draft?: object };

function eventsOf(rows: readonly AnyEvent[]): readonly SourceEvent[] {
  return rows.map(({ kind, draft = {} }, index): SourceEvent => {
    const position = index + 1;
    const message = `Row ${position}.`;
    const where = { itemId: null, position, field: null, message };
    if (kind === "warning") return { kind, warning: { ...where, code: "source_note" } };
    if (kind === "rejected") return { kind, rejection: { ...where, code: "unreadable_row" } };
    const decimalMark = position % 3 === 0 ? "," : ".";
    return { kind, position, draft, decimalMark, ...(position % 2 === 0 && { product: `P${position}` }) };
  });
}

async function read(db: Db, events: readonly SourceEvent[], limits: QueueLimits, skips: boolean) {
  const ledger = new Ledger();
  const products = new ReadProducts();
  const known = skips ? knownOf(events) : undefined;
  async function* batches() {
    for (let at = 0; at < events.length; at += 7) yield events.slice(at, at + 7);
    yield { kind: "end" as const, validators: null, expected: null };
  }
  return db.session(async (session) => {
    const staging = await openStaging(session);
    const sink = sourceSink({ staging, ledger }, { known, products, settings, limits });
    await readInto(sink, { events: batches(), settings, signal: new AbortController().signal });
    const counts = await staging.finish();
    const rows = await session.query(sql`select * from staged order by position`);
    const items = await session.query(STAGED_ITEMS);
    return {
      rows,
      items,
      counts,
      stats: ledger.stats(),
      issues: ledger.issues(),
      products,
      seen: known?.seen,
    };
  });
}

/** Every fifth row was there before. */
function knownOf(events: readonly SourceEvent[]): KnownHashes {
  const known = new KnownHashes(events.length + 1);
  for (const event of events)
    if (event.kind === "draft" && event.position % 5 === 0)
      known.add(Buffer.from(hashText(rowText(event)), "hex"));
  return known;
}

/** By the sink of pushes, which takes one row after the other. */
async function readOneByOne(db: Db, events: readonly SourceEvent[]) {
  const ledger = new Ledger();
  async function* batches() {
    yield events;
    yield { kind: "end" as const, validators: null, expected: null };
  }
  return db.session(async (session) => {
    const staging = await openStaging(session);
    const sink = stagingSink({ staging, ledger });
    await intake({ events: batches(), settings, signal: new AbortController().signal }, sink);
    await staging.finish();
    return { rows: await session.query(STAGED_ITEMS), stats: ledger.stats(), issues: ledger.issues() };
  });
}

test("batches stage the same items as one row after the other, with the same rejections and warnings", async () => {
  await using db = await freshDb();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 10_000 }),
      async (rows, batchChars) => {
        const events = eventsOf(rows);

        const { items, stats, issues } = await read(db, events, { ...IN_PLACE, batchChars }, false);

        assert.deepEqual({ rows: items, stats, issues }, await readOneByOne(db, events));
      },
    ),
    { numRuns: cases(40) },
  );
});

test("threads stage the same rows, and report the same rejections and warnings in the same order", async () => {
  await using db = await freshDb();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 2_000 }),
      fc.boolean(),
      async (rows, afterRows, batchChars, skips) => {
        const events = eventsOf(rows);

        const inPlace = await read(db, events, IN_PLACE, skips);
        const onThreads = await read(db, events, { afterRows, mostThreads: 2, batchChars }, skips);

        assert.deepEqual(onThreads, inPlace);
      },
    ),
    { numRuns: cases(8) },
  );
});

if (isLong)
  test("many batches stay in order, and the threads are waited for", async () => {
    await using db = await freshDb();
    const description = "A mug. ".repeat(300);
    const rows = Array.from({ length: 1_500 }, (_, i) => ({
      kind: "draft" as const,
      draft: { id: `m${i}`, title: "Mug", link: "/mug", price: i % 100 === 0 ? "free" : "5.00", description },
    }));
    const events = eventsOf(rows);

    const inPlace = await read(db, events, IN_PLACE, false);
    const onThreads = await read(db, events, { afterRows: 1, mostThreads: 2, batchChars: 256 * 1024 }, false);

    assert.equal(inPlace.stats.rejected, 15);
    assert.deepEqual(onThreads, inPlace);
  });

test("a failure on a thread fails the read", async () => {
  await using db = await freshDb();
  // Not a draft: the thread cannot read it.
  const broken = { kind: "draft", position: 1, draft: null } as unknown as SourceEvent;

  await assert.rejects(read(db, [broken], { afterRows: 1, mostThreads: 1, batchChars: 1 }, false), TypeError);
});

test("a file of rows that cannot be read is counted while it is read, not at its end", async () => {
  await using db = await freshDb();
  const ledger = new Ledger();
  const counts: number[] = [];
  async function* batches() {
    const events = eventsOf(Array.from({ length: 2_000 }, () => ({ kind: "rejected" as const })));
    for (let at = 0; at < events.length; at += 500) {
      yield events.slice(at, at + 500);
      counts.push(ledger.seen);
    }
    yield { kind: "end" as const, validators: null, expected: null };
  }
  await db.session(async (session) => {
    const sink = sourceSink(
      { staging: await openStaging(session), ledger },
      {
        known: undefined,
        products: new ReadProducts(),
        settings,
        limits: { ...IN_PLACE, batchChars: 10_000 },
      },
    );
    await readInto(sink, { events: batches(), settings, signal: new AbortController().signal });
  });

  assert.ok(
    counts.every((seen, at) => seen > 500 * at),
    counts.join(),
  );
  assert.equal(ledger.seen, 2_000);
});

test("a read that fails has counted every row before the failure", async () => {
  await using db = await freshDb();
  const ledger = new Ledger();
  async function* batches() {
    yield eventsOf([
      { kind: "draft", draft: { id: "a" } },
      { kind: "rejected" },
      { kind: "draft", draft: {} },
    ]);
    throw new RangeError("the shop is gone");
  }

  const reading = db.session(async (session) => {
    const sink = sourceSink(
      { staging: await openStaging(session), ledger },
      { known: undefined, products: new ReadProducts(), settings },
    );
    await readInto(sink, { events: batches(), settings, signal: new AbortController().signal });
  });

  await assert.rejects(reading, RangeError);
  assert.deepEqual([ledger.seen, ledger.stats().rejected], [3, 3]);
});

test("threads are used from four cores up", () => {
  assert.deepEqual([1, 2, 3, 4, 8].map(threadsFor), [0, 0, 0, 2, 4]);
});
