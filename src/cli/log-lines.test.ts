import assert from "node:assert/strict";
import { test } from "node:test";
import { readableLine } from "./log-lines.ts";

test("a log line is formatted for people", () => {
  const line = {
    level: 30,
    time: Date.parse("2026-11-15T06:00:01.500Z"),
    process: "shelfwire-worker",
    run_id: "01a1",
    duration_ms: 82,
    stats: { seen: 52, rejected: 4 },
    msg: "sync succeeded",
  };

  assert.equal(
    readableLine(`${JSON.stringify(line)}\n`),
    "06:00:01  sync succeeded  seen 52, rejected 4  duration_ms=82 run_id=01a1\n",
  );
});

test("a warning is marked, and an error has its stack", () => {
  const at = { time: 0, msg: "something broke" };

  assert.match(
    readableLine(JSON.stringify({ level: 40, ...at })),
    /^00:00:00 {2}warning: something broke\n$/,
  );
  assert.match(
    readableLine(JSON.stringify({ level: 50, ...at, err: { stack: "Error: x\n at y" } })),
    /error: something broke\nError: x\n at y\n$/,
  );
});

test("other lines are passed on unchanged", () => {
  assert.equal(readableLine("(node:1) Warning: odd\n"), "(node:1) Warning: odd\n");
});
