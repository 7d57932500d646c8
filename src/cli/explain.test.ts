/** `shelfwire explain` on the command line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { commandLine } from "../../test/command-line.ts";
import { article, openShop } from "../../test/fakes/shop.ts";
import type { ItemExplanation } from "../contract/explain.ts";
import { explainLines } from "./explain-lines.ts";

const home = closeAfterTests(await commandLine());
const shop = closeAfterTests(await openShop());

await home.data("catalog", "create", "--slug", "mugs", "--name", "Mugs", "--currency", "USD");
const source = ["source", "add", "--catalog", "mugs", "--kind", "feed_url", "--set", `url=${shop.url}`];
const { id: sourceId } = await home.data<{ id: string }>(...source, "--name", "Outlet");
shop.stock([article("tee/1", { brand: "" })]);
await home.data("sync", "--source", sourceId);

test("explain prints the source, why a destination will refuse the item, and each field with its texts", async () => {
  const { status, out } = await home.run(["explain", "tee/1", "--catalog", "mugs"]);

  assert.equal(status, 0);
  assert.match(out, /^From Outlet \(feed_url\), last run [0-9a-f-]{36} at \S+Z\.$/m);
  assert.match(out, /^Will be refused \(acp\.csv\): .*brand/m);
  assert.match(out, /^title\n {2}source .*\n {2}gmc\.tsv .* {3}title$/m);
  assert.match(
    out,
    /^ {2}jsonld\.json {3}https:\/\/schema\.org\/InStock {3}offers\.availability, in another form$/m,
  );
});

test("with --field, --channel and --json it prints that part as the API answers it", async () => {
  const line = ["explain", "tee/1", "--catalog", "mugs", "--field", "item_group_id", "--channel", "google"];
  const { fields, files } = await home.data<ItemExplanation>(...line);

  assert.deepEqual(
    fields.map(({ field }) => field),
    ["group_id"],
  );
  assert.deepEqual(
    files.map(({ file }) => file),
    ["gmc.tsv"],
  );
});

test("an unknown item, field or channel ends with the status of a wrong call", async () => {
  const ends = async (...more: readonly string[]) => home.run(["explain", "--catalog", "mugs", ...more]);

  const item = await ends("nothing");
  const field = await ends("tee/1", "--field", "titel");
  const channel = await ends("tee/1", "--channel", "bing");

  assert.deepEqual([item.status, field.status, channel.status], [2, 2, 2]);
  assert.match(item.talk, /no item "nothing"/);
  assert.match(field.talk, /no field "titel"/);
  assert.match(channel.talk, /--channel must be one of google, openai, schema_org/);
});

test("colors are used only where they are wanted", async () => {
  const explanation = await home.data<ItemExplanation>("explain", "tee/1", "--catalog", "mugs");
  const linesIn = (hasColor: boolean): string =>
    explainLines(explanation, { hasColor, width: 60 }).join("\n");
  const escape = "\u001b[";

  assert.ok(linesIn(true).includes(escape));
  assert.ok(!linesIn(false).includes(escape));
});
