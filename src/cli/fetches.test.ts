/** `shelfwire fetches`: who fetches the feeds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { commandLine } from "../../test/command-line.ts";
import { recordFetches } from "../store/fetch-receipts.ts";
import { openDb } from "../store/db.ts";

const home = closeAfterTests(await commandLine());
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");

test("fetches lists each consumer with its last fetch and its counts", async () => {
  const none = await home.run(["fetches", "--catalog", "shop"]);
  const target = { connectionString: home.env["DATABASE_URL"] ?? "", schema: "shelfwire" };
  const db = openDb(target, { max: 1, name: "shelfwire-test" });
  const [catalog] = await db.query<{ id: string }>({ text: "select id from catalogs", values: [] });
  const id = catalog?.id ?? "";
  const at = { firstAt: new Date(), lastAt: new Date() };
  const file = { catalogId: id, file: "gmc.tsv", runId: id, etag: "ab" } as const;
  await recordFetches(db, [
    { ...file, ...at, consumer: "Google", isKnown: true, status: 304, fetches: 12, bytes: 0 },
  ]);
  await db.close();

  const { status, out } = await home.run(["fetches", "--catalog", "shop"]);

  assert.match(none.out, /^No feed of this catalog was fetched yet\.$/m);
  assert.equal(status, 0, out);
  assert.match(out, /^gmc\.tsv +Google +\d+s ago +304 +0 +12$/m);
});
