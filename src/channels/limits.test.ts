/** The limits that are known before an item reaches a channel are the lowest of all hosted files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GOOGLE_LIMITS } from "../catalog/google-limits.ts";
import { type Field, type FieldTable, limitOf } from "./kit/field-table.ts";
import { CHANNELS, FEED_FILES } from "./registry.ts";

function lowest(...names: readonly string[]): number {
  const fields = FEED_FILES.flatMap((file): readonly (Field | undefined)[] => {
    const table: FieldTable = CHANNELS[file].fieldTable;
    return "fields" in table ? names.map((name) => table.fields[name]) : [];
  });
  return Math.min(
    ...fields.map((field) => (field === undefined ? Number.POSITIVE_INFINITY : limitOf(field))),
  );
}

test("generated ids and warnings about cut texts use the lowest limit of all hosted files", () => {
  assert.equal(GOOGLE_LIMITS.id, lowest("id", "item_id"));
  assert.equal(GOOGLE_LIMITS.title, lowest("title"));
  assert.equal(GOOGLE_LIMITS.description, lowest("description"));
});
