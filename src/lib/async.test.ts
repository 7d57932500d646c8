import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { bell, onAbort, sleep } from "./async.ts";

const HOURS = 3_600_000;
const never = new AbortController().signal;

test("a sleeper wakes at once when it is told to stop, and does not complain", async () => {
  const stop = new AbortController();
  const sleeping = sleep(HOURS, stop.signal);

  stop.abort();

  assert.equal(await sleeping, undefined);
  assert.equal(await sleep(HOURS, AbortSignal.abort()), undefined);
});

test("a sleeper wakes by itself when its time has come", async () => {
  assert.equal(await sleep(1, never), undefined);
});

test("a bell wakes whoever waits", async () => {
  const { ring, wait } = bell();
  const waiting = wait(HOURS, never);

  ring();

  assert.equal(await waiting, undefined);
});

test("a bell that rang while nobody waited is heard by the next one, once", async () => {
  const { ring, wait } = bell();
  ring();
  ring();

  await wait(HOURS, never);
  const second = wait(HOURS, never);

  const turn = new Promise((resolve) => setImmediate(resolve, "asleep"));
  assert.equal(await Promise.race([second, turn]), "asleep");
  ring();
  await second;
});

test("whoever waits for a bell stops waiting when its time is up or it is told to", async () => {
  const { wait } = bell();
  const stop = new AbortController();

  assert.equal(await wait(1, never), undefined);
  const waiting = wait(HOURS, stop.signal);
  stop.abort();
  assert.equal(await waiting, undefined);
  assert.equal(await wait(HOURS, stop.signal), undefined);
});

test("a ring that comes during one wait is not heard in the next", async () => {
  const { ring, wait } = bell();
  const first = wait(HOURS, never);
  ring();
  await first;

  const stop = new AbortController();
  const next = wait(HOURS, stop.signal);
  const turn = new Promise((resolve) => setImmediate(resolve, "asleep"));

  assert.equal(await Promise.race([next, turn]), "asleep");
  stop.abort();
  await next;
});

test("waiting again and again on one signal does not pile up listeners", async () => {
  const { ring, wait } = bell();
  const { signal } = new AbortController();
  for (let i = 0; i < 100; i += 1) {
    const waiting = wait(HOURS, signal);
    ring();
    await waiting;
  }

  assert.ok(getEventListeners(signal, "abort").length <= 1);
});

describe("waiting for an abort together with others", () => {
  test("calls everyone who still waits, once", () => {
    const stop = new AbortController();
    const called: string[] = [];
    onAbort(stop.signal, () => called.push("one"));
    const forget = onAbort(stop.signal, () => called.push("gone"));
    onAbort(stop.signal, () => called.push("two"));
    forget();

    stop.abort();

    assert.deepEqual(called, ["one", "two"]);
  });

  test("nothing listens once nobody waits, and whoever comes then is called too", () => {
    const stop = new AbortController();
    const called: string[] = [];
    const forget = onAbort(stop.signal, () => called.push("gone"));
    forget();
    forget();
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);

    onAbort(stop.signal, () => called.push("late"));
    stop.abort();

    assert.deepEqual(called, ["late"]);
  });

  test("those of another signal are left alone", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const called: string[] = [];
    onAbort(one.signal, () => called.push("one"));
    onAbort(other.signal, () => called.push("other"));

    other.abort();

    assert.deepEqual(called, ["other"]);
  });
});
