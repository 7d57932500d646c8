import assert from "node:assert/strict";
import { test } from "node:test";
import { openRequestThread } from "./request-thread.ts";

const program = (answer: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort } from "node:worker_threads"; parentPort.on("message", (request) => { ${answer} });`,
    )}`,
  );
const LIMIT = { cpu: { mostMs: 200, failure: () => new Error("it computed for too long") } };

for (const [what, statement] of Object.entries({
  "a loop": "for (;;);",
  "a regular expression": '/^(?:a+)+$/.test("a".repeat(100) + "b");',
}))
  test(`a thread that never leaves ${what} is ended when its processor time is over`, async () => {
    await using thread = openRequestThread(program(statement), null, LIMIT);

    await assert.rejects(thread.ask(null), { message: "it computed for too long" });
    await assert.rejects(thread.ask(null), { message: "it computed for too long" });
  });

test("a thread that waits uses no processor time", async () => {
  const waits = "setTimeout(() => parentPort.postMessage(request), 600);";
  await using thread = openRequestThread<number, number>(program(waits), null, LIMIT);

  assert.equal(await thread.ask(7), 7);
});

test("a thread that is kept from the processor uses no processor time", async () => {
  // A blocked thread is not idle for its event loop, as a thread of an overloaded machine is.
  const blocks =
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600); parentPort.postMessage(request);";
  await using thread = openRequestThread<number, number>(program(blocks), null, LIMIT);

  assert.equal(await thread.ask(7), 7);
});

test("an abort ends the thread with its reason", async () => {
  const abort = new AbortController();
  await using thread = openRequestThread(program("for (;;);"), null, { signal: abort.signal });
  const answer = thread.ask(null);

  abort.abort(new Error("no longer wanted"));

  await assert.rejects(answer, { message: "no longer wanted" });
});
