import type { JsonObject } from "../../lib/json-object.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Draft, LIST_FIELDS, TEXT_FIELDS } from "../../catalog/draft.ts";
import { GOOGLE_COLUMNS } from "../../catalog/google-attributes.ts";
import { snakeCase } from "../../lib/snake-case.ts";
import { dynamicColumns, planByNames } from "../product-record/dynamic-columns.ts";
import { fold } from "../product-record/aliases.ts";
import { setJsonFields } from "../product-record/json-fields.ts";
import { RECORD_LIMITS } from "../product-record/limits.ts";
import { clearedIn, PUSH_FIELDS, readPushName } from "./push-fields.ts";

const draftOf = (object: JsonObject): Draft =>
  dynamicColumns(100, planByNames(readPushName)).map((set) => setJsonFields(object, RECORD_LIMITS, set));

test("every field of a draft can be pushed under its own name, in snake_case and in camelCase", () => {
  for (const field of TEXT_FIELDS) {
    assert.deepEqual(draftOf({ [snakeCase(field)]: "7" })[field], "7", field);
    assert.deepEqual(draftOf({ [field]: "7" })[field], "7", field);
  }
  for (const field of LIST_FIELDS) {
    assert.deepEqual(draftOf({ [snakeCase(field)]: ["//a.example/1"] })[field], ["//a.example/1"], field);
  }
});

test("the groups of a draft can be pushed as they are", () => {
  const groups = {
    options: [{ name: "Color", value: "Teal" }],
    details: [{ section: "Care", name: "Dishwasher", value: "Yes" }],
    shipping: [
      {
        country: "US",
        region: "CA",
        postalCode: "94107",
        service: "Ground",
        price: "4.90 USD",
        minHandling: "1",
        maxHandling: "2",
        minTransit: "3",
        maxTransit: "4",
      },
    ],
    certifications: [{ authority: "EC", name: "EPREL", code: "123" }],
  };

  assert.deepEqual(draftOf(groups), groups);
});

test("in a push, our own name has priority over the meaning it has in feeds", () => {
  assert.deepEqual(draftOf({ price: "8.00 USD", list_price: "10.00 USD" }), {
    price: "8.00 USD",
    listPrice: "10.00 USD",
  });
});

test("our own name has priority over any other, in any order", () => {
  for (const field of TEXT_FIELDS) {
    const { aliases = [] } = PUSH_FIELDS.find(({ name }) => name === fold(field)) ?? {};
    for (const alias of aliases) {
      assert.equal(draftOf({ [alias]: "other", [field]: "own" })[field], "own", `${field}, ${alias}`);
      assert.equal(draftOf({ [field]: "own", [alias]: "other" })[field], "own", `${field}, ${alias}`);
    }
  }
});

test("the documented names are all different, and none is another field's alias", () => {
  const names = PUSH_FIELDS.map(({ name }) => name);
  const aliases = PUSH_FIELDS.flatMap((field) => field.aliases);

  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    aliases.filter((alias) => names.includes(alias)),
    [],
  );
});

test("an unknown name inside google does not affect the other attributes", () => {
  const { google } = draftOf({
    google: { pause: "ads", excludedDestinations: ["Shopping_ads"], pauze: "x" },
  });

  assert.deepEqual(google, { pause: ["ads"], excluded_destination: ["Shopping_ads"] });
});

test("names of built-in object properties are no attributes and no sub-attributes of Google", () => {
  const google = JSON.parse('{"__proto__": "a", "constructor": "b", "pause": "ads"}') as JsonObject;

  assert.deepEqual(draftOf({ google, "installment(constructor)": "6" }).google, { pause: ["ads"] });
});

test("null clears one attribute inside google, and google: null clears all of them", () => {
  assert.deepEqual(clearedIn({ google: { pause: null, installment: { months: 6 } } }, {}), ["pause"]);
  assert.deepEqual(clearedIn({ google: { pause: null } }, { google: { pause: ["ads"] } }), []);
  assert.deepEqual(clearedIn({ google: null }, {}), GOOGLE_COLUMNS);
});
