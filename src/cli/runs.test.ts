/** What a person sees of runs on the command line: how each ended, why it failed, and what was published. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import { article, articles, openShop } from "../../test/fakes/shop.ts";
import { requestSync } from "../pipeline/requests.ts";
import { openDb } from "../store/db.ts";
import { findSource } from "../store/sources.ts";
import { spanText } from "./run-text.ts";
import { closeAfterTests } from "../../test/close-after.ts";
import { assertCases } from "../../test/assert-cases.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());

let count = 0;
async function newSource(...more: readonly string[]): Promise<{ slug: string; id: string }> {
  count += 1;
  const slug = `runs-${count}`;
  await home.data("catalog", "create", "--slug", slug, "--name", slug, "--currency", "USD");
  const add = ["source", "add", "--catalog", slug, "--kind", "feed_url", "--set", `url=${shop.url}`];
  const { id } = await home.data<{ id: string }>(...add, ...more);
  return { slug, id };
}

type Source = { next_sync_at: string; last_run: { state: string; error: { code: string } | null } | null };

test("source list shows the last result and the reason of a failure", async () => {
  const { slug, id } = await newSource("--name", "Outlet");
  const list = ["source", "list", "--catalog", slug];
  const never = await home.run(list);
  shop.breakDown(404);
  await home.run(["sync", "--source", id]);

  const { sources } = await home.data<{ sources: Source[] }>(...list);
  const { out } = await home.run(list);

  assert.match(never.out, / never /);
  assert.deepEqual(
    [sources[0]?.last_run?.state, sources[0]?.last_run?.error?.code],
    ["failed", "source_not_found"],
  );
  assert.match(out, /LAST SYNC/);
  assert.match(out, /failed \d+s ago/);
  assert.match(out, new RegExp(`^Outlet \\(${id}\\) failed: .*404.* \\(source_not_found\\)$`, "m"));
});

test("source list shows no secret of an address", async () => {
  const { slug, id } = await newSource();
  const url = "https://shop.example/f.csv;jsessionid=one-two?format=csv&feedKey=three#four";
  const masked = "https://shop.example/f.csv;jsessionid=***?format=csv&feedKey=***#***";
  const list = ["source", "list", "--catalog", slug];
  await home.data("source", "update", id, "--set", `url=${url}`);

  const { sources } = await home.data<{ sources: { settings: { url: string } }[] }>(...list);
  const { out } = await home.run(list);

  assert.equal(sources[0]?.settings.url, masked);
  assert.ok(out.includes(masked), out);
});

test("runs list has every kind, failures with their reasons; runs show has the numbers", async () => {
  const { slug, id } = await newSource();
  shop.breakDown(401);
  await home.run(["sync", "--source", id]);
  shop.stock([article("a"), article("b", { price: "" })]);
  const { run_id } = await home.data<{ run_id: string }>("sync", "--source", id);

  const all = await home.data<{ runs: { kind: string; state: string }[] }>("runs", "list", "--catalog", slug);
  const failed = await home.run(["runs", "list", "--catalog", slug, "--failed"]);
  const syncs = await home.data<{ runs: { kind: string }[] }>(
    ...`runs list --catalog ${slug} --kind sync --limit 1`.split(" "),
  );
  const shown = await home.run(["runs", "show", run_id]);
  const wrong = await home.run(["runs", "list", "--catalog", slug, "--kind", "dance"]);
  const unknown = await home.run(["runs", "show", "nothing"]);

  assert.deepEqual(new Set(all.runs.map(({ kind }) => kind)), new Set(["sync", "render", "audit"]));
  assert.match(failed.out, /failed \d+s ago +.*\(source_unauthorized\)/);
  assert.equal(failed.out.trim().split("\n").length, 2);
  assert.deepEqual(
    syncs.runs.map(({ kind }) => kind),
    ["sync"],
  );
  assert.match(shown.out, new RegExp(`^sync ${run_id}: succeeded`));
  assert.match(shown.out, /rejected: item 2: .*\(missing_price\)/);
  assert.match(shown.out, /^After it: render /m);
  assert.equal(wrong.status, 2);
  assert.match(wrong.talk, /--kind must be one of sync, render, audit, removal, not "dance"/);
  assert.deepEqual([unknown.status, /There is no run nothing\./.test(unknown.talk)], [2, true]);
});

test("a source is due at once when its settings are corrected, and not when it is renamed", async () => {
  const { slug, id } = await newSource();
  const target = { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const db = openDb(target, { max: 1, name: "shelfwire-test" });
  /** As after an automatic sync. */
  const schedule = () =>
    db.execute({
      text: "update sources set next_sync_at = now() + interval '5 hours' where id = $1",
      values: [id],
    });
  const next = async () => {
    const { sources } = await home.data<{ sources: Source[] }>("source", "list", "--catalog", slug);
    return new Date(sources[0]?.next_sync_at ?? 0).getTime() - Date.now();
  };

  await schedule();
  await home.data("source", "update", id, "--name", "Renamed");
  const renamed = await next();
  await home.data("source", "update", id, "--set", `url=${shop.url}?corrected`);
  const corrected = await next();
  await schedule();
  await home.data("source", "update", id, "--set", "username=u", "--set", "password=p");
  const opened = await next();
  await schedule();
  await home.data("source", "update", id, "--set", "username=u", "--set", "password=p");
  const same = await next();
  await db.close();

  assert.ok(renamed > 3_600_000, `renamed: ${renamed}`);
  assert.ok(corrected <= 0, `corrected: ${corrected}`);
  assert.ok(opened <= 0, `opened: ${opened}`);
  assert.ok(same > 3_600_000, `same: ${same}`);
});

test("sync says that it renders, what was published, where, and what will be refused", async () => {
  shop.stock([...articles(2), article("bare", { image_link: "" }), article("mute", { description: "" })]);
  const { slug, id } = await newSource();

  const { status, out } = await home.run(["sync", "--source", id]);
  const again = await home.data<{ render: { state: string }; feeds: { file: string; url: string }[] }>(
    "sync",
    "--source",
    id,
  );

  assert.equal(status, 0);
  const refused = "gmc.tsv: 4 items, 2 will be refused (1 missing_description, 1 missing_image)";
  const order = ["4 seen", "Rendering the feeds…", "Published 4 items:", refused];
  const places = [...order, `https://feeds.example/f/${slug}/`].map((text) => out.indexOf(text));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    out,
  );
  assert.ok(!places.includes(-1), out);
  assert.equal(again.render.state, "succeeded");
  assert.equal(again.feeds.length, 4);
});

test("a sync that would remove too many items says how to allow it", async () => {
  shop.stock(articles(25));
  const { slug, id } = await newSource();
  await home.data("sync", "--source", id);
  shop.stock(articles(1));

  const refused = await home.run(["sync", "--source", id]);
  const { out } = await home.run(["runs", "list", "--catalog", slug, "--failed"]);

  for (const text of [refused.talk, out])
    assert.match(text, /allow the removal with a max_removed_ratio of 1\. .*\(catalog_collapsed\)/);
});

test("spans are shown in their two largest units", () => {
  assertCases(spanText, [
    [0, "0s"],
    [59_999, "59s"],
    [61_000, "1m"],
    [3_600_000, "1h"],
    [90_061_000, "1d 1h"],
  ]);
});

test("runs cancel ends a queued sync once, and says why nothing else can be canceled", async () => {
  const { slug, id } = await newSource();
  await home.run(["source", "list", "--catalog", slug]);
  const target = { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const db = openDb(target, { max: 1, name: "shelfwire-test" });
  const source = await findSource(db, id);
  const runId = await requestSync(db, { catalogId: source?.catalogId ?? "", sourceId: id, cause: "command" });
  await db.close();

  const canceled = await home.run(["runs", "cancel", runId]);
  const again = await home.run(["runs", "cancel", runId]);
  const shown = await home.run(["runs", "show", runId]);
  const unknown = await home.run(["runs", "cancel", "nothing"]);

  assert.equal(canceled.status, 0, canceled.talk);
  assert.match(again.talk, /already ended/);
  assert.match(shown.out, /canceled by a command/);
  assert.match(unknown.talk, /no sync nothing/);
});
