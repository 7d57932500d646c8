/**
 * The formatter keeps code within its line width, but leaves comments alone. This test limits the lines of comments in
 * all tracked source files. Lines with a URL may be longer, because a URL cannot be wrapped.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const MAX_LENGTH = 120;

/** The comments of these files are not wrapped yet. */
const NOT_WRAPPED =
  /^src\/(?:(?:enrich|pipeline\/enrich|pipeline\/render)\/|audit\/(?:audit|catalog-tables|counters|key-tables|kept-items|rule-reports|kept-groups\.long\.test)\.ts$)/;

const COMMENT = /^\s*(?:\/\/|\/?\*)/;

test("no line of a comment is longer than 120 characters", () => {
  const files = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs"], { encoding: "utf8" });
  const long = files
    .split("\n")
    .filter((path) => path !== "" && !NOT_WRAPPED.test(path))
    .flatMap((path) =>
      readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line, at) => (isTooLong(line) ? [`${path}:${at + 1}`] : [])),
    );

  assert.deepEqual(long, []);
});

function isTooLong(line: string): boolean {
  return line.length > MAX_LENGTH && COMMENT.test(line) && !line.includes("://");
}
