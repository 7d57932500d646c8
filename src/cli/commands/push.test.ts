/** `shelfwire push` from outside: a file in, numbers out. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { commandLine } from "../../../test/command-line.ts";
import type { CommandLine, CommandResult } from "../../../test/command-line.ts";
import { SAMPLE_FILES } from "../../../test/feed-files.ts";
import type { Disposable } from "../../../test/fresh.ts";
import type { SyncStats } from "../../contract/syncs.ts";

let home: Disposable<CommandLine>;
let folder: string;

before(async () => {
  home = await commandLine();
  folder = home.env["DATA_DIR"] ?? "";
  assert.equal((await run(...CREATE)).status, 0);
});
after(() => home[Symbol.asyncDispose]());

const SHOP = ["--name", "Shop", "--currency", "USD", "--store-url", "https://shop.example"];
const CREATE = ["catalog", "create", "--slug", "shop", ...SHOP];

const run = (...line: readonly string[]): Promise<CommandResult> => home.run(line);

const product = (id: string) => ({ id, title: `Mug ${id}`, link: `https://shop.example/${id}`, price: 5 });

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function pushed(path: string, ...options: readonly string[]): Promise<readonly number[]> {
  const { status, out, talk } = await run("push", path, "--catalog", "shop", ...options, "--json");
  assert.equal(status, 0, out + talk);
  const { stats } = JSON.parse(out) as { stats: SyncStats };
  return [stats.seen, stats.upserted, stats.unchanged, stats.removed];
}

test("a file updates the catalog or replaces it; its extension gives the format", async () => {
  const all = [product("a"), product("b"), product("c")];
  const json = await file("all.json", JSON.stringify({ products: all }));
  const lines = await file("changes.jsonl.gz", gzipSync(`${JSON.stringify({ id: "c", delete: true })}\n`));
  const two = await file("two.NDJSON", `${JSON.stringify(product("a"))}\n${JSON.stringify(product("d"))}\n`);

  assert.deepEqual(await pushed(json), [3, 3, 0, 0]);
  assert.deepEqual(await pushed(lines), [0, 0, 0, 1]);
  assert.deepEqual(await pushed(two, "--replace"), [2, 1, 1, 1]);
});

test("the output for people has the counts and the rejections", async () => {
  const path = await file("bad.json", JSON.stringify([product("z"), { id: "y" }]));

  const { status, out } = await run("push", path, "--catalog", "shop");

  assert.equal(status, 0);
  assert.match(out, /^2 seen: 1 stored, 0 unchanged, 1 rejected; 0 removed/);
  assert.match(out, /rejected: item 2: .*\(missing_title\)/);
});

/** One of each kind; test/api/catalog-push-files.test.ts compares every format and packing with a feed URL. */
const FILES = ["shop.csv", "google.xml", "german.csv", "lines.jsonl.gz", "shop.zip"];

test("files of every kind are accepted, from a file and from standard input", async () => {
  for (const name of FILES) {
    const { bytes, settings = {} } = SAMPLE_FILES.find((sample) => sample.name === name) ?? assert.fail(name);
    const sets = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    const line = ["--catalog", "shop", "--replace", "--max-removed-ratio", "1", ...sets, "--json"];
    const input = { read: async () => "", bytes: () => of(bytes) };
    const isPiped = name.startsWith("shop.");

    const result = isPiped
      ? await home.run(["push", "-", ...line], { input })
      : await run("push", await file(name, bytes), ...line);

    const { seen, upserted, unchanged, rejected } = statsOf(result);
    assert.ok(upserted + unchanged > 0, name);
    assert.equal(upserted + unchanged + rejected, seen, name);
  }
});

async function* of(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

function statsOf({ status, out, talk }: CommandResult): SyncStats {
  assert.equal(status, 0, out + talk);
  return (JSON.parse(out) as { stats: SyncStats }).stats;
}

test("a file adds and changes items unless it replaces them; the answer shows what was rejected and why", async () => {
  assert.equal((await run("catalog", "create", "--slug", "table", ...SHOP)).status, 0);
  const rows = (...ids: readonly string[]) =>
    `id,title,link,price\n${ids.map((id) => `${id},Mug,https://shop.example/${id},5\n`).join("")}`;
  const first = await file("first.csv", `${rows("a", "b")}c,Mug,https://shop.example/c,\n`);
  const second = await file("second.csv", rows("c"));

  const { status, out } = await run("push", first, "--catalog", "table");
  assert.equal(status, 0, out);
  assert.match(out, /^3 seen: 2 stored, 0 unchanged, 1 rejected; 0 removed/);
  assert.match(out, /rejected: item 3: .*\(missing_price\)/);
  const added = statsOf(await run("push", second, "--catalog", "table", "--json"));
  assert.deepEqual([added.upserted, added.removed], [1, 0]);
  const replaced = statsOf(await run("push", second, "--catalog", "table", "--replace", "--json"));
  assert.deepEqual([replaced.unchanged, replaced.removed], [1, 2]);
});

test("a file that cannot be pushed is refused with a message about it", async () => {
  const empty = await file("empty.csv", "");
  const page = await file("page.csv", "<!doctype html><title>Log in</title>");
  const cut = await file("cut.csv.gz", gzipSync("id,title,link,price\n").subarray(0, 20));
  const good = await file("good.csv", "id,title,link,price\n");
  const cases: readonly (readonly [readonly string[], string, RegExp])[] = [
    [[join(folder, "nowhere.csv")], "invalid_request", /There is no file .*nowhere\.csv/],
    [[folder], "invalid_request", /is a folder/],
    [[empty], "invalid_request", /empty\.csv is empty/],
    [["-"], "invalid_request", /no standard input to read/],
    [[page], "body_malformed", /web page \(“Log in”\)/],
    [[cut], "body_malformed", /ends early/],
    [
      [good, "--set", "colums=a = id"],
      "invalid_request",
      /--set must be one of format, store_url, decimal_mark, encoding, columns, link_/,
    ],
    [[good, "--set", "columns=a"], "invalid_request", /--set columns: /],
    [[good, "--set", "format=yaml"], "invalid_request", /--set format must be one of auto, csv,/],
  ];
  for (const [line, code, says] of cases) {
    const { status, out } = await run("push", ...line, "--catalog", "shop", "--json");

    assert.equal(status, 2, out);
    const { error } = JSON.parse(out) as { error: { code: string; message: string } };
    assert.equal(error.code, code, out);
    assert.match(error.message, says);
  }
});

test("invalid calls are refused with the reason", async () => {
  const good = await file("good.json", "[]");
  const broken = await file("broken.json", "[");
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["push", join(folder, "nowhere.json"), "--catalog", "shop"], "invalid_request"],
    [["push", good, "--catalog", "nowhere"], "not_found"],
    [["push", good, "--catalog", "shop", "--max-removed-ratio", "2"], "invalid_request"],
    [["push", good, "--catalog", "shop", "--max-removed-ratio", ""], "invalid_request"],
    [["push", broken, "--catalog", "shop"], "body_malformed"],
  ];
  for (const [line, code] of cases) {
    const { status, out } = await run(...line, "--json");

    assert.equal(status, 2, out);
    assert.equal((JSON.parse(out) as { error: { code: string } }).error.code, code);
  }
});
