import assert from "node:assert/strict";
import { test } from "node:test";
import { startHeartbeat } from "./lease.ts";

test("while a beat waits for the database no other begins, and a failed one does not stop them", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const beats: PromiseWithResolvers<boolean>[] = [];
  const failures: unknown[] = [];
  const stop = startHeartbeat({
    everyMs: 100,
    extend: () => {
      const beat = Promise.withResolvers<boolean>();
      beats.push(beat);
      return beat.promise;
    },
    onLost: () => assert.fail("the lease is not lost"),
    onError: (error) => void failures.push(error),
  });

  t.mock.timers.tick(500);
  assert.equal(beats.length, 1);

  const down = new Error("the database is down");
  beats[0]?.reject(down);
  await new Promise(setImmediate);
  t.mock.timers.tick(100);
  assert.deepEqual(failures, [down]);
  assert.equal(beats.length, 2);

  beats[1]?.resolve(true);
  await new Promise(setImmediate);
  t.mock.timers.tick(300);
  assert.equal(beats.length, 3);

  stop();
  beats[2]?.resolve(true);
  await new Promise(setImmediate);
  t.mock.timers.tick(300);
  assert.equal(beats.length, 3);
});
