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

test("a value that may be null is null, or only what its schema names", () => {
  const mug = { type: "object", properties: { id: { anyOf: [{ type: "string" }, { type: "null" }] } } };
  const orNull = (value: object) => ({ anyOf: [value, { type: "null" }], description: "It may be null." });
  const properties = {
    text: orNull({ type: "string" }),
    count: orNull({ type: "integer" }),
    at: orNull({ type: "string", format: "date-time" }),
    state: orNull({ enum: ["on", "off"] }),
    mug: orNull(mug),
    mugs: orNull({ type: "array", items: orNull(mug) }),
    figure: orNull({ anyOf: [{ type: "number" }, { type: "string" }] }),
    mixed: orNull({ anyOf: [{ type: "number" }, mug] }),
  };
  const schema = { type: "object", properties };
  const serialize = buildSerializer({}, {})({ method: "GET", url: "/a", httpStatus: "200", schema });
  const sent = (value: object): unknown => JSON.parse(serialize(value));

  const nulls = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  assert.deepEqual(sent(nulls), nulls);
  const values = { text: "", count: 0, at: "2026-11-15T06:00:00.000Z", state: "off", figure: 1.5, mixed: 2 };
  const secret = { id: "x", secret: "y" };
  assert.deepEqual(sent({ ...values, mug: secret, mugs: [secret, null, { id: null, secret: 1 }] }), {
    ...values,
    mug: { id: "x" },
    mugs: [{ id: "x" }, null, { id: null }],
  });
  assert.deepEqual(sent({ figure: "7", mixed: secret }), { figure: "7", mixed: { id: "x" } });
});
