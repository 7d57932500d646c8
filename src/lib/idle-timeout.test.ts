import assert from "node:assert/strict";
import { test } from "node:test";
import { withIdleTimeout } from "./idle-timeout.ts";

const silent = new Error("nothing came");
const longTimeout = (signal = new AbortController().signal) => ({
  signal,
  idleMs: 60_000,
  onTimeout: () => silent,
});

async function* numbers(count: number): AsyncGenerator<number, void, void> {
  for (let i = 0; i < count; i += 1) yield i;
}

/** Gives one value and then waits forever. */
async function* stuck(): AsyncGenerator<number, void, void> {
  yield 0;
  await new Promise<never>(() => undefined);
}

test("values are passed on in order", async () => {
  assert.deepEqual(await Array.fromAsync(withIdleTimeout(numbers(5), longTimeout())), [0, 1, 2, 3, 4]);
});

test("a stream that sends nothing for too long fails with the given error", async () => {
  const seen: number[] = [];

  await assert.rejects(
    async () => {
      for await (const value of withIdleTimeout(stuck(), { ...longTimeout(), idleMs: 20 })) seen.push(value);
    },
    (error) => error === silent,
  );
  assert.deepEqual(seen, [0]);
});

test("an abort ends the wait at once, also before the first value", async () => {
  const stop = new AbortController();
  const reading = Array.fromAsync(withIdleTimeout(stuck(), longTimeout(stop.signal)));
  stop.abort(silent);

  await assert.rejects(reading, (error) => error === silent);
  await assert.rejects(
    Array.fromAsync(withIdleTimeout(numbers(1), longTimeout(stop.signal))),
    (error) => error === silent,
  );
});

test("an error of the stream is passed on, and a reader that stops early ends the stream", async () => {
  const broken = new Error("broken");
  async function* breaking(): AsyncGenerator<number, void, void> {
    yield 1;
    throw broken;
  }
  const closed = Promise.withResolvers<void>();
  async function* watched(): AsyncGenerator<number, void, void> {
    try {
      yield* numbers(10);
    } finally {
      closed.resolve();
    }
  }

  await assert.rejects(
    Array.fromAsync(withIdleTimeout(breaking(), longTimeout())),
    (error) => error === broken,
  );
  for await (const value of withIdleTimeout(watched(), longTimeout())) if (value === 2) break;
  await closed.promise;
});
