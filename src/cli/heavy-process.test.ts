import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "../../test/installation.ts";
import { AppError } from "../errors.ts";
import { startOnHeavyCall } from "./heavy-process.ts";

test("a process that cannot be started fails its call with a sentence, and each later call tries again", async (t) => {
  const { execPath } = process;
  t.after(() => {
    process.execPath = execPath;
  });
  process.execPath = `${execPath}-that-does-not-exist`;
  const heavy = startOnHeavyCall(memoryLog());

  for (const attempt of [1, 2])
    await assert.rejects(heavy.enter(), (error) => {
      assert.ok(error instanceof AppError, `attempt ${attempt}: ${String(error)}`);
      return error.code === "worker_unavailable";
    });
  await heavy.stop();
});
