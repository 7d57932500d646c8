/** Comparing and verifying renders on the command line. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import { closeAfterTests } from "../../test/close-after.ts";
import { article, articles, openShop } from "../../test/fakes/shop.ts";
import { newId } from "../lib/id.ts";
import { openDb } from "../store/db.ts";
import { listFeedFiles } from "../store/feed-files.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());

let count = 0;
async function newCatalog(): Promise<{ slug: string; source: string }> {
  count += 1;
  const slug = `history-${count}`;
  await home.data("catalog", "create", "--slug", slug, "--name", slug, "--currency", "USD");
  const add = ["source", "add", "--catalog", slug, "--kind", "feed_url", "--set", `url=${shop.url}`];
  return { slug, source: (await home.data<{ id: string }>(...add)).id };
}

/** Syncs and returns the sync, and the render after it. */
async function synced({ slug, source }: { slug: string; source: string }) {
  const { run_id: sync } = await home.data<{ run_id: string }>("sync", "--source", source);
  const list = ["runs", "list", "--catalog", slug, "--kind", "render", "--limit", "1"];
  const { runs } = await home.data<{ runs: { run_id: string }[] }>(...list);
  return { sync, render: runs[0]?.run_id ?? "" };
}

async function folderOf(runId: string): Promise<string> {
  const target = { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const db = openDb(target, { max: 1, name: "shelfwire-test" });
  const rows = await db.query<{ catalogId: string }>({
    text: "select catalog_id from runs where id = $1",
    values: [runId],
  });
  const [file] = await listFeedFiles(db, runId);
  await db.close();
  return join(String(home.env["DATA_DIR"]), "feeds", rows[0]?.catalogId ?? "", file?.folder ?? "");
}

test("diff lists what was added, removed and changed, with the cause, and totals; a change of several files is one line", async () => {
  const catalog = await newCatalog();
  shop.stock([article("a"), article("b"), article("c")]);
  const first = await synced(catalog);
  shop.stock([article("b", { price: "0.50 USD" }), article("c"), article("d")]);
  const second = await synced(catalog);

  const { status, out } = await home.run(["diff", first.render, second.render]);

  assert.equal(status, 0);
  assert.match(out, /^before .* 3 items\nafter .* 3 items\nBetween them: 1 sync or push\.\n/);
  assert.match(
    out,
    /^- a\n {4}no longer in the file {2}\(acp\.csv, acp\.json, gmc\.tsv, jsonld\.json; source run/m,
  );
  const price = `    price: 10.00 USD → 0.50 USD  (acp.csv, acp.json, gmc.tsv; source run ${second.sync})`;
  assert.ok(out.includes(price), out);
  assert.match(out, /^1 item added, 1 removed, 1 changed, 1 unchanged\.\n\d+ differences: \d+ source\.\n$/m);

  const published = await home.run(["diff", first.render, "--limit", "1"]);
  assert.match(published.out, /… 1 of 3 are listed/);
  const json = await home.run(["diff", second.render, first.render, "--file", "gmc.tsv", "--json"]);
  const lines = json.out.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => Object.keys(JSON.parse(line) as object)[0]),
    ["comparison", "item", "item", "item", "totals"],
  );
});

test("diff refuses unknown renders, renders of two catalogs and wrong options, each with a sentence", async () => {
  const [catalog, other] = [await newCatalog(), await newCatalog()];
  shop.stock([article("a")]);
  const [first, second] = [await synced(catalog), await synced(other)];
  const lines = [
    ["diff", newId()],
    ["diff", "x"],
    ["diff", first.sync],
    ["diff", first.render, second.render],
    ["diff", first.render, first.render, "--limit", "-1"],
    ["diff", first.render, first.render, "--cause", "magic"],
  ];
  for (const line of lines) {
    const { status, talk } = await home.run(line);
    assert.equal(status, 2, line.join(" "));
    assert.match(talk, /\w \w.*\./);
  }
});

test("a discarded render is named when none is held, and new limits judge a held one again", async () => {
  const catalog = await newCatalog();
  const of = ["--catalog", catalog.slug];
  shop.stock(articles(25));
  await synced(catalog);
  shop.stock(articles(25, { price: "0.00 USD" }));
  const sync = await home.run(["sync", "--source", catalog.source]);
  assert.match(
    sync.out + sync.talk,
    /The render is held, and the feeds stay as they were: .*\(render_held\)/,
  );
  assert.match((await home.run(["status", ...of])).out, /last render is not published: /);

  const wrong = await home.run(["guard", "set", ...of, "price_median=0.5"]);
  assert.equal(wrong.status, 2);
  assert.match(wrong.talk, /price_median is a factor: 1 or more/);
  const set = await home.run(["guard", "set", ...of, "image_host=off"]);
  assert.match(set.out, /A render is held: the feeds are rendered again now, and judged by the new limits/);

  await home.data("renders", "discard", ...of, "--reason", "Broken export.");
  const later = await home.run(["guard", "set", ...of, "image_host=default"]);
  assert.match(later.out, /It applies from the next render on/);
  const promote = ["renders", "promote", ...of, "--reason", "It was right."];
  const { status, talk } = await home.run(promote);
  assert.equal(status, 2);
  const [, id = "", slug] =
    /The newest one, (\S+), was discarded; .*renders promote \1 --catalog (\S+) --reason/.exec(talk) ?? [];
  assert.equal(slug, catalog.slug);
  assert.equal((await home.data<{ run_id: string }>(...promote, id)).run_id, id);
  const { out } = await home.run(["renders", "rollback", id, "--reason", "Wait."]);
  assert.ok(out.endsWith(`\nNew renders are held until: shelfwire renders release --catalog ${slug}\n`), out);
});

type Verified = {
  files: { file: string; stored: string; gzip: string; rebuilt: string | null }[];
  index: string;
  is_rebuilt: boolean;
  why_not_rebuilt: string | null;
};

test("verify makes the newest render again, and says of an older one that only its stored files were checked", async () => {
  const catalog = await newCatalog();
  shop.stock([article("a", { title: "Mug" }), article("b")]);
  const first = await synced(catalog);
  const again = await home.data<Verified>("verify", first.render);
  assert.deepEqual([again.is_rebuilt, again.index], [true, "same"]);
  for (const file of again.files)
    assert.deepEqual([file.stored, file.gzip, file.rebuilt], ["same", "same", "same"]);

  // Settings of that time are those of the render.
  await home.data("catalog", "update", "--slug", catalog.slug, "--name", "Another name");
  assert.equal((await home.data<Verified>("verify", first.render)).is_rebuilt, true);

  shop.stock([article("a"), article("b")]);
  await synced(catalog);
  const older = await home.run(["verify", first.render]);
  assert.equal(older.status, 0, older.talk);
  assert.match(older.out, /^gmc\.tsv +same +same +not made$/m);
  assert.match(older.out, /^Only the stored files were checked\. .*The items of the catalog have changed/m);
});

test("verify finds a changed, a shortened and a missing file, a damaged copy and a damaged index", async () => {
  const catalog = await newCatalog();
  shop.stock([article("a"), article("b")]);
  const { render } = await synced(catalog);
  const folder = await folderOf(render);
  const spoil = async (file: string, change: (bytes: Buffer) => Buffer) => {
    const path = join(folder, file);
    const bytes = await readFile(path);
    await writeFile(path, change(Buffer.from(bytes)));
    const { status, out } = await home.run(["verify", render, "--json"]);
    await writeFile(path, bytes);
    assert.equal(status, 1, out);
    assert.match(out, /"is_verified": ?false/);
    return JSON.parse(out) as Verified;
  };
  const of = ({ files }: Verified, file: string) => files.find((one) => one.file === file);
  const flipped = (bytes: Buffer) =>
    Buffer.from(bytes.toString("latin1").replace("Article a", "Article x"), "latin1");
  const shortened = (bytes: Buffer) => bytes.subarray(0, bytes.length - 5);

  const changed = of(await spoil("gmc.tsv", flipped), "gmc.tsv");
  assert.deepEqual([changed?.stored, changed?.gzip, changed?.rebuilt], ["different", "same", "same"]);
  assert.equal(of(await spoil("acp.csv", shortened), "acp.csv")?.stored, "different");
  assert.equal(of(await spoil("acp.csv.gz", shortened), "acp.csv")?.gzip, "different");
  const inverted = (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ 255));
  assert.equal(of(await spoil("jsonld.json.gz", inverted), "jsonld.json")?.gzip, "different");
  assert.equal((await spoil("index.bin", inverted)).index, "different");

  await rm(join(folder, "acp.json"));
  const missing = await home.run(["verify", render]);
  assert.equal(missing.status, 1);
  assert.match(missing.out, /^acp\.json +missing/m);
  assert.match(missing.out, /is not what it should be: acp\.json\./);
});
