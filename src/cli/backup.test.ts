/** A backup is taken while the service runs and restores the same installation: feeds, keys, sources, webhooks. */
import assert from "node:assert/strict";
import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import type { CommandLine } from "../../test/command-line.ts";
import { articles, openShop } from "../../test/fakes/shop.ts";
import { tempDir } from "../../test/fresh.ts";
import { listTables } from "../store/backup/schema.ts";
import { openDb } from "../store/db.ts";
import { acquireLock } from "../store/lock.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());
const folder = closeAfterTests(await tempDir());
const file = join(folder.path, "one.backup");
shop.stock(articles(40, { description: "Tab\tand \\ backslash, line\nbreak, \u00fcml\u00e4ut \u{1F600}" }));
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${shop.url}`];
const { id } = await home.data<{ id: string }>(...add, "--set", "username=u", "--set", "password=secret");
await home.data("sync", "--source", id);
await home.data("key", "create", "--catalog", "shop", "--scopes", "read");
const hook = ["webhook", "add", "https://hooks.example/in", "--catalog", "shop"];
await home.data(...hook, "--events", "feeds.rendered");

/** Everything a user can see of an installation, except deliveries: a restore renders the feeds and announces it. */
async function view(of: CommandLine): Promise<unknown> {
  const lines = ["catalog list", "key list --catalog shop", "webhook list --catalog shop"];
  const shown = await Promise.all(
    lines.map(async (line) => {
      const data = await of.data<object>(...line.split(" "));
      return JSON.parse(JSON.stringify(data, (key, value: unknown) => (key === "deliveries" ? "…" : value)));
    }),
  );
  const { sources } = await of.data<{ sources: object[] }>("source", "list", "--catalog", "shop");
  return { shown, sources };
}

/** The bytes of the published feeds, by name. */
async function feedBytes(of: CommandLine): Promise<Record<string, string>> {
  const root = join(of.env["DATA_DIR"] ?? "", "feeds");
  const found: Record<string, string> = {};
  for (const name of (await readdir(root, { recursive: true })).sort())
    if (/\/(acp|gmc|jsonld)\.\w+$/.test(name))
      found[name.split("/").at(-1) ?? ""] = await readFile(join(root, name), "utf8");
  return found;
}

test("a restore into a new installation gives the same catalogs, keys, sources, webhooks and feeds", async () => {
  const made = await home.data<{ rows: Record<string, number> }>("backup", file);
  await using other = await commandLine();

  const restored = await other.data<{ rows: Record<string, number>; rendered: number }>("restore", file);
  // A restored copy syncs nothing by itself before.
  await other.data("resume");

  assert.equal(made.rows["items"], 40);
  assert.deepEqual(restored.rows, made.rows);
  assert.equal(restored.rendered, 1);
  assert.deepEqual(await view(other), await view(home));
  assert.deepEqual(await feedBytes(other), await feedBytes(home));
  // Secrets open again, and what is made from now on does not collide with what was restored.
  const { sources } = await other.data<{ sources: { id: string }[] }>("source", "list", "--catalog", "shop");
  await other.data("sync", "--source", sources[0]?.id ?? "");
  await other.data("catalog", "create", "--slug", "next", "--name", "Next", "--currency", "USD");
});

test("every table of the schema is in the backup", async () => {
  const path = join(folder.path, "tables.backup");
  const { rows } = await home.data<{ rows: Record<string, number> }>("backup", path);
  const target = { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const db = openDb(target, { max: 1, name: "shelfwire-test" });
  const tables = await listTables(db);
  await db.close();

  assert.deepEqual(
    Object.keys(rows),
    tables.map(({ table }) => table),
  );
  assert.ok(tables.length >= 14);
});

test("a backup is readable by its owner only, is written completely or not at all, and replaces no file without --force", async () => {
  const path = join(folder.path, "two.backup");
  const first = await home.run(["backup", path]);
  const again = await home.run(["backup", path]);
  const forced = await home.run(["backup", path, "--force"]);
  const nowhere = await home.run(["backup", join(folder.path, "no", "such.backup")]);

  assert.match(first.out, /does not contain the secret key/);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual([again.status, forced.status, nowhere.status], [2, 0, 2]);
  assert.match(again.talk, /--force/);
  assert.match(nowhere.talk, /The folder does not exist/);
  assert.ok((await readdir(folder.path)).every((name) => !name.endsWith(".partial")));
});

test("the secret key is included only on request; without it, a restore with another key is refused", async () => {
  await using other = await commandLine();
  const env = { ...other.env, SECRET_KEY: "another key, just as long as the first" };
  const withKey = join(folder.path, "key.backup");
  await home.data("backup", withKey, "--with-secret-key");

  const refused = await other.run(["restore", withKey], { env });
  const untouched = await other.data<{ catalogs: [] }>("catalog", "list");

  assert.equal(refused.status, 4);
  assert.match(refused.talk, /SECRET_KEY does not decrypt this backup/);
  assert.deepEqual(untouched.catalogs, []);
});

test("a restore refuses existing catalogs, unless it may replace them", async () => {
  await using other = await commandLine();
  await other.data("catalog", "create", "--slug", "mine", "--name", "Mine", "--currency", "USD");

  const refused = await other.run(["restore", file]);
  const kept = await other.data<{ catalogs: { slug: string }[] }>("catalog", "list");
  const forced = await other.run(["restore", file, "--force"]);
  const now = await other.data<{ catalogs: { slug: string }[] }>("catalog", "list");

  assert.equal(refused.status, 1);
  assert.match(refused.talk, /--force/);
  assert.deepEqual([kept.catalogs[0]?.slug, forced.status, now.catalogs[0]?.slug], ["mine", 0, "shop"]);
});

test("a restore refuses while a worker is running", async () => {
  await using other = await commandLine();
  await other.data("migrate");
  const target = { connectionString: other.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const release = await acquireLock(target, "worker", "shared");

  const refused = await other.run(["restore", file]);
  await release?.();

  assert.equal(refused.status, 1);
  assert.match(refused.talk, /Stop it, then restore/);
});

test("a file that is damaged, truncated or no backup is refused, and nothing changes", async () => {
  await using other = await commandLine();
  await other.data("catalog", "create", "--slug", "mine", "--name", "Mine", "--currency", "USD");
  const whole = await readFile(file);
  const wrong = join(folder.path, "wrong.backup");
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(flipped.readUInt8(whole.length - 40) ^ 0xff, whole.length - 40);
  const cases: readonly (readonly [string, Buffer])[] = [
    ["none of ours", Buffer.from("id,title\n1,One\n")],
    ["empty", Buffer.alloc(0)],
    ["cut at the front", whole.subarray(0, 30)],
    ["cut at the end", whole.subarray(0, whole.length - 20)],
    ["flipped", flipped],
  ];
  for (const [name, bytes] of cases) {
    await writeFile(wrong, bytes);
    const { status, talk } = await other.run(["restore", wrong, "--force"]);
    assert.deepEqual([status, /invalid_request/.test(talk)], [2, true], `${name}: ${talk}`);
  }
  await truncate(wrong);
  const { catalogs } = await other.data<{ catalogs: { slug: string }[] }>("catalog", "list");
  assert.deepEqual(
    catalogs.map(({ slug }) => slug),
    ["mine"],
  );
});
