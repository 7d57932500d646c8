import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LockTimeout, withFileLock } from "./file-lock.ts";

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "file-lock-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Runs `code` in a process of its own, with `withFileLock` at hand and the lock's path in `path`. */
function inProcess(code: string, path: string, dieAt = 0) {
  const program = `import { withFileLock } from ${JSON.stringify(import.meta.resolve("./file-lock.ts"))};
    import { startOf } from ${JSON.stringify(import.meta.resolve("../../lib/process-identity.ts"))};
    import * as fs from "node:fs"; const [, path, dieAt] = process.argv; ${code}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", program, path, String(dieAt)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

const HOLD = `await withFileLock(path, { waitMs: 0 }, async () => {
  process.stdout.write("held"); await new Promise((r) => process.stdin.once("end", r).resume()); });`;

test("the lock is free again after the work, whether it succeeds or throws", async () => {
  await using dir = await folder();
  const path = join(dir.path, "lock");

  const answer = await withFileLock(path, { waitMs: 0 }, async () => 42);
  const failing = withFileLock(path, { waitMs: 0 }, async () => {
    throw new Error("failed");
  });

  assert.equal(answer, 42);
  await assert.rejects(failing, { message: "failed" });
  assert.deepEqual(await readdir(dir.path), ["lock"]);
  assert.equal((await stat(path)).size, 0);
});

test("a second holder waits until the first is done, also in the same process", async () => {
  await using dir = await folder();
  const path = join(dir.path, "lock");
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const isIn = Promise.withResolvers<void>();

  const one = withFileLock(path, { waitMs: 0 }, async () => {
    isIn.resolve();
    await first.promise;
    order.push("first");
  });
  await isIn.promise;
  const two = withFileLock(path, { waitMs: 10_000 }, async () => order.push("second"));
  first.resolve();
  await Promise.all([one, two]);

  assert.deepEqual(order, ["first", "second"]);
});

test("a lock held by another process for too long is refused", async () => {
  await using dir = await folder();
  const path = join(dir.path, "lock");
  using holder = inProcess(HOLD, path);
  await once(holder.stdout, "data");

  const attempt = withFileLock(path, { waitMs: 60 }, async () => undefined);

  await assert.rejects(attempt, LockTimeout);
  holder.stdin.end();
  await once(holder, "exit");
  assert.equal(await withFileLock(path, { waitMs: 0 }, async () => "free"), "free");
});

test("waiting stops when the signal aborts", async () => {
  await using dir = await folder();
  const path = join(dir.path, "lock");
  const controller = new AbortController();

  await withFileLock(path, { waitMs: 0 }, async () => {
    const attempt = withFileLock(path, { waitMs: 60_000, signal: controller.signal }, async () => undefined);
    controller.abort();
    await assert.rejects(attempt, { name: "AbortError" });
  });
});

test("the lock of a process that was killed is free at once, and nothing is left of it", async () => {
  await using dir = await folder();
  const path = join(dir.path, "lock");
  for (let deaths = 0; deaths < 2; deaths += 1) {
    using holder = inProcess(HOLD, path);
    await once(holder.stdout, "data");
    holder.kill("SIGKILL");
    await once(holder, "exit");
  }

  const answer = await withFileLock(path, { waitMs: 0 }, async () => "mine");

  assert.equal(answer, "mine");
  assert.deepEqual(await readdir(dir.path), ["lock"]);
});

test("of processes that contend and are killed while they hold the lock, never two hold it", async () => {
  await using dir = await folder();
  const path = join(dir.path, "lock");
  // While it holds the lock, each writes its pid and checks for the pid of another that is alive. Most are killed
  // there. A killed process loses its locks shortly before it is gone: flag 4 in its line says that it has ended.
  const contend = `
    const hasEnded = (pid) => {
      try {
        const line = fs.readFileSync("/proc/" + pid + "/stat", "utf8");
        return (Number(line.slice(line.lastIndexOf(")") + 2).split(" ")[6]) & 4) !== 0;
      } catch {
        return false;
      }
    };
    const inside = path + "-inside";
    for (let turn = 1; turn <= 6; turn++) {
      await withFileLock(path, { waitMs: 60_000 }, async () => {
        const other = fs.existsSync(inside) ? Number(fs.readFileSync(inside, "utf8")) : 0;
        const isHeld = other !== 0 && !hasEnded(other) && (await startOf(other)) !== null;
        if (isHeld) fs.writeFileSync(path + "-violation", String(other));
        fs.writeFileSync(inside, String(process.pid));
        await new Promise((r) => setImmediate(r));
        if (turn === Number(dieAt)) process.kill(process.pid, "SIGKILL");
        fs.writeFileSync(inside, "0");
        fs.appendFileSync(path + "-turns", ".");
      });
    }`;

  const contenders = [0, 2, 3, 3, 5, 0].map((dieAt) => inProcess(contend, path, dieAt));
  await Promise.all(contenders.map((child) => once(child, "exit")));

  const ends = contenders.map((child) => child.signalCode ?? child.exitCode);
  assert.deepEqual(ends, [0, "SIGKILL", "SIGKILL", "SIGKILL", "SIGKILL", 0]);
  assert.equal(await readFile(`${path}-turns`, "utf8"), ".".repeat(6 + 1 + 2 + 2 + 4 + 6));
  assert.equal((await readdir(dir.path)).includes("lock-violation"), false);
});
