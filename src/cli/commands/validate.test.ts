/** `shelfwire validate` from outside: files in; data, messages and an exit status out. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { tempDir } from "../../../test/fresh.ts";
import { runCli } from "../cli.ts";
import { isLong } from "../../../test/long.ts";

const HEADER = "id\ttitle\tdescription\tlink\timage_link\tavailability\tprice";
const ROW =
  "M1\tMug\tA mug of clay.\thttps://shop.example/m1\thttps://cdn.example/m1.jpg\tin_stock\t18.00 USD";
const SOUND = `${HEADER}\n${ROW}\n`;
const BAD = `${SOUND}${ROW.replace("18.00", "18,00")}\n`;

let folder: string;
const parts = new AsyncDisposableStack();

before(async () => {
  folder = parts.use(await tempDir()).path;
});
after(() => parts.disposeAsync());

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

type CommandResult = { readonly status: number; readonly out: string; readonly talk: string };

/** No settings at all: the command must not need any. */
async function run(...line: readonly string[]): Promise<CommandResult> {
  let [out, talk] = ["", ""];
  const status = await runCli(["validate", ...line], {
    env: {},
    out: (more) => {
      out += more;
    },
    talk: (more) => {
      talk += more;
    },
    isTerminal: false,
  });
  return { status, out, talk };
}

type Answer = {
  format: string;
  rows: number;
  counts: { error: number; warning: number; info: number };
  rules: { rule: string; severity: string; count: number; examples: unknown[] }[];
  problems: { line: number | null; item_id: string | null; rule: string }[];
};

async function answer(...line: readonly string[]): Promise<Answer> {
  return JSON.parse((await run(...line, "--json")).out) as Answer;
}

test("a file without errors ends with 0 and a sentence, even with advice", async () => {
  const path = await fileOf("sound.tsv", SOUND);

  const { status, out, talk } = await run(path);

  assert.deepEqual([status, talk], [0, ""]);
  assert.match(out, /^SEVERITY +COUNT +RULE +MEANING\n/);
  assert.match(out, /sound\.tsv \(gmc\.tsv\): 1 row, 0 errors, \d+ warnings, \d+ hints\.\n$/);
});

test("errors end with 6 and a table by rule, worst first, with the first examples of each", async () => {
  const path = await fileOf("bad.tsv", BAD);

  const { status, out } = await run(path);

  assert.equal(status, 6);
  const lines = out.split("\n");
  const at = lines.findIndex((line) => line.includes("gmc.price.format"));
  assert.match(lines[at] ?? "", /^error +1 +gmc\.price\.format +The amount is not written like/);
  assert.equal(
    lines[at + 1],
    '    line 3, item M1, price: "18,00 USD" The amount has a comma; the decimal mark is a point and thousands have none.',
  );
  const order = lines.flatMap((line) => /^(error|warning|info) /.exec(line)?.[1] ?? []);
  assert.deepEqual(
    order,
    [...order].sort((a, b) => "ewi".indexOf(a.charAt(0)) - "ewi".indexOf(b.charAt(0))),
  );
});

test("--fail-on decides which severities fail", async () => {
  const sound = await fileOf("sound.tsv", SOUND);
  const bad = await fileOf("bad.tsv", BAD);

  const statuses = [];
  for (const path of [sound, bad])
    for (const level of ["error", "warning", "never"])
      statuses.push((await run(path, "--fail-on", level)).status);

  assert.deepEqual(statuses, [0, 6, 0, 6, 6, 0]);
});

test("--json prints the whole report on one line, and --max bounds the list but not the counts", async () => {
  const path = await fileOf("bad.tsv", BAD);

  const { out } = await run(path, "--json");
  const whole = await answer(path);
  const cut = await answer(path, "--max", "2");

  assert.match(out, /^[^\n]+\n$/);
  assert.deepEqual(Object.keys(whole), ["file", "format", "rows", "bytes", "counts", "rules", "problems"]);
  assert.equal(whole.rows, 2);
  assert.equal(whole.problems.length, whole.counts.error + whole.counts.warning + whole.counts.info);
  assert.deepEqual(cut.counts, whole.counts);
  assert.deepEqual(cut.problems, whole.problems.slice(0, 2));
  assert.deepEqual(
    whole.problems.filter(({ rule }) => rule === "gmc.id.duplicate"),
    [
      {
        line: 3,
        item_id: "M1",
        field: "id",
        rule: "gmc.id.duplicate",
        severity: "error",
        message: "The id was used on line 2 already.",
        value: "M1",
      },
    ],
  );
});

test("gzip and zstd are detected by content, and the format by name or content", async () => {
  const counts = (await answer(await fileOf("plain.txt", BAD))).counts;
  for (const [name, content] of [
    ["a.gz", gzipSync(BAD)],
    ["b", zstdCompressSync(BAD)],
    ["gmc.tsv.gz", gzipSync(BAD)],
  ] as const) {
    const found = await answer(await fileOf(name, content));

    assert.deepEqual([found.format, found.counts], ["gmc.tsv", counts], name);
  }
});

test("--format has priority over detection", async () => {
  const path = await fileOf("sound.tsv", SOUND);

  const found = await answer(path, "--format", "jsonld.json");

  assert.equal(found.format, "jsonld.json");
  assert.deepEqual(found.rules[0]?.rule, "jsonld.json");
});

test("an unreadable file ends with 2 and a sentence", async () => {
  const shown = await fileOf("letter.txt", "Dear reader,\nhow are you?\n");
  const cut = await fileOf("cut.gz", gzipSync(BAD.repeat(1_000)).subarray(0, 100));
  const zip = await fileOf("feed.zip", Buffer.from("PK\x03\x04", "latin1"));
  await mkdir(join(folder, "sub"));

  for (const [path, sentence] of [
    [join(folder, "nowhere.tsv"), /There is no file .*nowhere\.tsv\. \(not_found\)/],
    [join(folder, "sub"), /is a folder/],
    [shown, /has an unknown format.*--format/],
    [cut, /damaged or ends early/],
    [zip, /zip archive/],
  ] as const) {
    const { status, out, talk } = await run(path);
    assert.deepEqual([status, out], [2, ""], path);
    assert.match(talk, sentence);
  }
  assert.equal((await run(shown, "--format", "gmc.csv")).status, 2);
  assert.equal((await run(shown, "--max", "many")).status, 2);
});

test("control characters of a file do not reach the terminal", async () => {
  const path = await fileOf("steer.tsv", BAD.replaceAll("M1", "M\u001b[31m1"));

  const { out } = await run(path);

  assert.equal(out.includes("\u001b"), false);
});

if (isLong)
  test("- reads standard input, compressed or not", async () => {
    for (const content of [Buffer.from(BAD), gzipSync(BAD)]) {
      const main = new URL("../../main.ts", import.meta.url).pathname;
      const child = spawn(process.execPath, [main, "validate", "-", "--json"], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.end(content);
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));

      const found = JSON.parse(await text(child.stdout)) as Answer;

      assert.equal(await ended, 6);
      assert.deepEqual([found.format, found.rows], ["gmc.tsv", 2]);
    }
  });
