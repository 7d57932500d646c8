import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { onAbort, sleep, wakeSignal } from "./async.ts";

const HOURS = 3_600_000;
const never = new AbortController().signal;

test("a sleep ends at once on abort, and does not reject", async () => {
  const stop = new AbortController();
  const sleeping = sleep(HOURS, stop.signal);

  stop.abort();

  assert.equal(await sleeping, undefined);
  assert.equal(await sleep(HOURS, AbortSignal.abort()), undefined);
});

test("a sleep ends after its time", async () => {
  assert.equal(await sleep(1, never), undefined);
});

test("a wake signal ends the wait", async () => {
  const { notify, wait } = wakeSignal();
  const waiting = wait(HOURS, never);

  notify();

  assert.equal(await waiting, undefined);
});

test("a wake signal between two waits ends the next one, once", async () => {
  const { notify, wait } = wakeSignal();
  notify();
  notify();

  await wait(HOURS, never);
  const second = wait(HOURS, never);

  const turn = new Promise((resolve) => setImmediate(resolve, "asleep"));
  assert.equal(await Promise.race([second, turn]), "asleep");
  notify();
  await second;
});

test("a wait ends after its time, and on abort", async () => {
  const { wait } = wakeSignal();
  const stop = new AbortController();

  assert.equal(await wait(1, never), undefined);
  const waiting = wait(HOURS, stop.signal);
  stop.abort();
  assert.equal(await waiting, undefined);
  assert.equal(await wait(HOURS, stop.signal), undefined);
});

test("a notify during one wait does not end the next one", async () => {
  const { notify, wait } = wakeSignal();
  const first = wait(HOURS, never);
  notify();
  await first;

  const stop = new AbortController();
  const next = wait(HOURS, stop.signal);
  const turn = new Promise((resolve) => setImmediate(resolve, "asleep"));

  assert.equal(await Promise.race([next, turn]), "asleep");
  stop.abort();
  await next;
});

test("repeated waits on one signal do not accumulate listeners", async () => {
  const { notify, wait } = wakeSignal();
  const { signal } = new AbortController();
  for (let i = 0; i < 100; i += 1) {
    const waiting = wait(HOURS, signal);
    notify();
    await waiting;
  }

  assert.ok(getEventListeners(signal, "abort").length <= 1);
});

describe("many callbacks on one abort signal", () => {
  test("every callback is called, once", () => {
    const stop = new AbortController();
    const called: string[] = [];
    onAbort(stop.signal, () => called.push("one"));
    const forget = onAbort(stop.signal, () => called.push("gone"));
    onAbort(stop.signal, () => called.push("two"));
    forget();

    stop.abort();

    assert.deepEqual(called, ["one", "two"]);
  });

  test("no listener is left when no callback is, and a later callback is called too", () => {
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

  test("callbacks of another signal are not called", () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const called: string[] = [];
    onAbort(one.signal, () => called.push("one"));
    onAbort(other.signal, () => called.push("other"));

    other.abort();

    assert.deepEqual(called, ["other"]);
  });
});
