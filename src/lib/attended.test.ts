import assert from "node:assert/strict";
import { test } from "node:test";
import { attended } from "./attended.ts";

const silent = new Error("nothing came");
const patient = (signal = new AbortController().signal) => ({
  signal,
  idleMs: 60_000,
  onSilence: () => silent,
});

async function* numbers(count: number): AsyncGenerator<number, void, void> {
  for (let i = 0; i < count; i += 1) yield i;
}

/** Gives one value and then waits for ever. */
async function* stuck(): AsyncGenerator<number, void, void> {
  yield 0;
  await new Promise<never>(() => undefined);
}

test("what comes is passed on, in order, to its end", async () => {
  assert.deepEqual(await Array.fromAsync(attended(numbers(5), patient())), [0, 1, 2, 3, 4]);
});

test("a stream that falls silent is given up with the reason", async () => {
  const seen: number[] = [];

  await assert.rejects(
    async () => {
      for await (const value of attended(stuck(), { ...patient(), idleMs: 20 })) seen.push(value);
    },
    (error) => error === silent,
  );
  assert.deepEqual(seen, [0]);
});

test("an abort ends the wait at once, also before it begins", async () => {
  const stop = new AbortController();
  const reading = Array.fromAsync(attended(stuck(), patient(stop.signal)));
  stop.abort(silent);

  await assert.rejects(reading, (error) => error === silent);
  await assert.rejects(
    Array.fromAsync(attended(numbers(1), patient(stop.signal))),
    (error) => error === silent,
  );
});

test("a failure of the stream is passed on, and a reader who stops early stops the stream", async () => {
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

  await assert.rejects(Array.fromAsync(attended(breaking(), patient())), (error) => error === broken);
  for await (const value of attended(watched(), patient())) if (value === 2) break;
  await closed.promise;
});
