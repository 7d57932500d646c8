/** Names that are renamed at the edges: of columns, and of the fields of answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { camelCase, snakeCase, withCamelCase, withSnakeCase } from "./snake-case.ts";

test("an answer has its names in snake case at every depth, and its times as text", () => {
  const at = new Date("2026-03-01T12:00:00.007Z");
  const row = { runId: "r", endedAt: null, files: [{ gzipBytes: 1, lastModified: at }], skipped: undefined };

  const body = withSnakeCase(row);

  const files = [{ gzip_bytes: 1, last_modified: "2026-03-01T12:00:00.007Z" }];
  assert.deepEqual(body, { run_id: "r", ended_at: null, files, skipped: undefined });
  assert.deepEqual(Object.keys(body), ["run_id", "ended_at", "files", "skipped"]);
});

test("a map cannot be part of an answer that is renamed, because its keys are data", () => {
  const settings: Readonly<Record<string, string>> = { hostKey: "a" };

  // @ts-expect-error -- this is what is tested
  const body: { readonly settings: Readonly<Record<string, string>> } = withSnakeCase({ settings });

  assert.ok(body);
});

test("a column's name in camel case is the same column in snake case", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const column = words.join("_");
      assert.equal(snakeCase(camelCase(column)), column);
    }),
  );
});

test("a request has the fields of its body in camel case, and what is inside of them as it was sent", () => {
  const body = { source_id: "s", settings: { host_key: "a" }, items: [{ item_id: "i" }] };

  assert.deepEqual(withCamelCase(body), {
    sourceId: "s",
    settings: { host_key: "a" },
    items: [{ item_id: "i" }],
  });
});
