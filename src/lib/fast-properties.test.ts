import assert from "node:assert/strict";
import { test } from "node:test";
import { objectWithFastProperties } from "./fast-properties.ts";

test("an object with fast properties is empty, and otherwise like any other", () => {
  const object = objectWithFastProperties() as Record<string, number>;
  assert.deepEqual(object, {});

  for (let i = 0; i < 40; i += 1) object[`field${i}`] = i;

  assert.deepEqual(object, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, i])));
  assert.equal(object.constructor, Object);
});
