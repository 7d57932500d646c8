import assert from "node:assert/strict";
import { test } from "node:test";
import { heldBytes } from "../../../test/held-bytes.ts";
import { delimitedFeed } from "./delimited-feed.ts";
import { eventStage } from "./events.ts";
import { FEED_LIMITS } from "./limits.ts";

test("a stream of 16,000 rows is read in bounded memory", () => {
  const reader = delimitedFeed(",", FEED_LIMITS);
  const stage = eventStage({ reader, defaultDecimalMark: null, needsPrices: false });
  const description = "Glazed stoneware, dishwasher safe. ".repeat(20);
  let count = 0;
  let peak = 0;
  const take = (text: string): void => {
    for (const event of stage.push(reader.push(text))) if (event.kind === "draft") count += 1;
  };

  const before = heldBytes();
  take("id,title,description,link,price\n");
  for (let page = 0; page < 160; page += 1) {
    take(
      Array.from(
        { length: 100 },
        (_, row) => `${page}-${row},Mug,"${description}",https://shop.example/p/${row},5.90\n`,
      ).join(""),
    );
    if (page % 20 === 0) peak = Math.max(peak, heldBytes());
  }
  stage.end();

  assert.equal(count, 16_000);
  // 12 MB went through.
  assert.ok(peak - before < 4_000_000, `${peak - before} bytes`);
});
