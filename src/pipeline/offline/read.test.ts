import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../../test/fresh.ts";
import { offlineFeed } from "../../../test/offline-feed.ts";
import { validateFeed } from "../../channels/validate.ts";
import { MAX_PART } from "../render/item-groups.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { renderOffline } from "../render/to-folder.ts";

const RENDER = { files: FEED_FILES, settings: { sellerName: "Shop" }, now: new Date(0) };

async function readText(dir: string, text: string) {
  const { write, read } = offlineFeed(dir);
  await write(text);
  return read();
}

const row = (id: string, group: string, price = "5.00 USD") =>
  `${id},Thing ${id},${group},https://shop.example/${id},https://shop.example/${id}.jpg,A thing.,Acme,in_stock,${price}`;
const feed = (...rows: readonly string[]) =>
  ["id,title,item_group_id,link,image_link,description,brand,availability,price", ...rows, ""].join("\n");

test("variants that are scattered over a file are grouped, and the numbers add up", async () => {
  await using dir = await tempDir();

  const { groups, stats } = await readText(
    dir.path,
    feed(row("b2", "b"), row("a", ""), row("b1", "b"), row("x", "", "free?"), row("a", "")),
  );

  assert.deepEqual(
    groups.map(({ groupId, items, isWhole }) => [groupId, items.map(({ id }) => id), isWhole]),
    [
      [null, ["a"], true],
      ["b", ["b1", "b2"], true],
    ],
  );
  assert.deepEqual([stats.seen, stats.upserted, stats.rejected], [5, 3, 2]);
  assert.deepEqual(
    stats.rejections.map(({ position, code }) => [position, code]),
    [
      [4, "invalid_price"],
      [5, "duplicate_item_id"],
    ],
  );
});

test("a very large group is split into parts that are not whole", async () => {
  await using dir = await tempDir();
  const rows = Array.from({ length: MAX_PART + 1 }, (_, i) => row(`v${String(i).padStart(4, "0")}`, "giant"));

  const { groups } = await readText(dir.path, feed(...rows));

  assert.deepEqual(
    groups.map(({ items, isWhole }) => [items.length, isWhole]),
    [
      [MAX_PART, false],
      [1, false],
    ],
  );
});

test("the four files are written whole, and account for every item", async () => {
  await using dir = await tempDir();
  const { groups } = await readText(dir.path, feed(row("a", ""), row("b1", "b"), row("b2", "b")));
  const folder = join(dir.path, "out");

  const { files } = await renderOffline(groups, { ...RENDER, folder });

  assert.deepEqual(
    Object.entries(files).map(([file, { written, excluded }]) => [file, written + excluded]),
    [
      ["acp.csv", 3],
      ["acp.json", 3],
      ["gmc.tsv", 3],
      ["jsonld.json", 3],
    ],
  );
  const { products } = JSON.parse(await readFile(join(folder, "acp.json"), "utf8")) as { products: object[] };
  assert.equal(products.length, 3);
});

test("a Shopify export of repeated SKUs, long handles and no quantities: all of it is in valid files", async () => {
  await using dir = await tempDir();
  const header =
    "Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src";
  const long = "a-handle-that-shopify-made-from-a-very-long-title-with-many-words";
  const rows = [
    "tee,Tee shirt,Soft cotton.,Acme,Color,Red,T-1,10,https://c.example/1.jpg",
    "tee,,,,,Blue,T-1,10,https://c.example/2.jpg",
    "tee,,,,,Green,cap,10,",
    `${long},Long,Very long.,Acme,Color,Warm white,,10,https://c.example/3.jpg`,
    `${long},,,,,Cold white,,10,`,
    "tee-red,Red tee,Another shirt.,Acme,Title,Default Title,tee,10,https://c.example/4.jpg",
    "cap,Cap,A cap.,Acme,Title,Default Title,,10,https://c.example/5.jpg",
  ];
  const { groups, stats } = await readText(dir.path, [header, ...rows, ""].join("\n"));
  const folder = join(dir.path, "out");

  const { files } = await renderOffline(groups, { ...RENDER, folder });

  assert.deepEqual([stats.seen, stats.rejected], [7, 0]);
  for (const file of ["acp.csv", "gmc.tsv"] as const) {
    const report = await validateFeed(createReadStream(join(folder, file)), {
      format: file,
      now: new Date(0),
    });
    assert.deepEqual([files[file]?.written, files[file]?.excluded, report.rows], [7, 0, 7], file);
    const found = report.problems.filter(
      ({ rule, severity }) => severity === "error" || rule.includes("parentrow"),
    );
    assert.deepEqual(found, [], file);
  }
});

test("a Google feed with variant_option and color columns: variant_dict has both", async () => {
  await using dir = await tempDir();
  const { groups } = await readText(
    dir.path,
    `id,title,item_group_id,link,image_link,description,brand,availability,price,color,size,variant_option
b1,Bag,b,https://shop.example/b1,https://c.example/1.jpg,A bag.,Acme,in_stock,5 USD,Red,M,Strap:long
b2,Bag,b,https://shop.example/b2,https://c.example/2.jpg,A bag.,Acme,in_stock,5 USD,Blue,L,Strap:long
`,
  );
  const folder = join(dir.path, "out");

  await renderOffline(groups, { ...RENDER, folder });

  const { products } = JSON.parse(await readFile(join(folder, "acp.json"), "utf8")) as {
    products: { variant_dict: unknown }[];
  };
  assert.deepEqual(
    products.map(({ variant_dict }) => variant_dict),
    [
      { Strap: "long", color: "Red", size: "M" },
      { Strap: "long", color: "Blue", size: "L" },
    ],
  );
});

test("a missing file is an error, not an empty catalog", async () => {
  await using dir = await tempDir();

  await assert.rejects(offlineFeed(dir.path).read(), { code: "source_not_found" });
});
