import assert from "node:assert/strict";
import { test } from "node:test";
import { Type as Typebox } from "typebox";
import { Type } from "./type.ts";

/** Every builder, with and without options, optional properties in each place where they count. */
function schemas(type: typeof Type) {
  const title = { title: "T", description: "D" };
  const note = type.Optional(type.String({ maxLength: 3, ...title }));
  const product = type.Object(
    { id: type.String(), price: type.Number({ minimum: 0 }), stock: type.Optional(type.Integer()), note },
    { additionalProperties: false, ...title },
  );
  return [
    ...[type.String, type.Integer, type.Number, type.Boolean, type.Null, type.Unknown].flatMap((build) => [
      build(),
      build(title),
    ]),
    ...[true, 3, "a"].flatMap((value) => [type.Literal(value), type.Literal(value, title)]),
    type.Enum(["a", "b"]),
    type.Enum(["a", "b"], title),
    type.Array(note, { maxItems: 2 }),
    type.Union([type.String(), type.Null()], title),
    type.Record(type.String(), product, title),
    type.Object({}),
    type.Object({ note }),
    type.Object({ ...product.properties, data: type.Array(product) }),
    product,
    type.Partial(product),
    type.Partial(product, { additionalProperties: false }),
    type.Object({ key: type.Integer(), ...type.Partial(product).properties }),
    type.Pick(product, ["price", "note"]),
    type.Pick(product, ["stock"], title),
  ];
}

test("schemas are those of typebox, with their keys in the same order", () => {
  assert.equal(
    JSON.stringify(schemas(Type), null, 1),
    JSON.stringify(schemas(Typebox as typeof Type), null, 1),
  );
});
