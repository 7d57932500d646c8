import assert from "node:assert/strict";
import { test } from "node:test";
import { readableLine } from "./log-lines.ts";

const AT = { time: "2026-11-15T06:00:01.500Z" };

test("a log line for people has time, level, message and some fields", () => {
  const line = {
    level: "info",
    ...AT,
    process: "shelfwire-worker",
    run_id: "01a1",
    duration_ms: 82,
    stats: { seen: 52, rejected: 4 },
    msg: "sync succeeded",
  };

  assert.equal(
    readableLine(`${JSON.stringify(line)}\n`),
    "06:00:01Z info  sync succeeded  seen 52, rejected 4  duration_ms=82 run_id=01a1\n",
  );
});

test("an error has its stack", () => {
  const line = { level: "error", ...AT, msg: "something broke", err: { stack: "Error: x\n at y" } };

  assert.equal(readableLine(JSON.stringify(line)), "06:00:01Z error something broke\nError: x\n at y\n");
});

test("successful requests are left out for people, unless the level is debug", () => {
  const request = {
    level: "info",
    ...AT,
    msg: "request",
    method: "GET",
    route: "/api/v1/feeds",
    status: 200,
  };

  assert.equal(readableLine(JSON.stringify(request)), "");
  assert.match(
    readableLine(JSON.stringify({ ...request, status: 404 })),
    /request {2}method=GET .*status=404/,
  );
  assert.match(readableLine(JSON.stringify(request), "debug"), /status=200/);
});

test("other lines are passed on unchanged", () => {
  assert.equal(readableLine("(node:1) Warning: odd\n"), "(node:1) Warning: odd\n");
});
