import assert from "node:assert/strict";
import { test } from "node:test";
import { restartWithOptions, SERVER_OPTIONS } from "./memory-options.ts";

type Replaced = { readonly file: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv };

function replacements(changes: Partial<Parameters<typeof restartWithOptions>[1]> = {}): readonly Replaced[] {
  const replaced: Replaced[] = [];
  restartWithOptions(SERVER_OPTIONS, {
    execPath: "/node",
    execArgv: ["--enable-source-maps"],
    argv: ["/node", "/main.ts", "serve", "--no-demo"],
    env: { PORT: "81", MALLOC_ARENA_MAX: "8" },
    connected: false,
    execve: (file, args = [], env = {}) => void replaced.push({ file, args, env }) as never,
    ...changes,
  });
  return replaced;
}

test("a process is replaced by one with the options, and keeps its arguments and what its user has set", () => {
  const [{ file, args, env } = assert.fail(), ...others] = replacements();

  assert.deepEqual(others, []);
  assert.equal(file, "/node");
  assert.deepEqual(args, [
    "/node",
    ...SERVER_OPTIONS,
    "--enable-source-maps",
    "/main.ts",
    "serve",
    "--no-demo",
  ]);
  assert.equal(env["PORT"], "81");
  assert.equal(env["MALLOC_ARENA_MAX"], "8");
  assert.ok(env["MALLOC_MMAP_THRESHOLD_"]);
});

test("a process is not replaced if it has the options, has a channel to its parent, or cannot be", () => {
  assert.deepEqual(replacements({ execArgv: [...SERVER_OPTIONS] }), []);
  assert.deepEqual(replacements({ connected: true }), []);
  assert.deepEqual(replacements({ execve: undefined as never }), []);
});

test("options that NODE_OPTIONS has stay as they are, because arguments would win over them", () => {
  for (const nodeOptions of ["--max-semi-space-size=64", "--no-warnings --max_semi_space_size=64"])
    assert.deepEqual(replacements({ env: { NODE_OPTIONS: nodeOptions } }), []);
  assert.equal(replacements({ env: { NODE_OPTIONS: "--max-old-space-size=512" } }).length, 1);
});
