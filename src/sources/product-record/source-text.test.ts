/** Rows with the same source text have the same draft. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/long.ts";
import { parseColumnMapping, planFile } from "./column-settings.ts";
import { linkTemplate } from "./link-template.ts";
import { sourceTexts } from "./source-text.ts";

const COLUMNS = {
  mapping: parseColumnMapping("Stuff = option; Care = detail; Their weight = weight (kg); Heading = title")
    .mapping,
  linkTemplate: linkTemplate("https://shop.example/{slug}/{Care}"),
};

/** Names that share fields, units, groups and pairs, so that one column can change what another one does. */
const NAMES = [
  ..."id item_id product_id sku parent_id title name Heading link slug Care Stuff price current_price sale_price".split(
    " ",
  ),
  ..."weight product_weight variant_grams length dimensions image image_2 images shipping shipping_cost".split(
    " ",
  ),
  ..."category product_type gtin ean option1_name option1_value option2_name option2_value options size_type".split(
    " ",
  ),
  ..."ads_redirect adwords_redirect structured_title internal_note unheard_of".split(" "),
  "Their weight",
  "Weight (g)",
  "Length (cm)",
  "shipping(country:price)",
];

const anyCell = fc.constantFrom(
  "",
  "",
  " ",
  "a",
  "b",
  "5.00",
  "a,b",
  "US:5.00 USD",
  "Home > Mugs",
  "https://x.example/a.jpg",
  "n\0l",
);

const anyFile = fc
  .uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), at: fc.nat() }), {
    minLength: 2,
    maxLength: 12,
    selector: ({ name, at }) => `${name} ${at % 2}`,
  })
  .chain((columns) =>
    fc.record({
      names: fc.constant(columns.map(({ name }) => name)),
      cells: fc.array(anyCell, { minLength: columns.length, maxLength: columns.length }),
    }),
  );

type File = { readonly names: readonly string[]; readonly cells: readonly string[] };

/** The same row with a column more, a column less, a column at the end or one with another name. */
const anyEdit = fc.record({
  kind: fc.constantFrom("add", "add", "remove", "move", "rename"),
  name: fc.constantFrom(...NAMES),
  cell: fc.constantFrom("", "", "a", "5.00"),
  at: fc.nat({ max: 12 }),
});

function edited(
  { names, cells }: File,
  { kind, name, cell, at }: { kind: string; name: string; cell: string; at: number },
): File {
  const columns = names.map((of, index) => [of, cells[index] ?? ""] as const);
  const index = at % columns.length;
  if (kind === "add") columns.splice(at % (columns.length + 1), 0, [name, cell]);
  else if (kind === "remove") columns.splice(index, 1);
  else if (kind === "rename") columns[index] = [name, columns[index]?.[1] ?? ""];
  else columns.push(...columns.splice(index, 1));
  return { names: columns.map(([of]) => of), cells: columns.map(([, value]) => value) };
}

function read({ names, cells }: File) {
  const plan = planFile(names, COLUMNS);
  return { draft: plan.map(cells), text: sourceTexts(plan.steps)(cells) };
}

test("rows with the same text have the same draft, whatever the columns are", () => {
  const numRuns = cases(1_500);
  let same = 0;
  fc.assert(
    fc.property(anyFile, anyEdit, (file, edit) => {
      const named: File = { names: ["id", "title", ...file.names], cells: ["7", "Mug", ...file.cells] };
      const [one, other] = [read(named), read(edited(named, edit))];
      if (one.text === undefined || one.text !== other.text) return;
      same += 1;
      assert.deepEqual({ ...other.draft }, { ...one.draft });
    }),
    { numRuns },
  );
  assert.ok(same > numRuns / 20, `only ${same} pairs had the same text`);
});

test("a cell that feeds a field is a part of the text", () => {
  const rows = [
    ["7", "Mug", "5.00", "x"],
    ["7", "Mug", "6.00", "x"],
    ["8", "Mug", "5.00", "x"],
    ["7", "Mug", "5.00", "another note"],
  ].map((cells) => read({ names: ["id", "title", "price", "internal_note"], cells }).text);

  assert.equal(new Set(rows).size, 3);
  assert.equal(rows[3], rows[0]);
});

test("an empty column and one that is not known change no text", () => {
  const plain = read({ names: ["id", "title"], cells: ["7", "Mug"] }).text;

  assert.equal(read({ names: ["id", "brand", "title"], cells: ["7", "", "Mug"] }).text, plain);
  assert.equal(read({ names: ["note", "id", "title"], cells: ["x", "7", "Mug"] }).text, plain);
});

test("a row without an id or a title has no text, and neither has one with NUL", () => {
  for (const cells of [
    ["", "Mug"],
    ["7", " "],
    ["7", "M\0ug"],
  ])
    assert.equal(read({ names: ["id", "title"], cells }).text, undefined);
});

test("an empty category column that ends the list is a part of the text of the ones after it", () => {
  const cells = ["7", "Mug", "X", "", "Y"];
  const [ended, continued] = ["category", "product_type"].map((last) =>
    read({ names: ["id", "title", "product_type", "product_type", last], cells }),
  );

  assert.deepEqual([ended?.draft.categories, continued?.draft.categories], [["X"], ["X", "Y"]]);
  assert.notEqual(ended?.text, continued?.text);
});
