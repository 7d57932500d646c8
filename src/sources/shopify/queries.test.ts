import assert from "node:assert/strict";
import { test } from "node:test";
import { NoDeprecatedCustomRule, parse, specifiedRules, validate, visit } from "graphql";
import { LONGEST, SHOPIFY_QUERIES, SHORTEST } from "../../../test/fakes/shopify-queries.ts";
import { ADMIN_VERSIONS, adminSchema } from "../../../test/fakes/shopify-schema.ts";
import { API_VERSION, bulkQuery, type Extras, pageQuery } from "./queries.ts";

for (const version of ADMIN_VERSIONS) {
  test(`every query is valid in Shopify's schema of ${version}, without deprecated fields`, () => {
    const schema = adminSchema(version);

    for (const [name, text] of Object.entries(SHOPIFY_QUERIES)) {
      const problems = validate(schema, parse(text), [...specifiedRules, NoDeprecatedCustomRule]);
      assert.deepEqual(
        problems.map(({ message }) => message),
        [],
        name,
      );
    }
  });
}

test("our API version is the newest one that is checked", () => {
  assert.equal(API_VERSION, ADMIN_VERSIONS.at(-1));
});

test("the bulk query keeps Shopify's limits: five connections, two levels deep, an id on each", () => {
  for (const extras of [SHORTEST, LONGEST]) {
    let connections = 0;
    let depth = 0;
    let deepest = 0;
    const roots: string[] = [];
    visit(parse(bulkQuery(extras, "status:active")), {
      Field: {
        enter: ({ name, selectionSet }) => {
          const selected =
            selectionSet?.selections.flatMap((one) => ("name" in one ? (one.name?.value ?? []) : [])) ?? [];
          if (name.value === "node") assert.ok(selected.includes("id") && selected.includes("__typename"));
          if (!selected.includes("edges")) return;
          if (depth === 0) roots.push(name.value);
          connections += 1;
          depth += 1;
          deepest = Math.max(deepest, depth - 1);
        },
        leave: ({ selectionSet }) => {
          if (selectionSet?.selections.some((one) => "name" in one && one.name?.value === "edges"))
            depth -= 1;
        },
      },
    });

    assert.deepEqual(roots, ["products"]);
    assert.ok(connections <= 5, `${connections} connections`);
    assert.ok(deepest <= 2, `${deepest} levels`);
  }
});

test("texts from settings cannot leave their quotes in a query", () => {
  const hostile: Extras = {
    country: null,
    metafields: [
      {
        field: "mpn",
        namespace: 'a") { x } evil: metafield(namespace: "b',
        key: "c\\",
        isOfVariant: true,
        alias: "m0",
      },
    ],
  };

  const document = parse(pageQuery(hostile));

  const aliases: string[] = [];
  visit(document, { Field: ({ alias }) => void aliases.push(alias?.value ?? "") });
  assert.deepEqual([...new Set(aliases)], ["", "m0"]);
});

test("the check for deprecated fields finds one", () => {
  const outdated = parse("{ products(first: 1) { nodes { bodyHtml } } }");

  const problems = validate(adminSchema(API_VERSION), outdated, [NoDeprecatedCustomRule]);

  assert.match(problems.map(({ message }) => message).join(), /bodyHtml/);
});

test("the schema has fields that no query uses, and refuses those that Shopify does not have", () => {
  const unknown = parse("{ products(first: 1) { nodes { vendor descriptionHtml subtitle } } }");

  const problems = validate(adminSchema(API_VERSION), unknown);

  assert.deepEqual(
    problems.map(({ message }) => message),
    ['Cannot query field "subtitle" on type "Product". Did you mean "title"?'],
  );
});
