/** How an alert is shown on the command line, from its beginning to its end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert } from "../contract/alerts.ts";
import { alertLines } from "./alert-lines.ts";

const ALERT: Alert = {
  id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea600",
  code: "source_stale",
  severity: "failing",
  subject: null,
  message: "It is old.",
  meanwhile: "Old items.",
  advice: "Sync it.",
  action: null,
  since: "2026-11-16T03:12:00.000Z",
  last_seen_at: "2026-11-16T04:00:00.000Z",
  cleared_at: null,
  resolved_at: null,
  times: 0,
  notified_at: null,
};

test("a problem that lasts has its severity and what to do", () => {
  const [title, , ...more] = alertLines(ALERT);

  assert.equal(title, "failing: It is old. [source_stale]");
  assert.deepEqual(more, ["  destinations get: Old items.", "  what to do: Sync it.", ""]);
});

test("a problem that seems to be over is not called failing, and there is nothing to do", () => {
  const [title, when, ...more] = alertLines({ ...ALERT, cleared_at: "2026-11-16T04:01:00.000Z" });

  assert.equal(title, "seems to be over: It is old. [source_stale]");
  assert.match(
    when ?? "",
    /^ {2}from 2026-11-16T03:12:00\.000Z to 2026-11-16T04:01:00\.000Z \(.+\); it is resolved if it does not return$/,
  );
  assert.deepEqual(more, [""]);
});

test("a resolved problem has its beginning and its end", () => {
  const end = "2026-11-16T04:01:00.000Z";
  const lines = alertLines({ ...ALERT, cleared_at: end, resolved_at: end });

  assert.deepEqual(lines, [
    "resolved: It is old. [source_stale]",
    "  from 2026-11-16T03:12:00.000Z to 2026-11-16T04:01:00.000Z",
    "",
  ]);
});
