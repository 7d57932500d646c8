import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { batched } from "./batched.ts";

test("every result was loaded after it was asked for, and only one load runs at a time", async () => {
  const step = fc.record({ key: fc.constantFrom("a", "b", "c"), turns: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(4), async (steps, loadTurns) => {
      let now = 0;
      let running = 0;
      const ask = batched(
        async (keys) => {
          running += 1;
          assert.equal(running, 1);
          const beganAt = (now += 1);
          for (let i = 0; i < loadTurns; i += 1) await nextTurn();
          running -= 1;
          return { keys, beganAt };
        },
        { stuckMs: 60_000 },
      );
      const asked: Promise<void>[] = [];
      for (const { key, turns } of steps) {
        const askedAt = (now += 1);
        const checked = async () => {
          const { keys, beganAt } = await ask(key);
          assert.ok(beganAt > askedAt);
          assert.ok(keys.includes(key));
        };
        asked.push(checked());
        for (let i = 0; i < turns; i += 1) await nextTurn();
      }
      await Promise.all(asked);
    }),
  );
});

test("callers of one moment share a load, each key once; those that come while it runs share the next", async () => {
  const loads: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const ask = batched(
    async (keys) => {
      loads.push(keys);
      if (loads.length === 1) await first.promise;
    },
    { stuckMs: 60_000 },
  );

  const early = ["a", "b", "a"].map(ask);
  await nextTurn();
  const late = ["c", "d", "c"].map(ask);
  await nextTurn();
  first.resolve();
  await Promise.all([...early, ...late]);

  assert.deepEqual(loads, [
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("a failure is that of all its callers, and the next load is made", async () => {
  let loads = 0;
  const ask = batched(
    async () => {
      loads += 1;
      if (loads === 1) throw new Error("broken");
      return loads;
    },
    { stuckMs: 60_000 },
  );

  const results = await Promise.allSettled([ask("a"), ask("b")]);

  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(await ask("a"), 2);
});

test("a load that is stuck does not block the next one", async () => {
  let loads = 0;
  const stuck = Promise.withResolvers<number>();
  const ask = batched(async () => ((loads += 1) === 1 ? stuck.promise : loads), { stuckMs: 5 });

  const first = ask("a");
  await nextTurn();

  assert.equal(await ask("a"), 2);
  stuck.resolve(1);
  assert.equal(await first, 1);
  await delay(10);
  assert.equal(await ask("a"), 3);
});
