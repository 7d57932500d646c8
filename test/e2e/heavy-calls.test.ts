/**
 * The process that answers heavy calls: started by the first one, started again when it dies, and stopped with the
 * server.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { until } from "../actions.ts";
import { ownDatabase } from "./own-database.ts";
import { childrenOf, data, groupExists, startService } from "./program.ts";
import type { Service } from "./program.ts";

const heavyChild = async ({ pid }: Service) =>
  (await childrenOf(pid)).find(({ line }) => line.includes("heavy-calls"));
const heavyPid = async (service: Service) => (await heavyChild(service))?.pid;
const heavyLine = async (service: Service) => (await heavyChild(service))?.line ?? "";

async function start(parts: AsyncDisposableStack) {
  const { env } = parts.use(await ownDatabase());
  const service = parts.use(await startService(env, "--no-demo"));
  await data(env, ..."catalog create --slug shop --name Shop --currency USD".split(" "));
  const line = "key create --catalog shop --name test --scopes read,write".split(" ");
  const { key } = await data<{ key: string }>(env, ...line);
  const call = async (path: string) =>
    fetch(`${service.url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const status = async (path: string) => {
    const answer = await call(path);
    await answer.arrayBuffer();
    return answer.status;
  };
  const running = async () => until(async () => heavyPid(service), "the process for heavy calls");
  return { service, call, status, running };
}

test("the first heavy call starts the process, at a lower priority; light calls do not", async () => {
  await using parts = new AsyncDisposableStack();
  const { service, status, running } = await start(parts);

  assert.equal(await status("feeds"), 200);
  assert.equal(await heavyPid(service), undefined);
  assert.deepEqual(await Promise.all([status("items"), status("items?q=mug")]), [200, 200]);

  const pid = await running();
  assert.ok(getPriority(pid) > getPriority(service.pid));
  assert.equal(await status("items"), 200);
  assert.equal(await running(), pid);
});

test("while the process hangs, other calls are answered; if it dies, its calls get 503 and the next one a new process", async () => {
  await using parts = new AsyncDisposableStack();
  const { service, call, status, running } = await start(parts);
  assert.equal(await status("items"), 200);
  const first = await running();

  process.kill(first, "SIGSTOP");
  const hanging = call("items");
  for (const path of ["feeds", "syncs", "webhooks"]) assert.equal(await status(path), 200);
  process.kill(first, "SIGKILL");
  const answer = await hanging;
  const problem = (await answer.json()) as { code: string; detail: string };

  assert.equal(answer.status, 503);
  assert.equal(problem.code, "worker_unavailable");
  assert.equal(answer.headers.get("retry-after"), "2");
  await until(async () => (await status("items")) === 200, "the next call to be answered");
  assert.notEqual(await running(), first);
  assert.match(service.said.talk, /the process for heavy calls died/);
});

test("the process ends with its server and leaves no file, whether that is stopped or killed", async () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await using parts = new AsyncDisposableStack();
    const { service, status } = await start(parts);
    assert.equal(await status("items"), 200);

    const folder = /(\S+)\/heavy\.sock/.exec(await heavyLine(service))?.[1] ?? "";
    assert.ok(existsSync(folder));

    process.kill(service.pid, signal);
    const ended = await service.ended;

    assert.equal(ended, signal === "SIGTERM" ? 0 : "SIGKILL");
    await until(async () => !groupExists(service.pid), `all processes to end after ${signal}`);
    assert.equal(existsSync(folder), false, "the folder of the socket is left");
  }
});
