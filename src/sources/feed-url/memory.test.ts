import assert from "node:assert/strict";
import { test } from "node:test";
import { delimitedFeed } from "./delimited-feed.ts";
import { eventStage } from "./events.ts";
import { FEED_LIMITS } from "./limits.ts";

test("a stream of 200,000 rows passes through without gathering in memory", () => {
  const reader = delimitedFeed(",", FEED_LIMITS);
  const stage = eventStage({ reader, defaultDecimalMark: null, needsPrices: false });
  const description = "Glazed stoneware, dishwasher safe. ".repeat(20);
  let count = 0;
  let peak = 0;
  const take = (text: string): void => {
    for (const event of stage.push(reader.push(text))) if (event.kind === "draft") count += 1;
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  };

  const before = process.memoryUsage().heapUsed;
  take("id,title,description,link,price\n");
  for (let page = 0; page < 2_000; page += 1) {
    take(
      Array.from(
        { length: 100 },
        (_, row) => `${page}-${row},Mug,"${description}",https://shop.example/p/${row},5.90\n`,
      ).join(""),
    );
  }
  stage.end();

  assert.equal(count, 200_000);
  // 150 MB went through; what the collector has not got round to yet is within this as well.
  assert.ok(peak - before < 64_000_000, `${Math.round((peak - before) / 1e6)} MB`);
});
