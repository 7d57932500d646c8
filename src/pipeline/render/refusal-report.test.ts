import assert from "node:assert/strict";
import { test } from "node:test";
import { article, openShop } from "../../../test/fakes/shop.ts";
import { sync } from "../../../test/actions.ts";
import { installation } from "../../../test/installation.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { eachRefusal } from "./refusal-report.ts";

test("every item that a channel refuses is listed with its reason, beyond the run's statistics", async () => {
  await using home = await installation();
  await using shop = await openShop();
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  shop.stock(
    Array.from({ length: 30 }, (_, i) => article(`a${String(i).padStart(2, "0")}`, { image_link: "" })),
  );
  await sync(home, catalog, source);
  const row = await findCatalog(home.db, catalog.id);
  assert.ok(row);

  const listed = await Array.fromAsync(eachRefusal(home.db, home.jobs.folders, row));

  const inFile = (file: string) => listed.filter((line) => line.file === file);
  assert.deepEqual(
    ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"].map((file) => inFile(file).length),
    [30, 30, 30, 30],
  );
  assert.deepEqual(new Set(listed.map(({ code }) => code)), new Set(["missing_image"]));
  assert.deepEqual(
    inFile("gmc.tsv")
      .map(({ item_id }) => item_id)
      .slice(0, 2),
    ["a00", "a01"],
  );
});

test("a catalog that was never rendered has no refusals", async () => {
  await using home = await installation({ hasWorker: false });
  const { id } = await home.createCatalog();
  const row = await findCatalog(home.db, id);
  assert.ok(row);

  assert.deepEqual(await Array.fromAsync(eachRefusal(home.db, home.jobs.folders, row)), []);
});
