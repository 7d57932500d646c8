import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError, type ErrorCode } from "../../errors.ts";
import { RECORD_LIMITS } from "../product-record/limits.ts";
import { type PushEvent, type PushFormat, readPush } from "./read.ts";
import { namedValues } from "../../../test/named-values.ts";

async function* of(...texts: readonly string[]): AsyncGenerator<string, void, void> {
  yield* texts;
}

async function read(format: PushFormat, ...texts: readonly string[]): Promise<readonly PushEvent[]> {
  return (await Array.fromAsync(readPush(() => of(...texts), { format, limits: RECORD_LIMITS }))).flat();
}

const MUG = { id: "mug-1", title: "Mug", price: "9.50 USD" };

test("products are numbered by their position in the body, also if they are rejected", async () => {
  const body = [
    MUG,
    7,
    { id: "mug-2", delete: true },
    { id: "g", variants: [{ id: "v1" }, { id: "v2" }] },
    MUG,
  ];

  const events = await read("json", JSON.stringify({ products: body }));

  assert.deepEqual(
    events.map((event) =>
      event.kind === "rejected"
        ? [event.kind, event.rejection.position]
        : "position" in event && [event.kind, event.position],
    ),
    [
      ["draft", 1],
      ["rejected", 2],
      ["removal", 3],
      ["draft", 4],
      ["draft", 5],
      ["draft", 6],
    ],
  );
});

test("a product is the same in a JSON document and in JSON Lines, with a decimal point", async () => {
  const [document] = await read("json", JSON.stringify([MUG]));
  const [line] = await read("json_lines", `${JSON.stringify(MUG)}\n`);

  assert.deepEqual(document, { kind: "draft", position: 1, draft: MUG, decimalMark: "." });
  assert.deepEqual(line, document);
});

test("only `delete: true` deletes, and its id is read like any other", async () => {
  const events = await read(
    "json",
    JSON.stringify([
      { item_id: 7, delete: true },
      { ID: 8, Delete: true },
      { ...MUG, delete: false },
      { ...MUG, delete: null },
    ]),
  );

  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["removal", "removal", "draft", "draft"],
  );
  assert.deepEqual(events[0], { kind: "removal", position: 1, draft: { id: "7" } });
  assert.deepEqual(events[1], { kind: "removal", position: 2, draft: { id: "8" } });
});

test("an unclear deletion, or one of several items, is rejected and not read as an item", async () => {
  const variants = [{ id: "v1" }, { id: "v2" }];
  const unclear = ["true", "false", 1, 0, "", [true], {}].map((stated) => ({ ...MUG, delete: stated }));
  const withVariants = [
    { ...MUG, delete: true, variants },
    { ...MUG, variants: [{ id: "v1", delete: true }, { id: "v2" }] },
  ];

  const events = await read("json", JSON.stringify([...unclear, ...withVariants]));

  const rejections = events.map((event) => (event.kind === "rejected" ? event.rejection : null));
  assert.equal(rejections.length, unclear.length + withVariants.length);
  for (const [index, rejection] of rejections.entries()) {
    const { itemId, position, field } = rejection ?? {};
    assert.deepEqual([itemId, position, field], ["mug-1", index + 1, "delete"]);
    assert.match(
      rejection?.message ?? "",
      index < unclear.length ? /must be true or false, but is .+\./ : /for each variant\.$/,
    );
  }
});

test("`deleted` is an unknown field", async () => {
  const events = await read("json", JSON.stringify([{ ...MUG, deleted: true }]));

  assert.deepEqual(
    events.map((event) => (event.kind === "warning" ? event.warning.code : event.kind)),
    ["draft", "unmapped_column"],
  );
});

test("numbers keep their digits", async () => {
  const [event] = await read("json", '[{"id": 12345678901234567890, "expires_at": "2027-01-01"}]');

  assert.deepEqual(event?.kind === "draft" && event.draft, {
    id: "12345678901234567890",
    expiresAt: "2027-01-01",
  });
});

test("unknown fields are listed once, at the end", async () => {
  const events = await read("json_lines", `${JSON.stringify({ ...MUG, hue: "teal" })}\n`.repeat(3));

  const warnings = events.filter((event) => event.kind === "warning").map(({ warning }) => warning);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ["unmapped_column"],
  );
  assert.match(warnings[0]?.message ?? "", /"hue"/);
});

test("a broken line is a rejected product; the lines around it are read", async () => {
  const events = await read("json_lines", `{"id": "a"}\n{"id": \n{"id": "b"}\n`);

  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["draft", "rejected", "draft"],
  );
});

const ids = (events: readonly PushEvent[]): readonly (string | undefined)[] =>
  events.flatMap((event) => (event.kind === "draft" ? [event.draft.id] : []));

test("the list must be at the top level of the document; deeper lists are ignored", async () => {
  const products = [MUG];
  const bodies: readonly object[] = [
    products,
    { products },
    { Items: products },
    { meta: { items: [{ id: "x" }], data: [] }, products },
    { products, meta: { items: [{ id: "x" }] } },
    { data: null, catalog: "spring", offers: { rows: [] }, products, tags: [{ id: "x" }] },
    { products: [{ ...MUG, items: [{ id: "x" }], offers: [] }] },
  ];

  for (const body of bodies) {
    assert.deepEqual(ids(await read("json", JSON.stringify(body))), ["mug-1"], JSON.stringify(body));
  }
});

const failure = async (format: PushFormat, ...texts: readonly string[]): Promise<AppError> => {
  const error: unknown = await read(format, ...texts).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, `${texts.join("").slice(0, 60)} was read`);
  return error;
};

test("a second list fails the body, in any order and also if empty, and the message names both", async () => {
  const list = JSON.stringify([MUG, MUG]);
  const bodies: readonly (readonly [string, string, string])[] = [
    [`{"items":[],"products":${list}}`, "items", "products"],
    [`{"products":${list},"items":[]}`, "products", "items"],
    [`{"products":[],"meta":{"a":[1]},"Data":[]}`, "products", "Data"],
    [`{"products":${list},"products":[]}`, "products", "products"],
    [`{"products":[],"n":7,"products":${list}}`, "products", "products"],
  ];

  for (const [body, first, second] of bodies) {
    for (const pieces of [[body], body.split("")]) {
      const { code, message } = await failure("json", ...pieces);

      assert.equal(code, "body_malformed", body);
      assert.ok(message.includes(`"${first}" and "${second}"`), message);
    }
  }
});

test("a document whose only list is deeper inside is refused, and the message names its position", async () => {
  const { code, message } = await failure("json", JSON.stringify({ data: { products: [MUG] } }));

  assert.equal(code, "body_malformed");
  assert.match(message, /no list of products at its top.*"data\.products"/);
});

test("JSON Lines with only blank lines are not an empty list", async () => {
  for (const text of ["", "\n", "\r\n \n\t\n", "\uFEFF", "\uFEFF\n"]) {
    const { code, message } = await failure("json_lines", text);

    assert.equal(code, "body_malformed", JSON.stringify(text));
    assert.match(message, /no product.*\[\].*application\/json/);
  }
  assert.deepEqual(await read("json", "[]"), []);
  assert.deepEqual(await read("json", '{"products": []}'), []);
});

test("a document sent as JSON Lines is refused, and the message says what a line must be", async () => {
  const advice = /Each line must be one whole product; a JSON document is sent as application\/json/;
  const pretty = JSON.stringify([MUG, MUG], null, 2);

  const events = await read("json_lines", `${pretty}\n`);
  const [oneLine] = await read("json_lines", JSON.stringify([MUG]));
  const { message } = await failure("json_lines", pretty);

  assert.ok(events.every((event) => event.kind === "rejected" && advice.test(event.rejection.message)));
  assert.ok(oneLine?.kind === "rejected" && advice.test(oneLine.rejection.message));
  assert.match(message, advice);
});

test("a single product that is too large is refused without the advice to send fewer at once", async () => {
  const { maxRowChars } = RECORD_LIMITS;
  for (const [format, text, says] of [
    ["json", `[${"[".repeat(80)}${"]".repeat(80)}]`, /deeper than 64 levels/],
    ["json", `["${"x".repeat(maxRowChars)}"]`, /JSON element 1 has more than 4000000 characters/],
    ["json_lines", "x".repeat(maxRowChars + 1), /Line 1 has more than 4000000 characters/],
  ] as const) {
    const { code, message } = await failure(format, text);

    assert.equal(code, "body_too_large");
    assert.match(message, says);
    assert.doesNotMatch(message, /PATCH|less/);
  }
});

const drafts = async (...products: readonly object[]) =>
  (await read("json", JSON.stringify(products))).flatMap((event) =>
    event.kind === "draft" ? [event.draft] : [],
  );

test("options keep their names, in an object and in a list", async () => {
  const named = { Color: "Teal", "Shoe Size": 42, größe: "L", Name: "Anna" };
  const list = Object.entries(named).map(([name, value]) => ({ name, value }));

  const [fromObject, fromList, pair] = await drafts(
    { ...MUG, options: named },
    { ...MUG, options: list },
    { ...MUG, options: { name: "Shoe Size", value: "42" } },
  );

  assert.deepEqual(
    fromObject?.options,
    namedValues({ Color: "Teal", "Shoe Size": "42", größe: "L", Name: "Anna" }),
  );
  assert.deepEqual(fromObject, fromList);
  assert.deepEqual(pair?.options, [{ name: "Shoe Size", value: "42" }]);
});

test("a pushed variant inherits missing values from its product, also price and stock, but not its codes", async () => {
  const product = {
    id: "gg",
    title: "Mug",
    link: "https://shop.example/p/gg",
    sku: "S",
    gtin: "4006381333931",
    mpn: "M",
    price: "10 EUR",
    sale_price: "8 EUR",
    availability: "in_stock",
    quantity: 5,
    shipping: [{ country: "DE", price: "4 EUR" }],
  };
  const variants = [{ id: "gv1" }, { id: "gv2", price: "12 EUR" }, { id: "gv3", quantity: 0 }];

  const [plain, priced, counted] = await drafts({ ...product, variants });

  const shared = {
    title: "Mug",
    link: "https://shop.example/p/gg",
    groupId: "gg",
    groupTitle: "Mug",
    shipping: [{ country: "DE", price: "4 EUR" }],
  };
  const sale = { price: "10 EUR", salePrice: "8 EUR" };
  const stock = { availability: "in_stock", quantity: "5" };
  assert.deepEqual(plain, { ...shared, ...sale, ...stock, id: "gv1" });
  // A sale of the product's price is no sale of the variant's, and its stock not the variant's.
  assert.deepEqual(priced, { ...shared, ...stock, id: "gv2", price: "12 EUR" });
  assert.deepEqual(counted, { ...shared, ...sale, id: "gv3", quantity: "0" });
});

const FAILING: readonly (readonly [PushFormat, string, ErrorCode])[] = [
  ["json", "", "body_malformed"],
  ["json", "[", "body_malformed"],
  ["json", '[{"id": "a"}', "body_malformed"],
  ["json", '[{"id": "a"}] x', "body_malformed"],
  ["json", '{"id": "a"}', "body_malformed"],
  ["json", "7", "body_malformed"],
  ["json", `[${"[".repeat(80)}${"]".repeat(80)}]`, "body_too_large"],
  ["json", `["${"x".repeat(RECORD_LIMITS.maxRowChars)}"]`, "body_too_large"],
  ["json_lines", '{"id": "a"}\n{"id"', "body_malformed"],
  ["json_lines", "x".repeat(RECORD_LIMITS.maxRowChars + 1), "body_too_large"],
];

test("a body that cannot be read to its end fails with a reason", async () => {
  for (const [format, text, code] of FAILING) {
    await assert.rejects(
      read(format, text),
      (error) => error instanceof AppError && error.code === code,
      `${format}: ${text.slice(0, 40)}`,
    );
  }
});

test("splitting a body into chunks does not change what is read", async () => {
  const bodies = {
    json: JSON.stringify({ products: [MUG, { id: 'é\\"', delete: true }, { ...MUG, title: "Täss]e{" }] }),
    json_lines: [MUG, { id: "x", delete: true }, { broken: "\u2028" }]
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  };
  for (const format of ["json", "json_lines"] as const) {
    const body = bodies[format];
    const whole = await read(format, body);

    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: body.length }), { maxLength: 8 }), async (cuts) => {
        const marks = [0, ...cuts.toSorted((a, b) => a - b), body.length];
        const pieces = marks.slice(1).map((end, i) => body.slice(marks[i], end));

        assert.deepEqual(await read(format, ...pieces), whole);
      }),
      { numRuns: 50 },
    );
  }
});
