/** `shelfwire push` as its users meet it: a file in, numbers out. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { commandLine } from "../../../test/command-line.ts";
import type { CommandLine, Said } from "../../../test/command-line.ts";
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

const CREATE = ["catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD"];

const run = (...line: readonly string[]): Promise<Said> => home.run(line);

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

test("a file updates the catalog, or replaces it; its name says how it is written", async () => {
  const all = [product("a"), product("b"), product("c")];
  const json = await file("all.json", JSON.stringify({ products: all }));
  const lines = await file("changes.jsonl.gz", gzipSync(`${JSON.stringify({ id: "c", delete: true })}\n`));
  const two = await file("two.NDJSON", `${JSON.stringify(product("a"))}\n${JSON.stringify(product("d"))}\n`);

  assert.deepEqual(await pushed(json), [3, 3, 0, 0]);
  assert.deepEqual(await pushed(lines), [0, 0, 0, 1]);
  assert.deepEqual(await pushed(two, "--replace"), [2, 1, 1, 1]);
});

test("people are told in words, rejections among them", async () => {
  const path = await file("bad.json", JSON.stringify([product("z"), { id: "y" }]));

  const { status, out } = await run("push", path, "--catalog", "shop");

  assert.equal(status, 0);
  assert.match(out, /^2 seen: 1 stored, 0 unchanged, 1 rejected; 0 removed/);
  assert.match(out, /rejected: item 2: .*\(missing_title\)/);
});

test("what cannot be pushed is refused, and says why", async () => {
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
