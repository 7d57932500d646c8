/** Commands that need neither a server nor a database, as a person or a build would call them. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { runCli } from "./cli.ts";

async function run(...args: readonly string[]) {
  let [out, talk] = ["", ""];
  const status = await runCli(args, {
    env: {},
    out: (text) => void (out += text),
    talk: (text) => void (talk += text),
    isTerminal: false,
  });
  return { status, out, talk };
}

type Audited = {
  score: number;
  grade: string;
  items: number;
  rules: { lost: number }[];
  read: { seen: number; rejected: number };
};

test("an audit of the sample shop says its score, its grade and what to mend first", async () => {
  const { status, out } = await run("audit", "sample:shop.csv");

  assert.equal(status, 0);
  assert.match(out, /\d+ \/ 100 {3}[A-F] {3}48 items/);
  assert.match(out, /Mend first/);
  assert.match(out, /4 of 52 rows are not items/);
  assert.ok(!out.includes("\u001b["), "no colours where nobody can see them");
});

test("as JSON it is the whole report, and the lost points are in order of their weight", async () => {
  const { out } = await run("audit", "sample:shop.csv", "--json");

  const report = JSON.parse(out) as Audited;
  assert.equal(report.items, 48);
  assert.deepEqual([report.read.seen, report.read.rejected], [52, 4]);
  const lost = report.rules.map((rule) => rule.lost);
  assert.deepEqual(
    lost,
    lost.toSorted((a, b) => b - a),
  );
});

test("a build fails with 6 when the score is lower than it may be, and passes otherwise", async () => {
  assert.equal((await run("audit", "sample:shop.csv", "--fail-under", "100")).status, 6);
  assert.equal((await run("audit", "sample:shop.csv", "--fail-under", "10")).status, 0);
  assert.equal((await run("audit", "sample:shop.csv", "--fail-under", "most")).status, 2);
});

test("a render without a server leaves the four files in the folder", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "feeds");

  const { status, out } = await run("render", "sample:shop.csv", "--out", folder, "--json");

  assert.equal(status, 0);
  assert.deepEqual((await readdir(folder)).sort(), ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"]);
  assert.equal((JSON.parse(out) as { items: number }).items, 48);
});

for (const [title, args, status] of [
  ["a feed that is not there", ["audit", "no-such-file.csv"], 5],
  ["a private address", ["audit", "http://127.0.0.1/feed.csv"], 4],
  ["a render of nothing", ["render"], 2],
  ["a feed without a folder", ["render", "sample:shop.csv"], 2],
  ["a wrong setting", ["audit", "sample:shop.csv", "--currency", "EURO"], 2],
] as const) {
  test(`${title} ends with ${status} and a sentence`, async () => {
    const result = await run(...args);

    assert.equal(result.status, status);
    assert.notEqual(result.talk, "");
    assert.equal(result.out, "");
  });
}
