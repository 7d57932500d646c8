/**
 * Options as people give them: secrets from files and pipes, refusals in the user's spelling, help that is complete.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { commandLine } from "../../test/command-line.ts";
import { articles, openShop } from "../../test/fakes/shop.ts";
import { tempDir } from "../../test/fresh.ts";
import { CONNECTORS } from "../sources/registry.ts";
import { closeAfterTests } from "../../test/close-after.ts";
import { isLong } from "../../test/long.ts";

const MAIN = join(import.meta.dirname, "../main.ts");

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");

const add = (...more: readonly string[]) => ["source", "add", "--catalog", "shop", "--kind", ...more];
const settingsOf = async (id: string): Promise<Record<string, string>> => {
  const { sources } = await home.data<{ sources: { id: string; settings: Record<string, string> }[] }>(
    "source",
    "list",
    "--catalog",
    "shop",
  );
  return sources.find((source) => source.id === id)?.settings ?? {};
};

test("settings are read from a file, from standard input, and literally with @@", async () => {
  await using folder = await tempDir();
  const file = join(folder.path, "user.txt");
  await writeFile(file, "from a file\n");
  const url = ["feed_url", "--set", `url=${shop.url}`];
  const input = { read: async () => "from a pipe\n" };
  const added = async (...more: readonly string[]) => {
    const { out } = await home.run([...add(...url), ...more, "--json"], { input });
    return settingsOf((JSON.parse(out) as { id: string }).id);
  };

  assert.equal((await added("--set", `username=@${file}`))["username"], "from a file");
  assert.equal((await added("--set", "username=-"))["username"], "from a pipe");
  assert.equal((await added("--set", "username=@@me"))["username"], "@me");
  const missing = await home.run([...add(...url), "--set", "username=@nowhere"]);
  assert.deepEqual([missing.status, /nowhere\S* cannot be read/.test(missing.talk)], [2, true]);
});

test("a missing required secret is prompted for without echo; without a terminal the command is refused", async () => {
  const asked: { question: string; isHidden: boolean }[] = [];
  const ask = async (question: string, { isHidden = false }: { isHidden?: boolean } = {}) => {
    asked.push({ question, isHidden });
    return "an answer";
  };
  const line = [...add("bigcommerce"), "--set", "store_hash=abc123", "--json"];
  const answered = await home.run(line, { input: { read: async () => "", ask } });
  const refused = await home.run(line);

  assert.ok(asked.length > 0 && asked.every(({ isHidden }) => isHidden), answered.out);
  assert.equal(refused.status, 4);
});

test("source add --test shows the first items and adds nothing", async () => {
  shop.stock(articles(2));
  const before = await home.data<{ sources: object[] }>("source", "list", "--catalog", "shop");

  const { status, out } = await home.run([...add("feed_url"), "--set", `url=${shop.url}`, "--test"]);
  const after = await home.data<{ sources: object[] }>("source", "list", "--catalog", "shop");

  assert.equal(status, 0);
  assert.match(out, /2 good, 0 rejected/);
  assert.equal(after.sources.length, before.sources.length);
});

test("help marks required options and has every setting of every kind", async () => {
  const { out } = await home.run(["source", "add", "--help"]);

  assert.match(out, /--catalog <slug> +.*\(required\)/s);
  for (const { kind, fields } of Object.values(CONNECTORS)) {
    assert.ok(out.includes(`  ${kind} (`), kind);
    for (const { name } of fields) assert.ok(out.includes(`    ${name} `), `${kind} ${name}`);
  }
});

test("refusals have the names of options and the allowed values", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["catalog", "update", "--slug", "shop", "--store-url", "nope"], /--store-url must be an http or https/],
    [["catalog", "update", "--slug", "shop"], /Nothing to change/],
    [
      ["refusals", "--catalog", "shop", "--file", "foo.tsv"],
      /--file must be one of .*gmc\.tsv.*, not "foo\.tsv"/,
    ],
    [["render", "sample:shop.csv", "--catalog", "shop"], /not both/],
    [add("feed_url", "--set", "colour=red"), /Settings: url, /],
    [["source", "remove", "x", "--items", "burn"], /--items must be one of keep, remove, not "burn"/],
  ];
  for (const [line, message] of cases) {
    const { status, talk } = await home.run(line);
    assert.ok(status === 2 || status === 4, line.join(" "));
    assert.match(talk, message);
  }
  const missing = await home.run(["audit", "sample:nope.csv"]);
  assert.match(missing.talk, /^sample:nope\.csv answered with status 404/);
});

test("catalog update says when nothing changes; a name can be changed", async () => {
  await home.data("catalog", "create", "--slug", "named", "--name", "Before", "--currency", "USD");
  const update = ["catalog", "update", "--slug", "named"];

  const same = await home.run([...update, "--currency", "USD", "--name", "Before"]);
  const changed = await home.data<{ name: string; changed: boolean }>(...update, "--name", "After");
  const { catalogs } = await home.data<{ catalogs: { slug: string; name: string }[] }>("catalog", "list");

  assert.match(same.out, /nothing was changed/);
  assert.deepEqual([changed.name, changed.changed], ["After", true]);
  assert.equal(catalogs.find(({ slug }) => slug === "named")?.name, "After");
});

test("catalog delete asks for confirmation and deletes everything of the confirmed catalog", async () => {
  shop.stock(articles(2));
  await home.data("catalog", "create", "--slug", "gone", "--name", "Gone", "--currency", "USD");
  const source = ["source", "add", "--catalog", "gone", "--kind", "feed_url", "--set", `url=${shop.url}`];
  const { id } = await home.data<{ id: string }>(...source);
  await home.data("sync", "--source", id);
  const line = ["catalog", "delete", "--slug", "gone"];
  const answer = (text: string) => ({ input: { read: async () => "", ask: async () => text } });

  const unattended = await home.run(line);
  const no = await home.run(line, answer("no"));
  const yes = await home.run(line, answer("gone"));
  const again = await home.run([...line, "--yes"]);

  assert.deepEqual([unattended.status, no.status, yes.status, again.status], [2, 2, 0, 2]);
  assert.match(unattended.talk, /--yes/);
  assert.match(yes.out, /Deleted catalog gone with 2 items/);
  const { catalogs } = await home.data<{ catalogs: { slug: string }[] }>("catalog", "list");
  assert.ok(catalogs.every(({ slug }) => slug !== "gone"));
});

if (isLong)
  test("--version loads nothing else, and paths are relative to the current directory", async () => {
    await using folder = await tempDir();
    await mkdir(join(folder.path, "shop"));
    await writeFile(
      join(folder.path, "shop", "feed.csv"),
      "id,title,price,link,image_link\n1,One,1.00 USD,https://a.example/1,https://a.example/1.jpg\n",
    );
    const run = promisify(execFile);
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: folder.path,
      INIT_CWD: join(folder.path, "shop"),
      npm_lifecycle_event: "cli",
    };

    const version = await run(process.execPath, [MAIN, "--version"], { env });
    const audited = await run(process.execPath, [MAIN, "audit", "feed.csv", "--json"], { env });

    assert.match(version.stdout, /^\d+\.\d+\.\d+\S*\n$/);
    assert.equal((JSON.parse(audited.stdout) as { items: number }).items, 1);
  });

test("audit --catalog shows the newest audit of a catalog", async () => {
  shop.stock(articles(2));
  await home.data("catalog", "create", "--slug", "judged", "--name", "Judged", "--currency", "USD");
  const early = await home.run(["audit", "--catalog", "judged"]);
  const source = ["source", "add", "--catalog", "judged", "--kind", "feed_url", "--set", `url=${shop.url}`];
  const { id } = await home.data<{ id: string }>(...source);
  await home.data("sync", "--source", id);

  const { out, status } = await home.run(["audit", "--catalog", "judged"]);
  const report = await home.data<{ catalog_score: number; items: number }>("audit", "--catalog", "judged");
  const both = await home.run(["audit", "sample:shop.csv", "--catalog", "judged"]);
  const failing = await home.run(["audit", "--catalog", "judged", "--fail-under", "100"]);

  assert.deepEqual([early.status, both.status, status, failing.status], [2, 2, 0, 6]);
  assert.match(out, /\d+ \/ 100/);
  assert.equal(report.items, 2);
  assert.ok(report.catalog_score > 0);
});

test("catalog rotate-feed-url shows the new URLs and until when the old ones work", async () => {
  type Made = { feeds: string[]; previous_until: string };
  const made = await home.data<Made>(
    "catalog",
    "create",
    "--slug",
    "turned",
    "--name",
    "Turned",
    "--currency",
    "USD",
  );
  const rotate = ["catalog", "rotate-feed-url", "--slug", "turned"];

  const rotated = await home.data<Made>(...rotate, "--overlap", "2d");
  const tooLong = await home.run([...rotate, "--overlap", "91d"]);

  assert.equal(rotated.feeds.length, 4);
  assert.ok(rotated.feeds.every((url) => !made.feeds.includes(url)));
  assert.ok(Date.parse(rotated.previous_until) > Date.now() + 47 * 3_600_000);
  assert.deepEqual([tooLong.status, /--overlap must be at most 90d/.test(tooLong.talk)], [2, true]);
});
