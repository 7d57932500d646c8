/** docs/rules.md: its tables are those of the code, and its examples do what it says. docs/guides: their rules can be saved. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Compile } from "typebox/schema";
import { checkSection, table } from "../../../test/doc-sections.ts";
import { minimalItem } from "../../../test/item.ts";
import { channelView } from "../../catalog/channel-view.ts";
import { CHANNEL_NAMES, type ChannelName, type Item } from "../../catalog/item.ts";
import { RULE_PROBLEMS, RuleSet, type RuleSet as Rules } from "../../contract/rules.ts";
import { ACTIONS } from "./actions.ts";
import { applyRules } from "./apply.ts";
import { COMPUTED_FIELDS } from "./computed-fields.ts";
import { fieldNamed } from "./field-names.ts";
import { type FieldKind, RULE_FIELDS, type RuleField } from "./fields.ts";
import { FUNCTIONS } from "./formula.ts";
import { OPERATORS } from "./operators.ts";
import { READY_MADE_RULES } from "./ready-made.ts";
import { compiled, MUG, SHOP } from "./rules.fixture.ts";
import { compileTemplate, FILTER_NAMES } from "./template.ts";
import { isRefusal, setValue } from "./write.ts";

const DOCS = new URL("../../../docs/", import.meta.url);
const readPage = (name: string): string => readFileSync(new URL(name, DOCS), "utf8");
const PAGE = readPage("rules.md");
const section = async (name: string, text: string): Promise<void> =>
  checkSection("docs/rules.md", name, text);

const KINDS: Readonly<Record<FieldKind, string>> = {
  text: "a text",
  word: "one of a closed list",
  flag: "`true` or `false`, also `yes` and `no`",
  number: "a number",
  money: 'an amount, with or without a currency: `9.50`, `"9.50 USD"`',
  measure: 'a number with a unit: `"2 kg"`, `"30 cm"`',
  time: "an ISO 8601 date",
  list: "several texts; conditions look at each",
  paths: 'several category paths: `"Home > Mugs"`',
  parts: "values with parts; conditions can ask only whether there are any",
};

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

function fieldRow({ name, kind, values, target }: RuleField): readonly string[] {
  const isSet = name === "id" ? "by a template" : target === undefined ? "no" : "yes";
  return [`\`${name}\``, kind, isSet, code(values ?? [])];
}

describe("the tables of docs/rules.md are those of the code", () => {
  test("operators", async () => {
    const rows = Object.entries(OPERATORS).map(([name, { kinds, takes, meaning }]) => [
      `\`${name}\``,
      takes,
      meaning,
      [...kinds].join(", "),
    ]);
    await section("operators", table(["Operator", "Takes", "Matches if", "Kinds of fields"], rows));
  });

  test("actions", async () => {
    const rows = Object.entries(ACTIONS).map(([name, { parts, optional = [], meaning }]) => [
      `\`${name}\``,
      [code(parts), ...optional.map((part) => `optional \`${part}\``)]
        .filter((text) => text !== "")
        .join(", "),
      meaning,
    ]);
    await section("actions", table(["Action", "Parts", "What it does"], rows));
  });

  test("problems", async () => {
    const rows = Object.entries(RULE_PROBLEMS).map(([name, meaning]) => [`\`${name}\``, meaning]);
    await section("problems", table(["Code", "Meaning"], rows));
  });

  test("ready-made rules", async () => {
    const rows = READY_MADE_RULES.map(({ title, description }) => [title, description]);
    await section("ready-made", table(["Rule", "What it does"], rows));
  });

  test("fields", async () => {
    const isGoogle = ({ name }: RuleField): boolean =>
      RULE_FIELDS.indexOf(fieldNamed(name) as RuleField) >
      RULE_FIELDS.findIndex((field) => field.name === "language");
    await section("kinds", table(["Kind", "Values"], Object.entries(KINDS)));
    await section(
      "fields",
      table(
        ["Field", "Kind", "Can be set", "Values"],
        RULE_FIELDS.filter((field) => !isGoogle(field)).map(fieldRow),
      ),
    );
    await section(
      "google",
      table(
        ["Field", "Kind", "Can be set"],
        RULE_FIELDS.filter(isGoogle).map((field) => fieldRow(field).slice(0, 3)),
      ),
    );
  });

  test("computed fields and functions of formulas", async () => {
    const rows = COMPUTED_FIELDS.map(({ name, kind, meaning }) => [`\`${name}\``, kind, meaning]);
    await section("computed", table(["Field", "Kind", "Value"], rows));
    const functions = Object.values(FUNCTIONS).map((meaning) => meaning.split(/: (.*)/s).slice(0, 2));
    await section("functions", table(["Function", "Result"], functions));
  });

  test("filters", () => {
    for (const filter of FILTER_NAMES) assert.ok(PAGE.includes(`\\|${filter}`), filter);
  });
});

type Values = Readonly<Record<string, string | readonly string[]>>;
type Example = {
  readonly item: Values;
  readonly becomes: Values;
  readonly excluded_from?: Readonly<Partial<Record<ChannelName, string>>>;
  readonly id_in_feeds?: string;
  readonly on?: Readonly<Partial<Record<ChannelName, Values>>>;
};

const jsonBlocks = (page: string): readonly unknown[] =>
  [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text = ""]) => JSON.parse(text) as unknown);

const blocks = jsonBlocks(PAGE) as readonly (Rules | Example)[];

function itemWith(values: Values): Item {
  let item = minimalItem();
  for (const [name, value] of Object.entries(values)) {
    const field = fieldNamed(name);
    assert.ok(field !== undefined, name);
    const written = setValue(field, value, {})(item);
    assert.ok(!isRefusal(written), JSON.stringify(written));
    item = written;
  }
  return item;
}

const shown = (item: Item, values: Values): unknown =>
  Object.fromEntries(Object.keys(values).map((name) => [name, fieldNamed(name)?.read(item, SHOP)]));

describe("the examples of docs/rules.md do what they say", () => {
  const pairs = blocks.flatMap((block, at) =>
    "rules" in block ? [[block, blocks[at + 1] as Example] as const] : [],
  );

  test("there are some", () => {
    assert.ok(pairs.length >= 5);
  });

  for (const [rules, example] of pairs)
    test(rules.rules.map(({ name }) => name).join(", "), () => {
      assert.ok(Compile(RuleSet).Check(rules));
      const { item, refused } = applyRules(itemWith(example.item), compiled(rules.rules), SHOP);

      assert.deepEqual(refused, []);
      assert.deepEqual(shown(item, example.becomes), example.becomes);
      assert.deepEqual(item.feed?.excluded ?? {}, example.excluded_from ?? {});
      assert.equal(item.feed?.id, example.id_in_feeds);
      for (const channel of CHANNEL_NAMES) {
        const values = example.on?.[channel] ?? example.becomes;
        assert.deepEqual(shown(channelView(item, channel), values), values, channel);
      }
    });

  test("templates", () => {
    const rows = [...PAGE.matchAll(/^\| `(\{[^`]*)` \| ([^|]*) \| ([^|]*) \|$/gm)];
    assert.equal(rows.length, 5);
    const { brand: _brand, color: _color, ...bare } = MUG;
    for (const [, text = "", item = "", expected] of rows) {
      const given = {
        ...bare,
        ...(item.includes("Kiln") && { brand: "Kiln" }),
        ...(/\bL\b/.test(item) && { size: "L" }),
      };
      const pipes = (written: string | undefined) => written?.replaceAll("&#124;", "|");
      assert.equal(compileTemplate(pipes(text) ?? "", "").render(given, SHOP), pipes(expected));
    }
  });
});

describe("the rules of docs/guides can be saved, and each changes an item that it fits", () => {
  const { brand: _brand, ...unbranded } = MUG;
  const ITEMS: readonly Item[] = [
    MUG,
    unbranded,
    { ...MUG, availability: "backorder" },
    { ...MUG, availability: "unknown" },
    { ...MUG, title: "Mug, Free shipping", categories: [["Gift cards"]] },
    { ...MUG, google: { cost_of_goods_sold: "5.00 EUR", auto_pricing_min_price: "9.00 EUR" } },
  ];
  const guides = globSync("guides/*.md", { cwd: DOCS });

  test("there are guides", () => {
    assert.ok(guides.length >= 8);
  });

  for (const guide of guides)
    test(guide, () => {
      const sets = jsonBlocks(readPage(guide)) as readonly Rules[];
      assert.ok(sets.length > 0);
      for (const set of sets) {
        assert.ok(Compile(RuleSet).Check(set));
        for (const item of ITEMS) assert.deepEqual(applyRules(item, compiled(set.rules), SHOP).refused, []);
        for (const rule of set.rules)
          assert.ok(
            ITEMS.some((item) => applyRules(item, compiled([rule]), SHOP).item !== item),
            rule.name,
          );
      }
    });
});
