/** The example of docs/add-a-channel.md, as a reader would write it down. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { tempDir } from "../../test/fresh.ts";
import type { Item } from "../catalog/item.ts";
import type { Channel } from "./channel.ts";

const PAGE = new URL("../../docs/add-a-channel.md", import.meta.url);
const HERE = new URL("./", import.meta.url).href;

const mug = (id: string, amount: string): Item => ({
  id,
  title: 'The "best" mug',
  link: "https://shop.example/mug",
  price: { amount, currency: "USD" },
  availability: "in_stock",
  options: [{ name: "Color", value: "Teal" }],
});

test("the example channel in docs/add-a-channel.md renders the documented output", async () => {
  await using dir = await tempDir();
  const page = await readFile(PAGE, "utf8");
  const files = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code.replace(/^ {3}/gm, ""));
  const names = [...page.matchAll(/`src\/channels\/simple\/(\w+\.ts)`/g)].map(([, name = ""]) => name);
  assert.deepEqual(names, ["fields.ts", "render.ts", "channel.ts"]);
  for (const [place, name] of names.entries())
    await writeFile(join(dir.path, name), (files[place] ?? "").replaceAll('from "../', `from "${HERE}`));

  const { simpleCsv } = (await import(pathToFileURL(join(dir.path, "channel.ts")).href)) as {
    simpleCsv: Channel;
  };
  const now = new Date("2026-11-14T10:00:00.000Z");
  const context = { catalog: { slug: "shop", name: "Shop" }, settings: {}, asOf: now, snapshotAt: now };
  const writer = simpleCsv.open(context);
  const { text, written, excluded } = writer.group({
    groupId: "MUG",
    whole: true,
    items: [mug("M-1", "18.00"), mug("M-2", "0.00")],
  });

  assert.equal(writer.head() + text, 'id,title,price\n"M-1","The ""best"" mug, Teal","18.00 USD"\n');
  assert.deepEqual([written, excluded.map(({ code }) => code)], [1, ["price_not_positive"]]);
});
