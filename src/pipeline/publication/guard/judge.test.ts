/** Each signal of the publish guard: what it says, in both directions where it has two, and from how many items on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Exceeded, GUARD_SIGNALS, type GuardSignal } from "../../../contract/publish-guard.ts";
import { FILLED_FIELDS, type ItemFacts } from "../../render/item-facts.ts";
import { TotalsCounter } from "../../render/render-totals.ts";
import { ChangeCounter, type GuardFigures, type RenderFigures } from "./figures.ts";
import { judge, judgeAlone } from "./judge.ts";
import { LIMITS, limitsOf } from "./limits.ts";

const ALL_FILLED = (1 << FILLED_FIELDS.length) - 1;
const HOSTS = { 1: "shop.example", 2: "staging.example" };
const LAMP: ItemFacts = {
  price: 1_000,
  currency: "EUR",
  isOnSale: false,
  availability: "in_stock",
  filled: ALL_FILLED,
  linkHost: 1,
  imageHost: 1,
  ...textsOf(0),
  isTitleId: false,
  isGarbled: false,
  isFarApart: false,
};

/** Hashes of the texts and addresses of one of the lamps. */
function textsOf(at: number) {
  const hash = (salt: number) => Math.imul(7 * at + salt, 0x9e3779b1) >>> 0 || 1;
  return {
    title: hash(1),
    description: hash(2),
    link: hash(3),
    image: hash(4),
    titleStart: hash(5) & 0xffff,
    titleLength: 40,
  };
}

type Catalog = ReadonlyMap<string, ItemFacts>;
type File = { readonly written?: number; readonly refused?: number; readonly bytes?: number };

const lamps = (count: number, facts: (at: number) => Partial<ItemFacts> = () => ({})): Catalog =>
  new Map(
    Array.from({ length: count }, (_, at) => [`lamp-${at}`, { ...LAMP, ...textsOf(at), ...facts(at) }]),
  );

function rendered(
  catalog: Catalog,
  { written = catalog.size, refused = 0, bytes = 1_000 * written }: File,
): RenderFigures {
  const totals = new TotalsCounter();
  for (const facts of catalog.values()) totals.count(facts, 1);
  return {
    items: catalog.size,
    files: [{ file: "gmc.tsv", written, refused, bytes }],
    totals: totals.totals(),
  };
}

function compared(before: Catalog, after: Catalog, file: File = {}): GuardFigures {
  const counter = new ChangeCounter({ before: HOSTS, after: HOSTS });
  for (const [id, was] of before) {
    const is = after.get(id);
    if (is) counter.changed(was, is);
    else counter.removed(Buffer.from(id));
  }
  for (const id of after.keys()) if (!before.has(id)) counter.added(Buffer.from(id));
  return { before: rendered(before, {}), after: rendered(after, file), changes: counter.changes() };
}

const DEFAULTS = limitsOf({}) ?? assert.fail("the guard is on");
const judged = (before: Catalog, after: Catalog, file?: File) =>
  judge(compared(before, after, file), DEFAULTS);

const without = (field: (typeof FILLED_FIELDS)[number]) => ({
  filled: ALL_FILLED & ~(1 << FILLED_FIELDS.indexOf(field)),
});
const half = (facts: Partial<ItemFacts>) => (at: number) => (at % 2 === 0 ? facts : {});

/** How many lamps have the commonest class of a value: classes are by hash, so that a few share each. */
const mostOf = (field: "title" | "description" | "link" | "image"): number => {
  const counts = Map.groupBy(lamps(1_000).values(), (lamp) => lamp[field] % 1_024);
  return Math.max(...[...counts.values()].map((lamp) => lamp.length));
};

const CASES: readonly {
  readonly signal: GuardSignal;
  readonly after: Catalog;
  readonly before?: Catalog;
  readonly file?: File;
  /** Of the published and of the new files. */
  readonly figures: readonly [Exceeded["before"], Exceeded["after"]];
  readonly says: string;
}[] = [
  {
    signal: "items_removed",
    after: lamps(400),
    figures: [1_000, 400],
    says: "600 of 1,000 published items are gone (60 %; the limit is 40 %).",
  },
  {
    signal: "items_added",
    after: lamps(1_900),
    figures: [1_000, 1_900],
    says: "900 items are new, in addition to 1,000 published items (90 %; the limit is 75 %).",
  },
  {
    signal: "items_refused",
    after: lamps(1_000),
    file: { written: 800, refused: 300 },
    figures: [0, 500],
    says: "500 of 1,000 items will be refused or left out in gmc.tsv; in the published file, it was 0 of 1,000 (50 %; the limit is 20 %).",
  },
  {
    signal: "price_zero",
    after: lamps(1_000, half({ price: 0 })),
    figures: [0, 500],
    says: "500 of 1,000 items cost nothing; before, it was 0 of 1,000 (50 %; the limit is 2 %).",
  },
  {
    signal: "price_jumps",
    after: lamps(1_000, (at) => (at % 10 === 0 ? { price: 100_000 } : {})),
    figures: [null, null],
    says: "100 of 1,000 items cost more than five times, or less than a fifth of, what they did (10 %; the limit is 5 %).",
  },
  {
    signal: "price_jumps",
    after: lamps(1_000, (at) => (at % 10 === 0 ? { price: 10 } : {})),
    figures: [null, null],
    says: "100 of 1,000 items cost more than five times, or less than a fifth of, what they did (10 %; the limit is 5 %).",
  },
  {
    signal: "price_median",
    after: lamps(1_000, () => ({ price: 3_000 })),
    figures: [10.02, 29.6],
    says: "The median price is about 29.6 EUR; it was 10.02 (a factor of 2.95; the limit is a factor of 2.5).",
  },
  {
    signal: "price_median",
    after: lamps(1_000, () => ({ price: 300 })),
    figures: [10.02, 2.98],
    says: "The median price is about 2.98 EUR; it was 10.02 (a factor of 3.36; the limit is a factor of 2.5).",
  },
  {
    signal: "currency_changed",
    after: lamps(1_000, half({ currency: "USD" })),
    figures: ["EUR", "USD"],
    says: "500 of 1,000 items have another currency, most USD instead of EUR (50 %; the limit is 2 %).",
  },
  {
    signal: "out_of_stock",
    after: lamps(1_000, half({ availability: "out_of_stock" })),
    figures: [1_000, 500],
    says: "500 of 1,000 items that could be ordered no longer can (50 %; the limit is 45 %).",
  },
  {
    signal: "back_in_stock",
    before: lamps(1_000, () => ({ availability: "out_of_stock" })),
    after: lamps(1_000),
    figures: [0, 1_000],
    says: "1,000 of 1,000 items were out of stock and can be ordered now (100 %; the limit is 50 %).",
  },
  {
    signal: "required_field_lost",
    after: lamps(1_000, half(without("image"))),
    figures: [1_000, 500],
    says: "500 of 1,000 items lost image (50 %; the limit is 5 %).",
  },
  {
    signal: "attribute_lost",
    after: lamps(1_000, half(without("gtin"))),
    figures: [1_000, 500],
    says: "500 of 1,000 items lost gtin (50 %; the limit is 30 %).",
  },
  {
    signal: "attribute_lost",
    after: lamps(1_000, half(without("group_id"))),
    figures: [1_000, 500],
    says: "500 of 1,000 items lost group_id (50 %; the limit is 30 %).",
  },
  {
    signal: "link_host",
    after: lamps(1_000, half({ linkHost: 2 })),
    figures: ["shop.example", "staging.example"],
    says: "500 of 1,000 items link to another host, most staging.example instead of shop.example (50 %; the limit is 5 %).",
  },
  {
    signal: "image_host",
    after: lamps(1_000, half({ imageHost: 2 })),
    figures: ["shop.example", "staging.example"],
    says: "500 of 1,000 items have their image on another host, most staging.example instead of shop.example (50 %; the limit is 30 %).",
  },
  {
    signal: "file_bytes",
    after: lamps(1_000),
    file: { bytes: 400_000 },
    figures: [1_000, 400],
    says: "gmc.tsv has 400 bytes for each item; the published one has 1,000 (a factor of 2.5; the limit is a factor of 1.5).",
  },
  {
    signal: "file_bytes",
    after: lamps(1_000),
    file: { bytes: 2_000_000 },
    figures: [1_000, 2_000],
    says: "gmc.tsv has 2,000 bytes for each item; the published one has 1,000 (a factor of 2; the limit is a factor of 1.5).",
  },
  {
    signal: "required_field_lost",
    after: lamps(1_000, half({ availability: "unknown" })),
    figures: [1_000, 500],
    says: "500 of 1,000 items lost availability (50 %; the limit is 5 %).",
  },
  ...(["title", "description", "link", "image"] as const).map((field) => ({
    signal: `same_${field}` as const,
    after: lamps(1_000, () => ({ [field]: 77 })),
    figures: [mostOf(field), 1_000] as const,
    says: `1,000 of 1,000 items have the same ${field} (${Math.round((1_000 - mostOf(field)) / 10)} %; the limit is ${LIMITS[`same_${field}`].limit * 100} %).`,
  })),
  {
    signal: "same_price",
    before: lamps(1_000, (at) => ({ price: 1_000 + at })),
    after: lamps(1_000, () => ({ price: 1_500 })),
    figures: [1, 1_000],
    says: "1,000 of 1,000 items have the same price (100 %; the limit is 50 %).",
  },
  {
    signal: "title_is_id",
    after: lamps(1_000, half({ isTitleId: true })),
    figures: [0, 500],
    says: "500 of 1,000 items have their id as their title (50 %; the limit is 10 %).",
  },
  {
    signal: "titles_cut",
    after: lamps(1_000, (at) => (at % 2 === 0 ? { title: 10_000 + at, titleLength: 26 } : {})),
    figures: [null, null],
    says: "The titles of 500 of 1,000 items are cut off (50 %; the limit is 20 %).",
  },
  ...(["title", "link", "image"] as const).map((field) => ({
    signal: "values_swapped" as const,
    after: lamps(1_000, (at) => (at < 500 ? { [field]: textsOf(499 - at)[field] } : {})),
    figures: [null, null] as const,
    says: `500 of 1,000 items have the ${field} that another item had before (50 %; the limit is 10 %).`,
  })),
  {
    signal: "garbled_text",
    after: lamps(1_000, half({ isGarbled: true })),
    figures: [0, 500],
    says: "500 of 1,000 items have garbled letters in the title or description, such as “Ã¤” or “?” for “ä” (50 %; the limit is 2 %).",
  },
  {
    signal: "prices_far_apart",
    after: lamps(1_000, half({ isFarApart: true })),
    figures: [0, 500],
    says: "500 of 1,000 items have a price that differs by a factor of 100 or more from another item of the group, or from their sale price (50 %; the limit is 5 %).",
  },
  {
    signal: "tax_changed",
    after: lamps(1_000, half({ price: 840 })),
    figures: [null, null],
    says: "The prices of 500 of 1,000 items changed as if tax of 19 % had been left out (50 %; the limit is 40 %).",
  },
  {
    signal: "tax_changed",
    after: lamps(1_000, half({ price: 1_200 })),
    figures: [null, null],
    says: "The prices of 500 of 1,000 items changed as if tax of 20 % had been added (50 %; the limit is 40 %).",
  },
];

for (const { signal, before = lamps(1_000), after, file, figures, says } of CASES) {
  test(`${signal}: ${says}`, () => {
    const exceeded = judged(before, after, file);
    assert.deepEqual(
      exceeded.map((one) => [one.signal, one.before, one.after, one.message]),
      [[signal, ...figures, says]],
    );
    assert.deepEqual(judge(compared(before, after, file), { ...DEFAULTS, [signal]: null }), []);
  });
}

test("every signal has a case above", () => {
  assert.deepEqual([...new Set(CASES.map(({ signal }) => signal))].sort(), [...GUARD_SIGNALS].sort());
});

test("fewer items than a signal needs never hold a render", () => {
  const few = (signal: GuardSignal) => LIMITS[signal].minItems - 1;
  assert.deepEqual(judged(lamps(few("items_removed")), new Map()), []);
  assert.deepEqual(
    judged(
      lamps(few("price_zero")),
      lamps(few("price_zero"), () => ({ price: 0 })),
    ),
    [],
  );
  const sold = few("out_of_stock");
  assert.deepEqual(
    judged(
      lamps(sold),
      lamps(sold, () => ({ availability: "out_of_stock" })),
    ),
    [],
  );
});

test("a link that an item gets, or that is gone, is no move to another host", () => {
  const unlinked = lamps(1_000, half({ linkHost: 0, ...without("link") }));
  assert.deepEqual(judged(unlinked, lamps(1_000)), []);
  assert.deepEqual(
    judged(lamps(1_000), unlinked).map(({ signal, subject }) => [signal, subject]),
    [["required_field_lost", "link"]],
  );
});

test("items whose availability becomes known are no change of stock", () => {
  const unknown = lamps(1_000, () => ({ availability: "unknown" }));
  assert.deepEqual(judged(unknown, lamps(1_000)), []);
  assert.deepEqual(judged(unknown, lamps(1_000, half({ availability: "out_of_stock" }))), []);
});

test("the end of a sale, prices that end in 99, and 20 % off are no tax", () => {
  const many = (price: number, more: Partial<ItemFacts> = {}) => lamps(1_000, () => ({ price, ...more }));
  assert.deepEqual(judged(many(840, { isOnSale: true }), many(1_000)), []);
  assert.deepEqual(judged(many(1_099), many(899)), []);
  assert.deepEqual(judged(many(1_000), many(800)), []);
  const krona = (price: number) => many(price, { currency: "SEK" });
  assert.deepEqual(
    judged(krona(1_000), krona(800)).map(({ signal }) => signal),
    ["tax_changed"],
  );
});

test("the new signals need 25 items", () => {
  const changes: readonly Partial<ItemFacts>[] = [
    { title: 77 },
    { link: 77 },
    { image: 77 },
    { isTitleId: true },
    { isGarbled: true },
    { isFarApart: true },
    { titleLength: 9, title: 78 },
    { price: 1_190 },
  ];
  for (const change of changes) {
    assert.deepEqual(
      judged(
        lamps(24),
        lamps(24, () => change),
      ),
      [],
    );
    assert.equal(
      judged(
        lamps(25),
        lamps(25, () => change),
      ).length > 0,
      true,
      JSON.stringify(change),
    );
  }
});

test("files without files before them are judged alone, and each finding says what to do", () => {
  const alone = (catalog: Catalog) =>
    judgeAlone(rendered(catalog, {}), DEFAULTS).map(({ signal, message }) => [signal, message]);
  assert.deepEqual(alone(lamps(30, (at) => ({ price: 1_000 + at }))), []);
  assert.deepEqual(alone(lamps(40, (at) => ({ price: at < 30 ? 1_000 : 2_000 + at }))), [
    [
      "same_price",
      "30 of 40 items have the same price. Check which column or field of the source the price is read from.",
    ],
  ]);
  const priced = (more: Partial<ItemFacts>) => lamps(30, (at) => ({ price: 1_000 + at, ...more }));
  const found = (more: Partial<ItemFacts>) => alone(priced(more)).map(([signal]) => signal);
  assert.deepEqual(found({ title: 77 }), ["same_title"]);
  assert.deepEqual(found({ link: 77 }), ["same_link"]);
  assert.deepEqual(found({ image: 77 }), ["same_image"]);
  assert.deepEqual(found({ description: 77 }), []);
  assert.deepEqual(found({ isGarbled: true }), ["garbled_text"]);
  assert.deepEqual(found({ isFarApart: true }), ["prices_far_apart"]);
  const off = { ...DEFAULTS, same_title: null };
  assert.deepEqual(judgeAlone(rendered(priced({ title: 77 }), {}), off), []);
});

test("a group shares its values, and alone it is no sign of a mistake", () => {
  const totals = new TotalsCounter();
  for (let at = 0; at < 40; at++) totals.count(LAMP, 1, at === 0 ? 40 : 0);
  assert.deepEqual(judgeAlone({ items: 40, files: [], totals: totals.totals() }, DEFAULTS), []);
});

test("an item that moves to another group is neither gone nor new", () => {
  const counter = new ChangeCounter({ before: HOSTS, after: HOSTS });
  for (const id of ["a", "b", "c"]) counter.removed(Buffer.from(id));
  for (const id of ["b", "c", "d"]) counter.added(Buffer.from(id));
  const { removed, added, moved } = counter.changes();
  assert.deepEqual({ removed, added, moved }, { removed: 1, added: 1, moved: 2 });
});

const anyFacts: fc.Arbitrary<ItemFacts> = fc.record({
  price: fc.constantFrom(0, 1, 999, 1_000, 100_000),
  currency: fc.constantFrom("EUR", "USD"),
  isOnSale: fc.boolean(),
  availability: fc.constantFrom("in_stock", "out_of_stock", "unknown"),
  filled: fc.nat(ALL_FILLED),
  linkHost: fc.constantFrom(1, 2),
  imageHost: fc.constantFrom(0, 1, 2),
  title: fc.constantFrom(1, 2, 3),
  description: fc.constantFrom(0, 1, 2),
  link: fc.constantFrom(0, 1, 2),
  image: fc.constantFrom(0, 1, 2),
  titleStart: fc.constantFrom(1, 2),
  titleLength: fc.constantFrom(1, 10, 40),
  isTitleId: fc.boolean(),
  isGarbled: fc.boolean(),
  isFarApart: fc.boolean(),
});
const anyCatalog: fc.Arbitrary<Catalog> = fc
  .dictionary(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz".split("")), anyFacts)
  .map((items) => new Map(Object.entries(items)));

test("a catalog that does not change is never held, and a higher limit never holds more", () => {
  fc.assert(
    fc.property(anyCatalog, anyCatalog, fc.constantFrom(...GUARD_SIGNALS), (before, after, signal) => {
      assert.deepEqual(judged(before, before), []);
      const figures = compared(before, after);
      const strict = { ...DEFAULTS, [signal]: 0 };
      const held = judge(figures, strict).length;
      assert.ok(judge(figures, DEFAULTS).length <= held);
      assert.ok(judge(figures, { ...strict, [signal]: null }).every((one) => one.signal !== signal));
    }),
  );
});

test("without a comparison of items, their number alone says how many are gone or new", () => {
  const alone = (before: number, after: number) =>
    judge({ ...compared(lamps(before), lamps(after)), changes: null }, DEFAULTS).map(
      ({ signal, change, before: was, after: is }) => [signal, change, was, is],
    );

  assert.deepEqual(alone(900, 300), [["items_removed", 0.6667, 900, 300]]);
  assert.deepEqual(alone(300, 900), [["items_added", 2, 300, 900]]);
  assert.deepEqual(alone(900, 900), []);
});

test("a render without totals is judged by its items and files", () => {
  const figures = compared(lamps(1_000), lamps(400));
  const { before, after } = figures;
  for (const partial of [
    { ...figures, before: { ...before, totals: null } },
    { ...figures, after: { ...after, totals: null } },
  ]) {
    assert.deepEqual(
      judge({ ...partial, changes: null }, DEFAULTS).map(({ signal }) => signal),
      ["items_removed"],
    );
  }
});

test("new items without a value are not items that lost it, but items without a group are", () => {
  const renamed = (catalog: Catalog): Catalog =>
    new Map([...catalog].map(([id, facts]) => [`new-${id}`, facts]));
  const signals = (field: "brand" | "group_id") => {
    const after = renamed(lamps(1_000, () => without(field)));
    return judged(lamps(1_000), after)
      .filter(({ subject }) => subject === field)
      .map(({ signal, before, after: is }) => [signal, before, is]);
  };

  assert.deepEqual(signals("brand"), []);
  assert.deepEqual(signals("group_id"), [["attribute_lost", 1_000, 0]]);
});
