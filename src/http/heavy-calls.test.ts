import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { AppError } from "../errors.ts";
import { HEAVY_LIMITS, HeavyQueue } from "./heavy-calls.ts";
import type { HeavyLimits, ReleaseSlot } from "./heavy-calls.ts";

const LIMITS: HeavyLimits = { key: 4, catalog: 8, total: 12, queue: 6 };

/** Makes calls by name, and notes the order in which they begin. */
function callers(limits: HeavyLimits = LIMITS) {
  const queue = new HeavyQueue(limits);
  const began: string[] = [];
  const releases = new Map<string, ReleaseSlot>();
  const make = (
    name: string,
    at: { catalog?: string; key?: string; cost?: number; signal?: AbortSignal },
  ) => {
    const {
      catalog: catalogId = "c",
      key: keyId = "k",
      cost = 4,
      signal = new AbortController().signal,
    } = at;
    const enter = async (): Promise<void> => {
      const release = await queue.enter({ catalogId, keyId, cost }, signal);
      began.push(name);
      releases.set(name, release);
    };
    const entered = enter();
    entered.catch(() => undefined);
    return entered;
  };
  const end = async (name: string) => {
    releases.get(name)?.();
    await tick();
  };
  return { make, end, began };
}

const isRateLimited = (error: unknown): boolean =>
  error instanceof AppError && error.code === "rate_limited" && error.retryAfterS === 5;

test("calls of a key beyond its budget wait, and begin in order", async () => {
  const { make, end, began } = callers();
  for (const name of ["first", "second", "third"]) void make(name, { cost: 2 });
  await tick();
  assert.deepEqual(began, ["first", "second"]);

  await end("second");
  // Ending a call twice ends no other.
  await end("second");

  assert.deepEqual(began, ["first", "second", "third"]);
});

test("a call beyond the queue of its key is refused; other keys of the catalog are not", async () => {
  const { make, began } = callers();
  void make("running", {});
  void make("waiting", {});
  await assert.rejects(make("refused", {}), isRateLimited);
  // It fits into the queue.
  void make("small", { cost: 2 });

  await make("of another key", { key: "other" });

  assert.deepEqual(began, ["running", "of another key"]);
});

test("all keys of a catalog share its budget, by turns", async () => {
  const { make, end, began } = callers();
  for (const [name, key] of [
    ["a1", "a"],
    ["b1", "b"],
    ["a2", "a"],
    ["c1", "c"],
  ] as const)
    void make(name, { key });
  await tick();
  assert.deepEqual(began, ["a1", "b1"]);

  await end("a1");
  await end("b1");

  assert.deepEqual(began, ["a1", "b1", "a2", "c1"]);
});

test("when all are busy, catalogs take turns, however many calls one of them has", async () => {
  const { make, end, began } = callers({ key: 4, catalog: 4, total: 4, queue: 100 });
  for (let i = 1; i <= 10; i += 1) void make(`many${i}`, { catalog: "many" });
  await tick();
  void make("few1", { catalog: "few", key: "f" });
  void make("few2", { catalog: "few", key: "f" });

  for (const name of ["many1", "many2", "few1", "many3"]) await end(name);

  assert.deepEqual(began, ["many1", "many2", "few1", "many3", "few2"]);
});

test("a large call at its turn is not overtaken by small ones of others", async () => {
  const { make, end, began } = callers({ key: 4, catalog: 4, total: 5, queue: 100 });
  void make("small1", { catalog: "a", key: "a", cost: 2 });
  void make("large", { catalog: "b", key: "b" });
  void make("small2", { catalog: "c", key: "c", cost: 2 });
  await tick();
  assert.deepEqual(began, ["small1"]);

  await end("small1");
  await end("large");

  assert.deepEqual(began, ["small1", "large", "small2"]);
});

test("the budget of a key counts its calls in all catalogs", async () => {
  const { make, end, began } = callers();
  void make("one", { catalog: "a" });
  void make("two", { catalog: "b" });
  await tick();
  assert.deepEqual(began, ["one"]);

  await end("one");

  assert.deepEqual(began, ["one", "two"]);
});

test("a caller that disconnects leaves the queue, and its place is free", async () => {
  const { make, end, began } = callers();
  void make("running", {});
  const gone = new AbortController();
  const left = make("left", { signal: gone.signal });
  await assert.rejects(make("refused", {}), isRateLimited);

  gone.abort(new AppError("stopping", "The caller disconnected."));
  await assert.rejects(left, { code: "stopping" });
  void make("next", {});
  await end("running");

  assert.deepEqual(began, ["running", "next"]);
});

test("the page on limits has the numbers of the budget", async () => {
  const page = await readFile(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const { key, catalog, total, queue } = HEAVY_LIMITS;
  assert.match(page, new RegExp(`a cost of ${key} per key and ${catalog} per catalog`));
  assert.match(
    page,
    new RegExp(`a cost of ${key} running, [^.]* ${catalog}, and all catalogs together ${total},`),
  );
  assert.match(page, new RegExp(`Beyond a cost of ${queue},`));
});
