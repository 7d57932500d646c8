import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import type { Notice, Notices } from "../store/notices.ts";
import { pollQueue } from "./polling.ts";

/** A queue with a worker of `slots` slots; what is claimed runs until it is ended. */
function startPolling(slots: number) {
  const waiting: string[] = [];
  const running = new Map<string, () => void>();
  const listeners = new Set<(notice: Notice) => void>();
  const stop = new AbortController();
  const counts = { claims: 0 };
  const notices: Pick<Notices, "on"> = {
    on: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const done = pollQueue(
    {
      notices,
      wakesOn: ["work"],
      idleMs: 3_600_000,
      claim: async () => {
        if (running.size >= slots) return undefined;
        counts.claims += 1;
        return Promise.resolve(waiting.shift());
      },
      perform: async (name) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        running.set(name, resolve);
        await promise;
        running.delete(name);
        return running.size + 1 === slots;
      },
    },
    stop.signal,
  );
  return {
    running,
    counts,
    listeners,
    stop: () => stop.abort(),
    done,
    push: async (...names: readonly string[]) => {
      waiting.push(...names);
      for (const listener of listeners) listener({ about: "work" });
      await tick();
    },
    end: async (name: string) => {
      running.get(name)?.();
      await tick();
    },
  };
}

test("a notice costs one claim, however many slots are free", async () => {
  const { push, counts, stop, done } = startPolling(12);
  await tick();
  assert.equal(counts.claims, 1);
  await push();
  assert.equal(counts.claims, 2);
  stop();
  await done;
});

test("all that waits is claimed while slots are free, and the rest when a slot is free again", async () => {
  const { push, end, running, stop, done } = startPolling(2);
  await push("a", "b", "c");
  assert.deepEqual([...running.keys()], ["a", "b"]);
  await end("a");
  assert.deepEqual([...running.keys()], ["b", "c"]);
  await end("b");
  await end("c");
  stop();
  await done;
});

test("nothing is claimed when a slot is freed that nothing can have waited for", async () => {
  const { push, end, counts, stop, done } = startPolling(2);
  await push("a");
  const { claims } = counts;
  await end("a");
  assert.equal(counts.claims, claims);
  stop();
  await done;
});

test("after the abort nothing is claimed, and what runs is awaited", async () => {
  const { push, end, running, counts, listeners, stop, done } = startPolling(2);
  await push("a");
  const { claims } = counts;
  stop();
  await push("b");
  assert.equal(counts.claims, claims);
  assert.equal(listeners.size, 0);
  assert.equal(await Promise.race([done, tick("still running")]), "still running");
  await end("a");
  await done;
  assert.equal(running.size, 0);
});
