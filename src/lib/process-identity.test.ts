import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { test } from "node:test";
import { commandLineOf, compare, isProcessIdentity, ownIdentity, startOf } from "./process-identity.ts";

test("a process has the same start mark while it runs, and none after it has ended", async () => {
  using child = spawn(process.execPath, ["--eval", "process.stdin.resume()", "a mark"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const pid = child.pid ?? 0;
  await once(child, "spawn");

  const first = await startOf(pid);
  const second = await startOf(pid);
  const commandLine = await commandLineOf(pid);
  child.stdin.end();
  await once(child, "exit");

  assert.notEqual(first, null);
  assert.equal(second, first);
  assert.match(commandLine ?? "", /a mark$/);
  assert.equal(await startOf(pid), null);
  assert.equal(await commandLineOf(pid), null);
});

test("a process that ended but was not yet collected by its parent is gone", { skip: noProc() }, async () => {
  // The shell starts a child that ends with our pipe, then becomes a program that never collects children.
  const script =
    '(read line <&3) & echo $!; exec "$0" --eval "console.log(process.pid); process.stdin.resume()"';
  using parent = spawn("/bin/sh", ["-c", script, process.execPath], {
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  assert.ok(parent.stdout !== null);
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
  const child = Number((await lines.next()).value);
  await lines.next();
  const whileAlive = await startOf(child);
  const pipe = parent.stdio[3];
  assert.ok(pipe instanceof Writable);
  pipe.end();
  // The system's word that it is a zombie comes with the child's end.
  let state = "";
  while (!state.includes(") Z ")) state = await readFile(`/proc/${child}/stat`, "utf8");

  const start = await startOf(child);

  assert.notEqual(whileAlive, null);
  assert.equal(start, null);
});

test("our own identity is complete and recognized", async () => {
  const identity = await ownIdentity();

  assert.equal(identity.pid, process.pid);
  assert.ok(isProcessIdentity(JSON.parse(JSON.stringify(identity))));
  assert.equal(isProcessIdentity({ pid: 1 }), false);
  assert.equal(isProcessIdentity(null), false);
});

test("pids mean something in the same boot and namespace only, and nothing outlives a reboot", () => {
  const own = { host: "shop", boot: "b1", pidNamespace: "pid:[1]" };

  assert.equal(compare({ ...own, host: "renamed" }, own), "here");
  assert.equal(compare({ ...own, boot: "b0" }, own), "ended");
  assert.equal(compare({ ...own, boot: "b0", host: "other" }, own), "elsewhere");
  assert.equal(compare({ ...own, pidNamespace: "pid:[2]" }, own), "elsewhere");
});

function noProc(): string | false {
  return process.platform === "linux" ? false : "there is no /proc to see a zombie in";
}
