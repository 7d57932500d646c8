/** `shelfwire rules`: a file of rules in and out, with a dry run. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { commandLine } from "../../test/command-line.ts";
import { articles, openShop } from "../../test/fakes/shop.ts";
import { tempDir } from "../../test/fresh.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());
const folder = closeAfterTests(await tempDir());
shop.stock(articles(3));
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
const add = ["source", "add", "--catalog", "shop", "--kind", "feed_url", "--name", "Feed"];
const { id } = await home.data<{ id: string }>(...add, "--set", `url=${shop.url}`);
await home.data("sync", "--source", id);

const RULES = {
  rules: [{ name: "Label", action: { type: "set", field: "custom_label0", value: "autumn" } }],
  categories: { "Home > Mugs": "2169", "Home > Gifts": null },
};

async function file(content: unknown): Promise<string> {
  const path = join(folder.path, "rules.json");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

test("a dry run says what would change and stores nothing; an import applies; an export gives the file back", async () => {
  const path = await file(RULES);

  const dry = await home.run(["rules", "import", path, "--catalog", "shop", "--dry-run"]);
  const none = await home.data<{ versions: unknown[] }>("rules", "list", "--catalog", "shop");
  const imported = await home.run(["rules", "import", path, "--catalog", "shop", "--note", "Autumn sale"]);
  const exported = await home.run(["rules", "export", "--catalog", "shop"]);
  const list = await home.run(["rules", "list", "--catalog", "shop"]);

  assert.match(dry.out, /^3 items would change\. Nothing was stored\.$/m, dry.talk);
  assert.match(dry.out, /custom_label0: \(empty\) → autumn/);
  assert.deepEqual(none.versions, []);
  assert.match(imported.out, /Version 1 is in force: 3 items have changed\./, imported.talk);
  assert.deepEqual(JSON.parse(exported.out), {
    ...RULES,
    categories: { "Home > Gifts": null, "Home > Mugs": "2169" },
  });
  assert.match(list.out, /^1 .*Autumn sale$/m);
});

test("a file that is none, an unknown field and an unknown category are refused with a sentence", async () => {
  const cases = [
    ["nothing", /is not JSON/],
    [{ rules: [{ name: "x" }] }, /is not a file of rules\. rules\.0\.action: Is required\./],
    [{ rules: [], categoriez: {} }, /There is no field "categoriez"\. Did you mean categories\?/],
    [{}, /is not a file of rules\. rules: Is required\./],
    [[], /is not a file of rules\. Must be a JSON object\. Got a list\./],
    [
      { rules: [{ name: "x", channel: "bing", action: { type: "exclude" } }] },
      /rules\.0\.channel: Must be one of: .* or a list\. Got "bing"\./,
    ],
    [{ rules: [{ name: "x", action: { type: "set", field: "brnad", value: "y" } }] }, /no field "brnad"/],
    [{ rules: [], categories: { "Home > Mugs": "999999" } }, /no category "999999"/],
  ] as const;
  for (const [content, sentence] of cases) {
    const refused = await home.run(["rules", "import", await file(content), "--catalog", "shop"]);
    assert.equal(refused.status, 2);
    assert.match(refused.talk, sentence);
  }
});

test("all problems of a file are listed by their place, with and without a dry run; of many the first 20", async () => {
  const wrong = (count: number) => ({
    rules: Array.from({ length: count }, (_, at) => ({
      name: `Rule ${at}`,
      action: { type: "set", field: `wrong${at}`, value: "x" },
    })),
  });
  const refuse = async (count: number, ...more: readonly string[]) =>
    home.run(["rules", "import", await file(wrong(count)), "--catalog", "shop", ...more]);

  const [few, dry, many] = [await refuse(3), await refuse(3, "--dry-run"), await refuse(22)];

  assert.deepEqual([few.status, dry], [2, few]);
  const [sentence, ...lines] = few.talk.trimEnd().split("\n");
  assert.match(
    sentence ?? "",
    /^The rule "Rule 0" cannot be used: .* And 2 more problems\. Nothing was stored\./,
  );
  assert.equal(lines.length, 3);
  for (const [at, line] of lines.entries())
    assert.ok(line.startsWith(`  /rules/${at}/action/field: There is no field "wrong${at}".`), line);
  assert.match(many.talk, /^ {2}\/rules\/19\/action\/field: .*\n {2}and 2 more problems\n$/m);
});

test("a file is the whole state: category mappings that it lacks are removed, and without the key they stay", async () => {
  const importFile = async (content: object, ...more: readonly string[]) =>
    home.run(["rules", "import", await file(content), "--catalog", "shop", ...more]);
  const exported = async () =>
    JSON.parse((await home.run(["rules", "export", "--catalog", "shop"])).out) as typeof RULES;
  const { rules } = RULES;
  await importFile(RULES);

  const dry = await importFile({ rules: [], categories: { Articles: "2169" } }, "--dry-run");
  const untouched = (await exported()).categories;
  await importFile({ rules });
  const kept = (await exported()).categories;
  await importFile({ rules, categories: { "Home > Mugs": null } });
  const replaced = (await exported()).categories;
  await importFile({ rules, categories: {} });
  const none = (await exported()).categories;
  const refused = await importFile({ rules: [], categories: ["Home"] });

  assert.match(dry.out, /^3 items would change\. Nothing was stored\.$/m, dry.talk);
  assert.deepEqual([untouched, kept], [RULES.categories, RULES.categories]);
  assert.deepEqual(replaced, { "Home > Mugs": null });
  assert.deepEqual(none, {});
  assert.match(refused.talk, /categories must be an object of category paths/);
});
