import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { auditAll } from "./any-catalog.fixture.ts";
import { KNOWN_FAULTS } from "./known-faults/all.fixture.ts";
import { PERFECT } from "./perfect.fixture.ts";
import { DIMENSIONS, type Dimension } from "./rule.ts";
import { ALL_RULES, REJECTED_RULE, RULESET, ruleByNumber } from "./ruleset.ts";
import { MAX_NUMBER, MAX_POINTS } from "./verdict.ts";

const points = (dimension?: Dimension) =>
  ALL_RULES.reduce(
    (sum, rule) => (dimension === undefined || rule.dimension === dimension ? sum + rule.points : sum),
    0,
  );

test("the points of all rules are exactly 100, and those of each dimension are as published", () => {
  assert.equal(points(), 100);
  assert.deepEqual(
    Object.keys(DIMENSIONS).map((name) => points(name as Dimension)),
    [27, 22, 8, 24, 16, 3],
  );
});

test("no two rules share a number or an id, and all fit into a verdict", () => {
  const numbers = new Set(ALL_RULES.map(({ number }) => number));
  assert.equal(numbers.size, ALL_RULES.length);
  assert.equal(new Set(ALL_RULES.map(({ id }) => id)).size, ALL_RULES.length);
  for (const { number, points } of ALL_RULES) {
    assert.ok(number >= 1 && number <= MAX_NUMBER);
    assert.ok(Number.isInteger(points) && points >= 0 && points <= MAX_POINTS);
  }
});

test("rules without points are advice or refuse items, and critical rules make a format refuse the item", () => {
  for (const { id, severity, points, blocks, formats } of ALL_RULES) {
    assert.equal(severity === "info", points === 0 && blocks.length === 0, id);
    assert.equal(severity === "critical", blocks.length > 0, id);
    assert.ok(formats.length > 0 && blocks.every((format) => formats.includes(format)), id);
  }
});

test("titles, requirements and advice of rules are well-formed", () => {
  for (const { id, title, expects, advice, when, reference } of ALL_RULES) {
    assert.match(title, /^["A-Z].*[^.]$/, id);
    assert.match(expects, /^["A-Z\d].*\.$/, id);
    assert.match(advice, /^[A-Z].*\.$/, id);
    assert.match(when, /^[a-z].*[^.]$/, id);
    assert.ok(URL.canParse(reference), id);
  }
});

test("a rule is found by its number; an unused number gives undefined", () => {
  assert.equal(ruleByNumber(11)?.id, "eligibility.brand");
  assert.equal(ruleByNumber(0), undefined);
});

/** Stored verdicts refer to rules by number. Add to this list, never change it. */
const RULE_NUMBERS = `
  1 eligibility.id
  2 eligibility.title
  3 eligibility.description
  4 eligibility.link
  5 eligibility.link_domain
  6 eligibility.https
  7 eligibility.image
  8 eligibility.image_placeholder
  9 eligibility.price
  10 eligibility.availability
  11 eligibility.brand
  12 identity.gtin_valid
  13 identity.gtin_unique
  14 identity.identifier_present
  15 identity.identifier_claim
  16 identity.group_consistent
  17 identity.variant_axes
  18 identity.variant_link
  19 identity.variant_image
  20 offer.sale_below_price
  21 offer.single_currency
  22 offer.price_plausible
  23 offer.stock_consistent
  24 offer.availability_date
  25 offer.shipping_valid
  26 content.title_quality
  27 content.description_depth
  28 content.description_unique
  29 content.description_neutral
  30 content.images_extra
  31 content.clean_text
  32 class.category
  33 class.apparel
  34 class.attributes
  35 class.product_type
  36 class.color
  37 fresh.sync
  38 fresh.published
  39 fresh.expiry
  40 eligibility.adult
  41 identity.plain_codes
  42 identity.mpn_is_sku
  43 identity.group_single
  44 identity.group_missing
  45 offer.sale_dates
  46 offer.shipping
  47 offer.returns
  48 offer.unit_price
  49 content.title_brand
  50 content.highlights
  51 class.trait_lengths
  52 class.dimensions
  53 class.options_agree
  54 eligibility.seller_name
  55 eligibility.store_facts
  56 eligibility.checkout
  57 eligibility.rejected
  58 identity.gtin_check_digit
  59 eligibility.public_host
  60 eligibility.url_length
  61 eligibility.subscription_price
`;

test("rule numbers never change and are never reused", () => {
  for (const [, number, id = ""] of RULE_NUMBERS.matchAll(/(\d+) (\S+)/g)) {
    const rule = ruleByNumber(Number(number));
    assert.ok(rule === undefined || rule.id === id, id);
  }
  for (const { number, id } of [...ALL_RULES, REJECTED_RULE])
    assert.ok(RULE_NUMBERS.includes(`${number} ${id}\n`), id);
});

/**
 * A hash of the verdicts on the test cases. When it differs, a rule has other findings than before: raise the version
 * in `ruleset.ts` and pin the new values here.
 */
const PINNED = { version: 7, hash: "265df2d44537296e", verdicts: "e7668588717278d9" };

test("the rules of a version have the pinned verdicts", () => {
  const digest = createHash("sha256");
  for (const { mutate } of KNOWN_FAULTS) {
    for (const { itemId, encoded } of auditAll(mutate(PERFECT)).verdicts)
      digest.update(itemId).update(encoded);
  }

  const found = { version: RULESET.version, hash: RULESET.hash, verdicts: digest.digest("hex").slice(0, 16) };
  assert.deepEqual(found, PINNED);
});
