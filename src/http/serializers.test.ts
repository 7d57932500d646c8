import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSerializer } from "./serializers.ts";

test("a schema has one serializer, however many routes and applications use it", () => {
  const schema = { type: "object", properties: { id: { type: "string" } } };
  const route = { method: "GET", url: "/a", httpStatus: "200", schema };

  const first = buildSerializer({}, {})(route);
  const second = buildSerializer({}, {})({ ...route, url: "/b", httpStatus: "404" });
  const other = buildSerializer({}, {})({ ...route, schema: { ...schema, properties: {} } });

  assert.equal(second, first);
  assert.notEqual(other, first);
  assert.equal(first({ id: "x", secret: "y" }), '{"id":"x"}');
});
