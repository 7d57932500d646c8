import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CONNECTORS } from "../registry.ts";
import { BIGCOMMERCE_LIMITS, PERMISSIONS, STATUS_RULES } from "./client.ts";
import { BIGCOMMERCE_FIELDS } from "./settings.ts";

const page = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, "../../../docs/sources", name), "utf8");

/** The first words of a sentence: enough to find it. */
const opening = (sentence: string): string => sentence.split(/[:,.]/, 1)[0] ?? "";

test("the merchant's page names every setting and every permission", async () => {
  const text = await page("bigcommerce.md");

  for (const { name } of BIGCOMMERCE_FIELDS) assert.ok(text.includes(`| \`${name}\` |`), name);
  for (const { label, scope } of Object.values(PERMISSIONS)) {
    assert.ok(text.includes(`| ${label} | read-only | \`${scope}\` |`), scope);
  }
});

test("the merchant's page has every failure, with its code and its statuses", async () => {
  const rows = (await page("bigcommerce.md")).split("\n").filter((line) => line.startsWith("|"));

  for (const [status, { message, code }] of Object.entries(STATUS_RULES)) {
    const row = rows.find((line) => line.includes(opening(message)) && line.includes(status));
    assert.ok(row?.includes(`\`${code}\``), `${status}: ${opening(message)}`);
  }
});

test("the merchant's page has the limits of the program", async () => {
  const text = await page("bigcommerce.md");

  assert.ok(text.includes(`${BIGCOMMERCE_LIMITS.maxCached.toLocaleString("en")} of each`));
  assert.ok(text.includes(`up to ${BIGCOMMERCE_LIMITS.maxPageProducts} products a request`));
  assert.ok(text.includes(`${(BIGCOMMERCE_LIMITS.http.maxBytes ?? 0) / 1e6} MB`));
});

test("the page of the feed URL names every setting of it", async () => {
  const text = await page("feed-url.md");

  for (const { name } of CONNECTORS.feed_url.fields) assert.ok(text.includes(`| \`${name}\` |`), name);
});
