import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClaimedDelivery } from "./queue.sql.ts";
import { createInFlight } from "./in-flight.ts";

const HOUR_MS = 3_600_000;
const noted = () => {};

function deliveries(count: number, attempts = 0): ClaimedDelivery[] {
  return Array.from({ length: count }, () => ({ attempts }) as ClaimedDelivery);
}

/** Work that ends when the test resolves it. */
function pending() {
  return Promise.withResolvers<void>();
}

test("a delivery has its slot while it is sent, and is in flight until its result is written", async () => {
  const inFlight = createInFlight({ slots: 4, maxSlowRequests: 10, slowAfterMs: HOUR_MS });
  const [one] = deliveries(1) as [ClaimedDelivery];
  const work = pending();

  inFlight.add(one, work.promise, noted);
  assert.deepEqual([inFlight.freeSlots(), inFlight.size()], [3, 1]);
  inFlight.sent(one);
  assert.deepEqual([inFlight.freeSlots(), inFlight.size()], [4, 1]);
  work.resolve();
  await inFlight.settled();
  assert.deepEqual([inFlight.freeSlots(), inFlight.size()], [4, 0]);
});

test("slow requests give up their slots, up to the limit of slow requests", () => {
  const inFlight = createInFlight({ slots: 2, maxSlowRequests: 3, slowAfterMs: 0 });
  const slow = deliveries(5);

  for (const [place, one] of slow.entries()) {
    assert.equal(inFlight.freeSlots() > 0, true, `before number ${place}`);
    inFlight.add(one, pending().promise, noted);
  }

  assert.equal(inFlight.freeSlots(), 0);
  assert.equal(inFlight.slotFreeInMs(), Number.POSITIVE_INFINITY);
  // A slow request is answered: the oldest in a slot takes its place.
  inFlight.sent(slow[0] as ClaimedDelivery);
  assert.equal(inFlight.freeSlots(), 1);
});

test("the time until the next slot becomes free is known", () => {
  const inFlight = createInFlight({ slots: 2, maxSlowRequests: 3, slowAfterMs: HOUR_MS });
  assert.equal(inFlight.slotFreeInMs(), Number.POSITIVE_INFINITY);

  for (const one of deliveries(2)) inFlight.add(one, pending().promise, noted);

  assert.equal(inFlight.freeSlots(), 0);
  assert.ok(inFlight.slotFreeInMs() > 0 && inFlight.slotFreeInMs() <= HOUR_MS);
});

test("slow requests do not count against the slots for retries", () => {
  const inFlight = createInFlight({ slots: 4, maxSlowRequests: 1, slowAfterMs: 0 });
  for (const one of deliveries(2, 1)) inFlight.add(one, pending().promise, noted);

  assert.equal(inFlight.freeSlots(), 3);
  assert.equal(inFlight.retries(), 1);
});

test("results that wait to be written limit new deliveries once they are as many as the slots", () => {
  const inFlight = createInFlight({ slots: 2, maxSlowRequests: 10, slowAfterMs: HOUR_MS });
  for (const one of deliveries(3)) {
    inFlight.add(one, pending().promise, noted);
    inFlight.sent(one);
  }

  assert.equal(inFlight.freeSlots(), 1);
});
