/** The types of fields that the contract names: identifiers, times, and objects with exact keys. */
import assert from "node:assert/strict";
import type { LastRender, Run, Stats } from "./api.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export function assertUuid(value: unknown, what: string): void {
  assert.match(String(value), UUID, `${what} is a uuid`);
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, and a date that exists. */
export function assertTime(value: unknown, what: string): void {
  assert.match(String(value), TIME, `${what} is a UTC time with milliseconds`);
  assert.equal(new Date(String(value)).toISOString(), value, `${what} is a date that exists`);
}

export function assertKeys(value: object, keys: readonly string[], what: string): void {
  assert.deepEqual(Object.keys(value).sort(), [...keys].sort(), `the fields of ${what}`);
}

const COUNTS = ["seen", "upserted", "rejected", "warnings"] as const;

/** A run that failed has stored nothing, so that its counts need not add up. */
export function assertStats(stats: Stats, what: string, hasSucceeded = true): void {
  for (const name of COUNTS) {
    assert.ok(Number.isInteger(stats[name]) && stats[name] >= 0, `${what} has the count ${name}`);
  }
  assert.ok(Array.isArray(stats.rejections), `${what} has a list of rejections`);
  assert.ok(stats.rejections.length <= stats.rejected, `${what} lists no more rejections than it counts`);
  if (hasSucceeded && stats.unchanged !== undefined) {
    const sum = stats.upserted + stats.unchanged + stats.rejected;
    assert.equal(stats.seen, sum, `${what}: seen = upserted + unchanged + rejected`);
  }
}

const RUN_FIELDS = ["run_id", "source_id", "status", "stats", "started_at", "finished_at"];

export function assertRun(run: Run): void {
  assertKeys(run, RUN_FIELDS, "a sync run");
  assertUuid(run.run_id, "run_id");
  if (run.source_id !== null) assertUuid(run.source_id, "source_id");
  assert.ok(["running", "succeeded", "failed"].includes(run.status), `the status ${run.status}`);
  assertStats(run.stats, "a sync run", run.status === "succeeded");
  assertTime(run.started_at, "started_at");
  if (run.status === "running") assert.equal(run.finished_at, null, "finished_at of a running run");
  else assertTime(run.finished_at, "finished_at");
}

export function assertLastRender(render: LastRender | null): asserts render {
  assert.ok(render, "there is a last render");
  assertKeys(render, ["run_id", "status", "stats", "started_at", "finished_at"], "last_render");
  assertUuid(render.run_id, "last_render.run_id");
  assert.equal(render.status, "succeeded");
  assert.ok(Number.isInteger(render.stats.items), "last_render.stats.items is an integer");
  assertTime(render.started_at, "last_render.started_at");
  assertTime(render.finished_at, "last_render.finished_at");
  assert.ok(render.started_at <= render.finished_at, "a render starts before it finishes");
}
