/** What holds for every extractor, whatever the catalog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Draft } from "../../catalog/draft.ts";
import { categoryById } from "../../catalog/google-taxonomy.ts";
import { AGE_GROUPS, CONDITIONS, GENDERS, type Item, type ItemGroup } from "../../catalog/item.ts";
import { patchItem } from "../../catalog/patch.ts";
import { anyCharacter } from "../../lib/any-character.fixture.ts";
import { textOf } from "./evidence.ts";
import type { ExtractorContext, ProposalDraft } from "./extractor.ts";
import { contextOf, groupOf, itemOf } from "./proposals.fixture.ts";
import { EXTRACTORS } from "./registry.ts";
import { tokenKeys } from "./words.ts";
import { cases } from "../../../test/long.ts";

/** Words that mean something to an extractor, and what separates them. */
const PIECES = [
  [
    "Blue",
    "navy blue",
    "Rose",
    "orange",
    "Schwarz",
    "Bleu marine",
    "rojo",
    "nero",
    "wit",
    "Dark",
    "Midnight",
  ],
  [
    "Cotton",
    "Leder",
    "100% Baumwolle",
    "60% cotton",
    "40% polyester",
    "made of wood",
    "en bois",
    "silver",
    "%",
  ],
  ["Men's", "for women", "Damen", "kids", "Baby", "femme", "shirt", "Jacke", "T-Shirt", "striped", "kariert"],
  [
    "XL",
    "Size M",
    "Gr. 38",
    "Talla",
    "500 ml",
    "2 x 250 g",
    "1,5 L",
    "0 g",
    "refurbished",
    "gebraucht",
    "never",
  ],
  [
    "Acme",
    "ACME",
    "for",
    "with",
    "mit",
    "Coffee",
    "Honey",
    "Bottle",
    "new",
    "4006381333931",
    "36000291452",
    "None",
  ],
  [
    " ",
    " - ",
    ", ",
    " | ",
    "/",
    "(",
    ")",
    ": ",
    "\n",
    ". ",
    " & ",
    "'",
    "’",
    "<b>",
    "&amp;",
    "\u200b",
    "\u202e",
    "é",
  ],
].flat();
const NAMES = [
  "Color",
  "Größe",
  "Style",
  "Material",
  "EAN",
  "Barcode",
  "MPN",
  "Marke",
  "Gender",
  "Pattern",
  "Weight",
];

const text = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...PIECES, ...NAMES) },
        fc.string({ unit: anyCharacter }),
      ),
      {
        minLength: 1,
        maxLength,
      },
    )
    .map((parts) => parts.join(" "));

const CODES = ["4006381333931", "400-6381 333931", "36000291452", "AB-1234", "2000000000121", "n/a", "X 1"];
const named = fc.record({
  name: fc.constantFrom(...NAMES),
  value: fc.oneof(fc.constantFrom(...CODES), text(2)),
});
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Labeled lines, prose, and sentences that all products of the catalog have. */
const anyDescription = fc
  .array(
    fc.oneof(
      named.map(({ name, value }) => `${name}: ${value}`),
      text(6),
      fc.constantFrom(
        "We ship worldwide. Free shipping!",
        "[vc_row]",
        "T Blue shirt",
        "A shirt for long days outside.",
      ),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((lines) => lines.join("\n"));

// A title needs a visible character.
const anyTitle = fc.oneof(
  text(6).map((written) => `T ${written}`),
  fc.constantFrom("T Blue shirt", "T Coffee 500 ml", "T Honey 2 x 250 g"),
);

const anyDraft: fc.Arbitrary<Partial<Draft>> = fc
  .record({
    title: anyTitle,
    description: optional(anyDescription),
    options: optional(fc.array(named, { maxLength: 2 })),
    details: optional(fc.array(named, { maxLength: 3 })),
    categories: optional(fc.array(text(3), { maxLength: 1 })),
    brand: optional(fc.constantFrom("Acme", "Generic", "Blue")),
    sku: optional(fc.constantFrom("4006381333931", "036000291452", "A-1")),
    mpn: optional(fc.constantFrom("4006381333931", "X-9")),
    condition: optional(fc.constantFrom("new", "used")),
    color: optional(fc.constantFrom("Red", "see image")),
    weight: optional(fc.constantFrom("1 kg", "2 kg", "3 kg")),
    unitPricingMeasure: optional(fc.constantFrom("500 ml", "3 ct")),
  })
  .map((draft) => Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)));

const anyGroup = fc.array(anyDraft, { minLength: 1, maxLength: 3 }).map((drafts) => groupOf(...drafts));
const anyLanguage = fc.constantFrom(undefined, "en", "de-DE", "fr", "es", "it", "nl", "sv");

/** Often enough in the catalog that its sentences count as repeated and its SKUs as a series. */
const REPEATS = 10;

const anyCase = fc
  .record({ group: anyGroup, others: fc.array(anyGroup, { maxLength: 3 }), language: anyLanguage })
  .map(({ group, others, language }) => {
    const settings = { country: "DE", ...(language !== undefined && { language }) };
    const suggestCategory = () => ({ category: "2271", confidence: 0.9 });
    const catalog = [...Array.from({ length: REPEATS }, () => group), ...others];
    return { group, context: contextOf(catalog, settings, suggestCategory) };
  });

function proposalsFor(group: ItemGroup, context: ExtractorContext): readonly ProposalDraft[] {
  return EXTRACTORS.flatMap((extractor) => [...extractor.propose(group, context)]);
}

const check = (law: (group: ItemGroup, context: ExtractorContext) => void): void =>
  fc.assert(
    fc.property(anyCase, ({ group, context }) => law(group, context)),
    { numRuns: cases(80) },
  );

function itemWith({ items }: ItemGroup, id: string): Item {
  const item = items.find((known) => known.id === id);
  assert.ok(item);
  return item;
}

test("the same group and context give the same proposals", () => {
  check((group, context) => assert.deepEqual(proposalsFor(group, context), proposalsFor(group, context)));
});

test("an item gets at most one proposal for a field from an extractor, and only for its fields", () => {
  check((group, context) => {
    for (const { id, version, fields, propose } of EXTRACTORS) {
      const proposals = [...propose(group, context)];
      const keys = proposals.map(({ itemId, field }) => `${itemId} ${field}`);
      assert.equal(new Set(keys).size, keys.length);
      for (const { extractor, version: used, field, confidence } of proposals) {
        assert.deepEqual([extractor, used, fields.includes(field)], [id, version, true]);
        assert.ok(confidence > 0 && confidence <= 1);
      }
    }
  });
});

test("evidence is the text at its span", () => {
  check((group, context) => {
    for (const { itemId, evidence } of proposalsFor(group, context)) {
      assert.ok(evidence.length > 0);
      for (const { field, from, to, text: quoted, itemId: sibling = itemId } of evidence) {
        assert.ok(from < to);
        assert.equal(textOf(itemWith(group, sibling), field)?.slice(from, to), quoted);
      }
    }
  });
});

const CLOSED: Readonly<Record<string, (value: string) => boolean>> = {
  gender: (value) => GENDERS.some((known) => known === value),
  age_group: (value) => AGE_GROUPS.some((known) => known === value),
  condition: (value) => CONDITIONS.some((known) => known === value),
  google_category: (value) => categoryById(Number(value)) !== undefined,
  unit_pricing_base_measure: (value) => ["1 kg", "1 l"].includes(value),
};

const withoutZeros = (digits: string): string => digits.replaceAll(/\D/g, "").replace(/^0+/, "");

/** A GTIN is the same number in any spelling. */
function isRespelled({ field, value, evidence }: ProposalDraft): boolean {
  return (
    field === "gtin" && evidence.some(({ text: quoted }) => withoutZeros(quoted) === withoutZeros(value))
  );
}

test("the words of a grounded proposal are in its evidence or in a closed vocabulary", () => {
  check((group, context) => {
    for (const proposal of proposalsFor(group, context)) {
      const { field, value, evidence, isGrounded } = proposal;
      if (!isGrounded) continue;
      const known = new Set(evidence.flatMap(({ text: quoted }) => tokenKeys(quoted)));
      const isClosed = CLOSED[field];
      if (isClosed !== undefined) assert.ok(isClosed(value), `${field} ${value}`);
      else
        for (const key of tokenKeys(value))
          assert.ok(known.has(key) || isRespelled(proposal), `${field} ${value}`);
    }
  });
});

function camelCase(field: string): string {
  return field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

test("an approved proposal changes the item without a warning and is not proposed again", () => {
  check((group, context) => {
    for (const { itemId, field, value, extractor } of proposalsFor(group, context)) {
      const before = itemWith(group, itemId);
      const patch = { draft: { [camelCase(field)]: value }, cleared: [] };
      const result = patchItem(before, patch, { position: 1, settings: context.settings });
      assert.ok(result.kind === "item");
      assert.deepEqual(result.warnings, [], `${field} ${JSON.stringify(value)}`);
      assert.notDeepEqual(result.item, before, `${field} ${JSON.stringify(value)}`);
      const items = group.items.map((item) => (item.id === itemId ? result.item : item));
      const again = proposalsFor({ ...group, items }, context).filter(
        (proposal) =>
          proposal.itemId === itemId && proposal.field === field && proposal.extractor === extractor,
      );
      assert.deepEqual(again, []);
    }
  });
});

test("prices, availability and links are never proposed", () => {
  const fields = EXTRACTORS.flatMap((extractor) => extractor.fields);
  assert.deepEqual(
    fields.filter((field) => /price|availability|link|image|quantity/.test(field)),
    [],
  );
});

/** Of this thread: on a busy machine, others run in between. */
function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

test("hostile titles take about linear time", () => {
  const units = [
    "é",
    "e\u0301",
    "\u200b\u200f",
    "Blue ",
    "a'",
    "100% ",
    "- ",
    "1 x ",
    "Color: ",
    "ا",
    "(",
    "/",
    "\n",
  ];
  for (const unit of units) {
    const context = contextOf([]);
    const timeOf = (length: number): number => {
      const hostile = unit.repeat(Math.ceil(length / unit.length));
      const item: Item = { ...itemOf({}), title: hostile, description: hostile };
      return cpuMsOf(() => proposalsFor({ groupId: null, items: [item], isWhole: true }, context));
    };
    timeOf(20_000);
    // A quadratic scan would take 25 times as long.
    assert.ok(timeOf(100_000) < 15 * timeOf(20_000) + 100, JSON.stringify(unit));
  }
});

test("groups of thousands of variants take about linear time", () => {
  const variant = (at: number): Item => ({
    ...itemOf({
      id: `${at}`,
      groupId: "g",
      title: "Black shirt",
      description: "EAN: 4006381333931\nMaterial: cotton",
    }),
    options: [{ name: "Style", value: `No ${at}` }],
    details: [{ name: "Length", value: `${at} cm` }],
  });
  const timeOf = (size: number): number => {
    const group = {
      groupId: "g",
      items: Array.from({ length: size }, (_, at) => variant(at)),
      isWhole: true,
    };
    return cpuMsOf(() => proposalsFor(group, contextOf([])));
  };
  timeOf(500);
  // A comparison of each with each would take 25 times as long.
  assert.ok(timeOf(2_500) < 12 * timeOf(500) + 100);
});
