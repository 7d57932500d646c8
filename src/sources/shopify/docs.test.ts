import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { GRANT_FAILURES, GRAPHQL_FAILURES, OTHER_FAILURES, STATUS_FAILURES } from "./failures.ts";
import { FEED_ATTRIBUTES } from "../kit/feed-attributes.ts";
import { API_VERSION } from "./queries.ts";
import { SHOPIFY_LIMITS } from "./client.ts";
import { SHOPIFY_FIELDS } from "./settings.ts";

const path = join(import.meta.dirname, "..", "..", "..", "docs", "sources", "shopify.md");
const page = await readFile(path, "utf8");

for (const { name } of SHOPIFY_FIELDS) {
  test(`the page for merchants explains the setting ${name}`, () => {
    assert.match(page, new RegExp(`^\\| \`${name}\` \\| .{20,}`, "m"));
  });
}

test("the page for merchants names every field that a metafield can fill", () => {
  // The labels in the middle are named by the first and the last of them.
  const named = Object.keys(FEED_ATTRIBUTES).filter((name) => !/custom_label_[123]/.test(name));

  for (const name of named) assert.ok(page.includes(`\`${name}\``), name);
});

test("the page for merchants has the figures of the code", () => {
  assert.ok(page.includes(`version ${API_VERSION}`));
  assert.ok(page.includes(`fewer than ${SHOPIFY_LIMITS.bulk.fromProducts} products`));
});

/** What each failure is about, in the words a merchant will search for. */
const KEY_PHRASES = [
  "does not know the access token",
  "frozen",
  "refuses the app access",
  "no shop of this name",
  "locked the shop",
  "fewer requests",
  "suspicious",
  "lacks the scope",
  "closed or paused",
  "too costly",
  "problem of its own",
  "took too long",
  "did not understand our query",
  "without data",
  "does not know this client id and secret",
  "knows no app with this client id",
  "same organization",
  "not installed on this shop",
  "gave no token",
  "does not accept it on this shop",
];

const TABLES = [STATUS_FAILURES, GRAPHQL_FAILURES, GRANT_FAILURES, OTHER_FAILURES];

test("the page for merchants lists every failure, in the words of the program", () => {
  const sentences = TABLES.flatMap((table) => Object.values(table).map(({ message }) => message));

  for (const message of sentences)
    assert.ok(
      KEY_PHRASES.some((words) => message.includes(words)),
      message,
    );
  for (const words of KEY_PHRASES) {
    assert.ok(
      sentences.some((message) => message.includes(words)),
      words,
    );
    assert.ok(page.toLowerCase().includes(words), `the page does not have "${words}"`);
  }
});
