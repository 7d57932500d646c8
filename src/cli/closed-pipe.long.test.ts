/** Output into a pipe whose reader stops early, in a real shell with real processes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "shelfwire-pipe-"));
after(() => rmSync(folder, { recursive: true }));

/**
 * Runs a command whose standard output is read by `head` for one byte; answers its status and what it complained of.
 */
function intoHead(line: readonly string[]): { readonly status: string; readonly talk: string } {
  const script = '{ "$@"; echo "status $?" >&2; } | head -c 1 >/dev/null';
  const { stderr } = spawnSync("sh", ["-c", script, "sh", process.execPath, MAIN, ...line], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const [, talk = "", status = ""] = /^(.*)status (\d+)\n$/s.exec(stderr) ?? [];
  return { status, talk };
}

/** A feed with so many faults that the report is longer than a pipe holds. */
function faultyFeed(): string {
  const path = join(folder, "feed.gmc.tsv");
  const rows = Array.from({ length: 1_000 }, (_, n) => `${n}\tA\tB\tnowhere\tnowhere\tperhaps\tmuch`);
  const header = "id\ttitle\tdescription\tlink\timage_link\tavailability\tprice";
  writeFileSync(path, [header, ...rows, ""].join("\n"));
  return path;
}

test("a command whose output pipe is closed ends without a message, with the status of SIGPIPE", () => {
  const feed = faultyFeed();
  for (const line of [
    ["validate", feed, "--json"],
    ["validate", feed, "--json", "--max", "5000"],
  ])
    assert.deepEqual(intoHead(line), { status: "141", talk: "" }, line.join(" "));
});

test("a command whose output fits into the pipe ends with 0", () => {
  assert.deepEqual(intoHead(["--version"]), { status: "0", talk: "" });
});
