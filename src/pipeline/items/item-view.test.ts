import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { sync } from "../../../test/actions.ts";
import { article, openShop } from "../../../test/fakes/shop.ts";
import { installation } from "../../../test/installation.ts";
import { viewItem } from "./item-view.ts";

test("a row whose cell has a line break is shown whole, for every item of the group", async () => {
  await using home = await installation();
  await using shop = await openShop();
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  const described = (id: string) => ({
    item_group_id: "tee",
    description: `First line of ${id}.\nSecond line, with a "quote" in it.\n\nLast line of ${id}.`,
  });
  shop.stock(["a", "b"].map((id) => article(id, described(id))));
  assert.equal((await sync(home, catalog, source)).status, 200);

  for (const id of ["a", "b"]) {
    const { feeds } = await viewItem(home.jobs, catalog.id, id);
    const text = feeds.find(({ file }) => file === "acp.csv")?.text ?? "";

    const rows: { item_id: string; description: string }[] = parse(text, { columns: true });
    assert.equal(rows.length, 1, text);
    assert.equal(rows[0]?.item_id, id);
    assert.match(rows[0]?.description ?? "", new RegExp(`^First line of ${id}\\.[^]*Last line of ${id}\\.$`));
  }
});
