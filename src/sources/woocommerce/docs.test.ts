import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { WOO_LIMITS } from "./client.ts";
import { RULES } from "./failures.ts";
import { WOO_FIELDS } from "./settings.ts";

const page = await readFile(join(import.meta.dirname, "../../../docs/sources/woocommerce.md"), "utf8");

describe("the page for merchants", () => {
  test("names every setting, and whether it is required", () => {
    for (const { name, required } of WOO_FIELDS) {
      assert.ok(page.includes(`| \`${name}\` | ${required ? "yes" : "no"} |`), name);
    }
  });

  test("states the limits", () => {
    const { pageSize, minPageSize, retries, maxSingles, optionalMs } = WOO_LIMITS;
    const waits = retries.waitsMs.map((ms) => ms / 1_000);

    assert.ok(page.includes(`- ${pageSize} products or variations a request`));
    assert.ok(page.includes(`down to ${minPageSize}.`));
    assert.ok(page.includes(`- At most ${maxSingles} variations`));
    assert.ok(page.includes(`once and for ${optionalMs / 1_000} seconds at most`));
    assert.ok(page.includes(`after ${waits.slice(0, -1).join(", ")} and ${waits.at(-1)} seconds`));
  });

  test("explains every failure by the beginning of its message", () => {
    for (const { message } of Object.values(RULES)) {
      const [words = message] = message.split(/[.:,]/);
      assert.ok(page.includes(`| ${words}`), words);
    }
  });
});
