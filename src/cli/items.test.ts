import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { commandLine } from "../../test/command-line.ts";
import { tempDir } from "../../test/fresh.ts";

const home = closeAfterTests(await commandLine());
const folder = closeAfterTests(await tempDir());

test("pushed items are removed by a filter or by their ids, after a dry run that counts them", async () => {
  await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  const file = join(folder.path, "cups.csv");
  await writeFile(file, "id,title,price\na,Blue cup,5 USD\nb,Red cup,5 USD\nc,Blue mug,5 USD\n");
  await home.data("push", file, "--catalog", "shop");
  const remove = ["items", "remove", "--catalog", "shop"];

  const counted = await home.run([...remove, "--q", "blue", "--dry-run"]);
  assert.match(counted.out, /^2 pushed items match, such as a, c\. Nothing was removed\./);
  const refused = await home.run(remove);
  assert.deepEqual([refused.status, /Say which items/.test(refused.talk)], [2, true]);
  const { stats } = await home.data<{ stats: { removed: number } }>(...remove, "--q", "blue");
  assert.equal(stats.removed, 2);
  await home.data(...remove, "b");

  const none = await home.run([...remove, "--all"]);
  assert.deepEqual([none.status, /No pushed item matches/.test(none.talk)], [2, true]);
});
