import assert from "node:assert/strict";
import { type MockTimers, test } from "node:test";
import { type Deadline, deadline } from "./deadline.ts";

function start(timers: MockTimers, signal = new AbortController().signal): Deadline {
  timers.enable({ apis: ["setTimeout"] });
  return deadline({ signal, totalMs: 100, expired: (phase, ms) => new Error(`${phase} ${ms}`) });
}

test("a phase that takes too long aborts with its name", ({ mock }) => {
  const clock = start(mock.timers);

  clock.enter("first", 10);
  mock.timers.tick(9);
  clock.enter("second", 20);
  mock.timers.tick(19);
  assert.ok(!clock.signal.aborted);
  mock.timers.tick(1);

  assert.equal(String(clock.signal.reason), "Error: second 20");
});

test("between phases only the total time is limited", ({ mock }) => {
  const clock = start(mock.timers);

  clock.enter("first", 10);
  clock.pause();
  mock.timers.tick(99);
  assert.ok(!clock.signal.aborted);
  mock.timers.tick(1);

  assert.match(String(clock.signal.reason), /100$/);
});

test("short phases together cannot exceed the total time", ({ mock }) => {
  const clock = start(mock.timers);

  for (let elapsed = 0; elapsed < 100; elapsed += 5) {
    assert.ok(!clock.signal.aborted);
    clock.enter("drip", 10);
    mock.timers.tick(5);
  }

  assert.match(String(clock.signal.reason), /100$/);
});

test("the caller's abort is passed on with its reason, at once or later", ({ mock }) => {
  const reason = new Error("the user left");
  const caller = new AbortController();
  const clock = start(mock.timers, caller.signal);

  caller.abort(reason);

  assert.equal(clock.signal.reason, reason);
  const late = deadline({ signal: caller.signal, totalMs: 100, expired: () => new Error("late") });
  assert.equal(late.signal.reason, reason);
});

test("the first reason is kept", ({ mock }) => {
  const caller = new AbortController();
  const clock = start(mock.timers, caller.signal);

  clock.enter("only", 10);
  mock.timers.tick(10);
  caller.abort(new Error("too late"));
  clock.enter("after the end", 1);
  mock.timers.tick(200);

  assert.equal(String(clock.signal.reason), "Error: only 10");
});

test("after a release nothing aborts", ({ mock }) => {
  const caller = new AbortController();
  const clock = start(mock.timers, caller.signal);

  clock.enter("only", 10);
  clock.release();
  mock.timers.tick(1_000);
  caller.abort();

  assert.ok(!clock.signal.aborted);
});
