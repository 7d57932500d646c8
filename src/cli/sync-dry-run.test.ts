/** `shelfwire sync --dry-run`: what a sync would change, in lines and as data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { commandLine } from "../../test/command-line.ts";
import { articles, openShop } from "../../test/fakes/shop.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());
shop.stock(articles(25));
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--set", `url=${shop.url}`];
const { id } = await home.data<{ id: string }>(...add);
await home.data("sync", "--source", id);

test("a dry run says what the sync would change, and changes nothing", async () => {
  shop.stock(articles(24));

  const { status, out } = await home.run(["sync", "--source", id, "--dry-run"]);
  const { stats } = await home.data<{ stats: { removed: number } }>("sync", "--source", id, "--dry-run");

  assert.equal(status, 0, out);
  assert.match(out, /^Dry run, nothing was stored\. 24 seen: 0 stored, 24 unchanged, 0 rejected; 1 removed/m);
  assert.match(out, /^0 new items, 0 changed items, 1 removed item\.$/m);
  assert.match(out, /^acp\.csv +25 → 24 +0 → 0 +0 → 0$/m);
  assert.match(out, /: removed: /);
  assert.equal(stats.removed, 1);
  const { catalogs } = await home.data<{ catalogs: { items: number }[] }>("status", "--catalog", "shop");
  assert.equal(catalogs[0]?.items, 25);
});

test("a dry run of a sync that would fail ends with the exit status of the sync", async () => {
  shop.stock(articles(2));

  const tried = await home.run(["sync", "--source", id, "--dry-run"]);
  const real = await home.run(["sync", "--source", id]);

  assert.notEqual(tried.status, 0);
  assert.equal(tried.status, real.status);
  assert.match(tried.talk, /would remove 23 of the source's 25 items/);
});
