/**
 * Our own files through the validators, which are independent of the renderers. Exactly the items that a renderer
 * reports as refused have errors. Only an empty catalog has errors of another kind.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ChannelFile, VALIDATORS } from "./registry.ts";
import { inPieces } from "./validate.fixture.ts";
import { goldenFeeds } from "./golden.fixture.ts";
import { validateFeed } from "./validate.ts";

/** What is wrong with whole files, by case. */
const UNAVOIDABLE: Readonly<Record<string, Partial<Readonly<Record<ChannelFile, readonly string[]>>>>> = {
  "an empty catalog gives four empty files": {
    "acp.csv": ["FILE-EMPTY"],
    "acp.json": ["FILE-EMPTY"],
    "gmc.tsv": ["gmc.file.empty"],
    "gmc.xml": ["gmc.file.empty"],
    "jsonld.json": ["jsonld.empty"],
  },
};

const FEEDS = goldenFeeds();

for (const file of VALIDATORS.keys()) {
  describe(`golden ${file}`, () => {
    for (const { name, text, asOf, refused } of FEEDS.filter((feed) => feed.file === file)) {
      test(name, async () => {
        const report = await validateFeed(inPieces(text), { format: file, now: asOf });

        const errors = report.problems.filter(({ severity }) => severity === "error");
        const expected = errors.filter(({ itemId }) => itemId !== null && refused.has(itemId));
        assert.deepEqual(new Set(expected.map(({ itemId }) => itemId)), refused);
        assert.deepEqual(
          errors.filter((error) => !expected.includes(error)).map(({ rule }) => rule),
          UNAVOIDABLE[name]?.[file] ?? [],
          JSON.stringify(errors, null, 2),
        );
      });
    }
  });
}

test("every case in the list of expected errors exists", () => {
  const names = new Set(FEEDS.map(({ name }) => name));

  assert.deepEqual(
    Object.keys(UNAVOIDABLE).filter((name) => !names.has(name)),
    [],
  );
});
