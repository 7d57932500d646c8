import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { feedFixture } from "./feed-fixture.contract.ts";

const withoutHash = (id: string | undefined): string | undefined => id?.replace(/_[0-9a-v]{10}$/, "_");

/** The same three items in every format: two share their SKU, one has none. None has an id. */
const FILES = {
  "a delimited file": `sku,title,link,price,color
S-1,Red shirt,https://shop.example/red,5 EUR,Red
S-1,Blue shirt,https://shop.example/blue,5 EUR,Blue
S-2,Cap,https://shop.example/cap,6 EUR,
,Mug,https://shop.example/mug,7 EUR,
`,
  "JSON Lines": [
    { sku: "S-1", title: "Red shirt", link: "https://shop.example/red", price: "5 EUR", color: "Red" },
    { sku: "S-1", title: "Blue shirt", link: "https://shop.example/blue", price: "5 EUR", color: "Blue" },
    { sku: "S-2", title: "Cap", link: "https://shop.example/cap", price: "6 EUR" },
    { title: "Mug", link: "https://shop.example/mug", price: "7 EUR" },
  ]
    .map((item) => JSON.stringify(item))
    .join("\n"),
  JSON: JSON.stringify({
    stock: [
      { sku: "S-1", title: "Red shirt", link: "https://shop.example/red", price: "5 EUR", color: "Red" },
      { sku: "S-1", title: "Blue shirt", link: "https://shop.example/blue", price: "5 EUR", color: "Blue" },
      { sku: "S-2", title: "Cap", link: "https://shop.example/cap", price: "6 EUR" },
      { title: "Mug", link: "https://shop.example/mug", price: "7 EUR" },
    ],
  }),
  XML: `<products>
<product><sku>S-1</sku><title>Red shirt</title><link>https://shop.example/red</link><price>5 EUR</price><color>Red</color></product>
<product><sku>S-1</sku><title>Blue shirt</title><link>https://shop.example/blue</link><price>5 EUR</price><color>Blue</color></product>
<product><sku>S-2</sku><title>Cap</title><link>https://shop.example/cap</link><price>6 EUR</price></product>
<product><title>Mug</title><link>https://shop.example/mug</link><price>7 EUR</price></product>
</products>`,
} as const;

describe("a file without ids", () => {
  for (const [format, body] of Object.entries(FILES)) {
    test(`${format}: has unique SKUs as ids, else ids generated from link and attributes`, async () => {
      await using world = await feedFixture();

      const events = await world.readPage(body);

      assert.deepEqual(
        draftsOf(events).map(({ id, sku }) => withoutHash(id ?? sku)),
        ["red-red_", "blue-blue_", "S-2", "mug_"],
      );
      assert.equal(warningsOf(events).filter((message) => message.includes("id is made")).length, 1);
    });
  }

  test("gets the same ids when rows are moved, added and removed", async () => {
    await using world = await feedFixture();
    const [header = "", ...rows] = FILES["a delimited file"].trimEnd().split("\n");
    const idsOf = async (...lines: readonly string[]) => {
      const drafts = draftsOf(await world.readPage([header, ...lines, ""].join("\n")));
      return new Map(drafts.map(({ title, id, sku }) => [title, id ?? sku]));
    };

    const before = await idsOf(...rows);
    const after = await idsOf("S-9,Hat,https://shop.example/hat,9 EUR,", ...rows.slice(0, 3).toReversed());

    for (const title of ["Red shirt", "Blue shirt", "Cap"]) assert.equal(after.get(title), before.get(title));
  });

  test("rows with ids keep them, also if other rows have none", async () => {
    await using world = await feedFixture();

    const drafts = draftsOf(
      await world.readPage(`id,sku,title,link,price
7,A,One,https://shop.example/1,5 EUR
,A,Two,https://shop.example/2,5 EUR
,7,Three,https://shop.example/3,5 EUR
`),
    );

    assert.deepEqual(
      drafts.map(({ id, sku }) => withoutHash(id ?? sku)),
      ["7", "A", "3_"],
      "the SKU 7 is another item's id",
    );
  });

  test("is refused if no column has a product name or price", async () => {
    await using world = await feedFixture();

    const posts = await failureOf(world.readPage("title,link,text\nHello,https://blog.example/1,World\n"));
    const list = await failureOf(world.readPage("title,color\nHello,red\n"));

    assert.match(posts.message, /no column for price/);
    assert.match(list.message, /no column for id or price or link/);
  });

  test("gets ids made of the titles if it has neither links nor SKUs", async () => {
    await using world = await feedFixture();

    const read = async (...rows: string[]) =>
      draftsOf(await world.readPage(["title,price", ...rows].join("\n"))).map(({ id }) => id);

    const [mug, pot] = await read("Blue mug,5 EUR", "Tea pot,9 EUR");
    assert.deepEqual([mug, pot].map(withoutHash), ["blue-mug_", "tea-pot_"]);
    assert.deepEqual(
      await read("Tea pot,8 EUR", "Cap,3 EUR", "Blue mug,5 EUR", "Blue mug,6 EUR").then((ids) => [
        ids[2],
        ids[0],
        ids[3],
      ]),
      [mug, pot, mug],
    );
  });
});
