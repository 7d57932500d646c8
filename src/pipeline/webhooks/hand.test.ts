import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClaimedDelivery } from "../../store/webhooks/queue.ts";
import { newHand } from "./hand.ts";

const HOUR_MS = 3_600_000;
const noted = () => {};

function deliveries(count: number, attempts = 0): ClaimedDelivery[] {
  return Array.from({ length: count }, () => ({ attempts }) as ClaimedDelivery);
}

/** Work that ends when it is told to. */
function pending() {
  return Promise.withResolvers<void>();
}

test("a delivery has its slot while it is sent, and is in hand until it is written down", async () => {
  const hand = newHand({ slots: 4, patientSlots: 10, slowAfterMs: HOUR_MS });
  const [one] = deliveries(1) as [ClaimedDelivery];
  const work = pending();

  hand.take(one, work.promise, noted);
  assert.deepEqual([hand.free(), hand.size()], [3, 1]);
  hand.sent(one);
  assert.deepEqual([hand.free(), hand.size()], [4, 1]);
  work.resolve();
  await hand.settled();
  assert.deepEqual([hand.free(), hand.size()], [4, 0]);
});

test("slow ones give up their slots, as long as there is room among the patient", () => {
  const hand = newHand({ slots: 2, patientSlots: 3, slowAfterMs: 0 });
  const slow = deliveries(5);

  for (const [place, one] of slow.entries()) {
    assert.equal(hand.free() > 0, true, `before number ${place}`);
    hand.take(one, pending().promise, noted);
  }

  assert.equal(hand.free(), 0);
  assert.equal(hand.roomInMs(), Number.POSITIVE_INFINITY);
  // One that waited is answered: the oldest in a slot takes its place.
  hand.sent(slow[0] as ClaimedDelivery);
  assert.equal(hand.free(), 1);
});

test("says when the next slot is given up", () => {
  const hand = newHand({ slots: 2, patientSlots: 3, slowAfterMs: HOUR_MS });
  assert.equal(hand.roomInMs(), Number.POSITIVE_INFINITY);

  for (const one of deliveries(2)) hand.take(one, pending().promise, noted);

  assert.equal(hand.free(), 0);
  assert.ok(hand.roomInMs() > 0 && hand.roomInMs() <= HOUR_MS);
});

test("retries that wait for slow receivers no longer count against the slots for retries", () => {
  const hand = newHand({ slots: 4, patientSlots: 1, slowAfterMs: 0 });
  for (const one of deliveries(2, 1)) hand.take(one, pending().promise, noted);

  assert.equal(hand.free(), 3);
  assert.equal(hand.retries(), 1);
});

test("what waits to be written down keeps new ones away once there is as much of it as there are slots", () => {
  const hand = newHand({ slots: 2, patientSlots: 10, slowAfterMs: HOUR_MS });
  for (const one of deliveries(3)) {
    hand.take(one, pending().promise, noted);
    hand.sent(one);
  }

  assert.equal(hand.free(), 1);
});
