import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

test("every test file belongs to a suite, so that none is forgotten", () => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const globs = [
    ...textOf("test/runner/run.ts").matchAll(/largestFirst\("([^"]+)"\)/g),
    ...Object.values(scripts).flatMap((script) => [...script.matchAll(/"(test\/[^"]+\.test\.ts)"/g)]),
  ].map(([, glob = ""]) => glob);
  const options = { cwd: ROOT, exclude: ["**/node_modules/**", "**/dist/**"] };
  const covered = new Set(globSync(globs, options));

  const all = globSync("{src,test,receiver,bench,console,tools}/**/*.test.ts", options);

  assert.ok(all.length > 300, "the files were found");
  assert.deepEqual(
    all.filter((file) => !covered.has(file)),
    [],
  );
});
