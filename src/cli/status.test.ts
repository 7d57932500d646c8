/** `status` and `doctor`: what an operator checks first. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import { articles, openShop } from "../../test/fakes/shop.ts";
import { tempDir } from "../../test/fresh.ts";
import { CatalogStatus } from "../contract/status.ts";
import { openDb } from "../store/db.ts";
import { insertRestore } from "../store/restores.ts";
import { readConfig } from "../config.ts";
import { writeServerFile } from "./server-file.ts";
import { clockCheck } from "./doctor-checks.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());
shop.stock(articles(3));
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${shop.url}`];
const { id } = await home.data<{ id: string }>(...add, "--name", "Good");
await home.data("sync", "--source", id);
const other = await home.data<{ id: string }>(...add, "--name", "Bad");
shop.breakDown(404);
await home.run(["sync", "--source", other.id]);
const openHomeDb = () =>
  openDb(
    { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" },
    { max: 1, name: "shelfwire-test" },
  );
// No worker runs that would schedule the next syncs.
const db = openHomeDb();
await db.execute({ text: "update sources set next_sync_at = now() + interval '6 hours'", values: [] });
await db.close();

test("status shows the state, sources, last and next runs, failures with reasons, and the age of the feeds", async () => {
  const { status, out } = await home.run(["status"]);
  const { catalogs } = await home.data<{ catalogs: Record<string, unknown>[] }>("status");

  assert.equal(status, 0);
  assert.match(out, /^No server is running here\.$/m);
  assert.match(
    out,
    /^shop: Shop, 3 items\n {2}state: failing\n {4}failing: The last sync of "Bad" failed \(source_not_found\)\. .*404.* \[source_failing\]\n {2}score: \d+ \([A-F]\)\n/m,
  );
  assert.match(out, /^ {2}feeds: published \d+s ago \(acp\.csv 3, /m);
  assert.match(out, /^ {2}source Good \(feed_url\): 3 items, last sync succeeded \d+s ago, next in 5h 59m$/m);
  assert.match(out, /^ {2}source Bad .*failed \d+s ago.*\n {4}failed: .*404.*\(source_not_found\)$/m);
  assert.deepEqual(Object.keys(catalogs[0] ?? {}), [
    "slug",
    "name",
    "status",
    "items",
    "published_at",
    "files",
    "last_render",
    "sources",
    "failing_webhooks",
  ]);
});

test("status of a catalog without problems says so once", async () => {
  await home.data("catalog", "create", "--slug", "calm", "--name", "Calm", "--currency", "USD");
  shop.stock(articles(3));
  const calm = await home.data<{ id: string }>(...add.with(3, "calm"));
  await home.data("sync", "--source", calm.id);

  const { out } = await home.run(["status", "--catalog", "calm"]);

  assert.match(out, /^ {2}state: All right: 3 items, last synced less than a minute ago\.$/m);
});

test("no sync of a restored copy is due until it is resumed", async () => {
  const copy = openHomeDb();
  await copy.tx(insertRestore);
  await copy.close();
  const { out } = await home.run(["status"]);
  const list = await home.run(["source", "list", "--catalog", "shop"]);
  const { catalogs } = await home.data<{
    catalogs: { status: CatalogStatus; sources: { next_sync_at: string | null }[] }[];
  }>("status", "--catalog", "shop");
  await home.data("resume");

  assert.match(out, /^ {2}source Good .*, next none until shelfwire resume$/m);
  assert.match(list.out, / none until shelfwire resume /);
  assert.deepEqual([catalogs[0]?.status.sync.next, catalogs[0]?.sources[0]?.next_sync_at], [null, null]);
  assert.match((await home.run(["status"])).out, /^ {2}source Good .*, next in /m);
});

test("status of one catalog has what the API answers", async () => {
  await home.data("catalog", "create", "--slug", "empty", "--name", "Empty", "--currency", "USD");
  const { catalogs } = await home.data<{ catalogs: { slug: string; status: CatalogStatus }[] }>(
    "status",
    "--catalog",
    "empty",
  );
  const none = await home.run(["status", "--catalog", "none"]);

  const [only] = catalogs;
  assert.deepEqual([catalogs.length, only?.slug, only?.status.state], [1, "empty", "attention"]);
  assert.deepEqual(only?.status.action, { kind: "add_source", target: null });
  assert.deepEqual(Object.keys(only?.status ?? {}), Object.keys(CatalogStatus.properties));
  assert.deepEqual([none.status, /There is no catalog "none"/.test(none.talk)], [2, true]);
});

type Checks = { checks: { check: string; state: string; found: string; advice: string | null }[] };
const doctor = async (env: Record<string, string | undefined>, ...more: readonly string[]) => {
  const { status, out } = await home.run(["doctor", "--json", ...more], { env: { ...home.env, ...env } });
  const { checks } = JSON.parse(out) as Checks;
  return { status, of: (name: string) => checks.find(({ check }) => check === name), checks };
};

test("doctor checks everything and says how to fix each problem", async () => {
  const { of, checks } = await doctor({ BASE_URL: "http://feeds.example" });

  for (const name of ["version", "folder", "disk", "database", "secret key", "clock", "outbound"])
    assert.ok(of(name), name);
  for (const name of ["version", "folder", "database", "secret key", "outbound"])
    assert.equal(of(name)?.state, "ok", JSON.stringify(of(name)));
  assert.match(of("tls")?.advice ?? "", /reverse proxy/);
  assert.match(of("sources")?.found ?? "", /source_not_found/);
  assert.match(of("processes")?.advice ?? "", /shelfwire serve/);
  for (const { state, advice } of checks) assert.equal(state === "ok", advice === null);
});

test("doctor checks with the settings of the running server, and names those that its environment has differently", async () => {
  await using state = await tempDir();
  const { ALLOW_PRIVATE_TARGETS: _unset, ...env } = home.env;
  const run = async (more: Record<string, string>) => {
    const { out } = await home.run(["doctor", "--json"], { env: { ...env, ...more } });
    return (check: string) => (JSON.parse(out) as Checks).checks.find((one) => one.check === check);
  };

  const alone = await run({});
  const takeAway = await writeServerFile(readConfig(home.env), state.path);
  const beside = await run({});
  const differing = await run({ ALLOW_PRIVATE_TARGETS: "10.0.0.1" });
  await takeAway();

  assert.equal(alone("outbound")?.state, "fail");
  assert.equal(beside("outbound")?.state, "ok");
  assert.match(beside("settings")?.found ?? "", /those of the running server, process \d+/);
  assert.match(differing("settings")?.found ?? "", /sets ALLOW_PRIVATE_TARGETS to other values/);
});

test("doctor ends with 6 when something fails, one line for each check", async () => {
  const wrongKey = await doctor({ SECRET_KEY: "another key, just as long as the first" });
  const noDatabase = await doctor({ DATABASE_URL: "postgres://u:p@127.0.0.1:1/shop" });
  const noReach = await doctor({}, "--reach", "http://127.0.0.1:1/");
  const forbidden = await doctor({ ALLOW_PRIVATE_TARGETS: "" });
  await using folder = await tempDir();
  await writeFile(join(folder.path, "file"), "");
  const noFolder = await doctor({ DATA_DIR: join(folder.path, "file") });
  const wrong = await home.run(["doctor", "--reach", "nowhere"]);
  const { out } = await home.run(["doctor"]);

  assert.deepEqual([wrongKey.status, wrongKey.of("secret key")?.state], [6, "fail"]);
  assert.deepEqual([noDatabase.status, noDatabase.of("database")?.state], [6, "fail"]);
  assert.deepEqual([noReach.status, noReach.of("outbound")?.state], [6, "fail"]);
  assert.match(forbidden.of("outbound")?.advice ?? "", /ALLOW_PRIVATE_TARGETS/);
  assert.deepEqual([noFolder.status, noFolder.of("folder")?.state], [6, "fail"]);
  assert.match(noFolder.of("folder")?.advice ?? "", /DATA_DIR/);
  assert.deepEqual([wrong.status, /--reach must be/.test(wrong.talk)], [2, true]);
  assert.match(out, /^ok {4}version {5}Shelfwire /m);
});

test("a clock that is fast or slow is a warning that says which", () => {
  assert.equal(clockCheck("the database's", 4, 5).state, "ok");
  assert.match(clockCheck("the database's", 90, 5).found, /90 seconds behind/);
  assert.match(clockCheck("the database's", -90, 5).found, /90 seconds ahead of/);
});
