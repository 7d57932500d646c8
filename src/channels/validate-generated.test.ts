/** Generated catalogs are rendered and validated: exactly what the render reports as refused has errors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  AGE_GROUPS,
  CONDITIONS,
  GENDERS,
  type Item,
  LENGTH_UNITS,
  SIZE_SYSTEMS,
  SIZE_TYPES,
  WEIGHT_UNITS,
  type ItemGroup,
} from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { foldText } from "../catalog/text.ts";
import { anyText, money, shopUrl, trickyText } from "./arbitraries.fixture.ts";
import type { FeedContext } from "./channel.ts";
import { type ChannelFile, CHANNELS, VALIDATORS } from "./registry.ts";
import { inPieces, NOW } from "./validate.fixture.ts";
import { validateFeed } from "./validate.ts";
import { cases } from "../../test/long.ts";

/** One for each item at most: of every length, some of them for use inside one shop. */
const GTINS = [
  "4006381333931",
  "036000291452",
  "96385074",
  "10614141000415",
  "2000000000008",
  "3234567890126",
  "90311017",
  "036282818705",
] as const;

/** Text of items: folded, never empty; full of what the formats treat specially. */
const text = fc
  .oneof(anyText, trickyText)
  .map(foldText)
  .filter((folded) => folded !== "");

const instant = (least: string, most: string) =>
  fc
    .date({ min: new Date(least), max: new Date(most), noInvalidDate: true })
    .map((date) => date.toISOString());

function measure<Unit extends string>(units: readonly Unit[]): fc.Arbitrary<{ value: string; unit: Unit }> {
  return fc.record({
    value: fc.integer({ min: 1, max: 5_000 }).map((n) => String(n / 4)),
    unit: fc.constantFrom(...units),
  });
}

const rate = (currency: string) =>
  fc.record(
    {
      price: money(currency, 0, 5_000),
      country: fc.constantFrom("US", "DE"),
      region: fc.constantFrom("CA", "NY"),
      postalCode: fc.constantFrom("94043", "94*"),
      service: text,
      minHandling: fc.nat(5),
      maxHandling: fc.nat(5),
      minTransit: fc.nat(5),
      maxTransit: fc.nat(5),
    },
    { requiredKeys: ["price"] },
  );

const offer = fc.constantFrom("USD", "JPY").chain((currency) =>
  fc.record(
    {
      price: money(currency, 10_000, 99_999),
      salePrice: money(currency, 1, 9_999),
      saleFrom: instant("2026-10-01T00:00:00Z", "2026-11-20T00:00:00Z"),
      saleTo: instant("2026-11-21T00:00:00Z", "2026-12-20T00:00:00Z"),
      shipping: fc.array(rate(currency), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ["price"] },
  ),
);

const traits = fc.record(
  {
    mpn: text,
    gtin: fc.constantFrom(...GTINS),
    color: text,
    size: text,
    sizeSystem: fc.constantFrom(...SIZE_SYSTEMS),
    sizeType: fc.constantFrom(...SIZE_TYPES),
    material: text,
    pattern: text,
    gender: fc.constantFrom(...GENDERS),
    ageGroup: fc.constantFrom(...AGE_GROUPS),
    condition: fc.constantFrom(...CONDITIONS),
    adult: fc.boolean(),
    isBundle: fc.boolean(),
    multipack: fc.nat(5),
    identifierExists: fc.boolean(),
    highlights: fc.array(text, { minLength: 1, maxLength: 4 }),
    details: fc.array(fc.record({ name: text, value: text }), { minLength: 1, maxLength: 3 }),
    categories: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
    weight: measure(WEIGHT_UNITS),
    length: measure(LENGTH_UNITS),
    width: measure(LENGTH_UNITS),
    height: measure(LENGTH_UNITS),
    returns: fc.record(
      { accepted: fc.boolean(), days: fc.nat(60), policyUrl: shopUrl },
      { requiredKeys: [] },
    ),
    rating: fc.record({
      value: fc.constantFrom("1", "3.5", "4.66", "5"),
      count: fc.integer({ min: 1, max: 999 }),
    }),
    certifications: fc.array(fc.record({ authority: text, name: text }), { minLength: 1, maxLength: 2 }),
    customLabels: fc.array(fc.option(text), { minLength: 1, maxLength: 5 }),
    expiresAt: instant("2026-11-15T00:00:00Z", "2026-12-10T00:00:00Z"),
    groupTitle: text,
    shortTitle: text,
  },
  { requiredKeys: [] },
);

const stock = fc.oneof(
  fc.record({
    availability: fc.constantFrom("in_stock" as const, "out_of_stock" as const, "unknown" as const),
  }),
  fc.record({
    availability: fc.constantFrom("preorder" as const, "backorder" as const),
    availabilityDate: instant("2026-11-15T00:00:00Z", "2027-10-01T00:00:00Z"),
  }),
);

const item: fc.Arbitrary<Item> = fc
  .tuple(
    fc.record({
      id: fc.stringMatching(/^[A-Za-z0-9._/,"#%& -]{0,40}[A-Za-z0-9]$/).map(foldText),
      title: text.map((given) => `${given} mug`.slice(0, 200)),
      link: shopUrl,
      description: text.map((given) => `${given} of clay\n\n• glazed\n• fired twice`),
      brand: fc.stringMatching(/^[A-Z][a-z]{3,9}$/),
      images: fc.uniqueArray(shopUrl, { minLength: 1, maxLength: 4 }),
    }),
    offer,
    stock,
    traits,
  )
  .map(([needed, prices, availability, more]) => ({ ...needed, ...prices, ...availability, ...more }));

/** What real catalogs lack or have wrong. Each value is one that an item can have after it was read. */
const FAULTS: readonly { readonly [Name in keyof Item]?: Item[Name] | undefined }[] = [
  { link: undefined },
  { link: "http://localhost:3000/mug" },
  { link: "https://192.168.1.7/mug" },
  { link: "http://[::1]:8080/mug" },
  { link: "https://shop.test/mug" },
  { link: `https://shop.example/${"a".repeat(1_990)}` },
  { canonicalLink: "https://localhost/mug", mobileLink: "https://10.0.0.1/mug" },
  { images: undefined },
  { images: ["https://nas.local/1.jpg", "https://cdn.example/2.jpg"] },
  { images: ["https://cdn.example/1.jpg", "https://nas.local/2.jpg"] },
  { images: [`https://cdn.example/${",".repeat(900)}.jpg`] },
  { images: ["https://cdn.example/no-image.jpg"] },
  { images: ["https://cdn.example/woocommerce-placeholder-600x600.png"] },
  { description: undefined },
  { description: "n/a" },
  { brand: undefined },
  { brand: "None" },
  { brand: "Generic" },
  { title: "n/a" },
  { id: "x".repeat(60) },
  { price: { amount: "0.00", currency: "USD" }, salePrice: undefined, shipping: undefined },
  { availability: "preorder", availabilityDate: undefined },
  { availability: "preorder", availabilityDate: "2026-01-01T00:00:00.000Z" },
  { availability: "backorder", availabilityDate: undefined },
  { gtin: undefined, mpn: undefined, identifierExists: false },
  { rating: { value: "9.5", count: 3 } },
  { rating: { value: "4.5", count: 0 } },
  { googleCategory: "Möbel > Hocker" },
  { expiresAt: "2020-01-01T00:00:00.000Z" },
];

/** Items that lack values or have hostile ones. */
const faultyItem: fc.Arbitrary<Item> = fc
  .tuple(item, fc.subarray([...FAULTS], { maxLength: 3 }), fc.nat(9))
  .map(([good, faults, digit]) => {
    const all = Object.assign({ ...good }, ...faults) as Item;
    return { ...all, id: all.id === good.id ? good.id : `${all.id}${good.id}${digit}` };
  });

const settings: fc.Arbitrary<CatalogSettings> = fc.record(
  {
    country: fc.constantFrom("US", "DE"),
    storeUrl: fc.constant("https://shop.example/"),
    sellerName: fc.constant("Fjellgarn, Inc."),
    privacyPolicyUrl: fc.constant("https://shop.example/privacy"),
    termsUrl: fc.constant("https://shop.example/terms"),
    returnPolicyUrl: fc.constant("https://shop.example/returns"),
    acceptsReturns: fc.boolean(),
    returnDays: fc.integer({ min: 1, max: 60 }),
    targetCountries: fc.constantFrom(["US"], ["US", "CA"]),
    eligibleForSearch: fc.boolean(),
    eligibleForCheckout: fc.boolean(),
    eligibleForAds: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Groups whose variants differ, as in a valid catalog. */
const groupsOf = (member: fc.Arbitrary<Item>): fc.Arbitrary<ItemGroup[]> =>
  fc
    .tuple(
      fc.uniqueArray(member, { selector: ({ id }) => id, minLength: 1, maxLength: 8 }),
      fc.array(
        fc.record({ size: fc.integer({ min: 1, max: 4 }), kind: fc.constantFrom("none", "whole", "part") }),
      ),
    )
    .map(([all, plan]) => {
      const made: ItemGroup[] = [];
      for (let at = 0; at < all.length; ) {
        const { size, kind } = plan[made.length] ?? { size: 1, kind: "none" };
        const members = all.slice(at, at + size).map((one, place) => ({
          ...one,
          ...(one.gtin !== undefined && { gtin: GTINS[at + place] ?? one.gtin }),
          options: [{ name: "Kind", value: `No. ${at + place}` }],
        }));
        const groupId = kind === "none" ? null : `G ${made.length}`;
        made.push({ groupId, isWhole: kind !== "part", items: members });
        at += size;
      }
      return made;
    });

const groups = groupsOf(item);

function render(file: ChannelFile, all: readonly ItemGroup[], context: FeedContext): string {
  const writer = CHANNELS[file].open(context);
  return writer.head() + all.map((group) => writer.group(group).text).join("") + writer.tail();
}

test("of any catalog, exactly the refused items have errors, also where values are missing or hostile", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(groups, groupsOf(faultyItem)), settings, async (all, given) => {
      const context = {
        catalog: { slug: "fjellgarn", name: "Fjellgarn Shop" },
        settings: given,
        asOf: NOW,
        snapshotAt: NOW,
      };
      for (const file of VALIDATORS.keys()) {
        const report = await validateFeed(inPieces(render(file, all, context)), { format: file, now: NOW });
        const writer = CHANNELS[file].open(context);
        const refusals = all.flatMap((group) => writer.group(group).refusals);
        const refused = new Set(refusals.map(({ itemId }) => itemId));
        const errors = report.problems.filter(({ severity }) => severity === "error");
        const shown = errors.map(({ itemId, rule, value }) => `${rule} ${itemId} ${value}`).join("\n");
        assert.deepEqual(new Set(errors.map(({ itemId }) => itemId)), refused, `${file}\n${shown}`);
        const incomplete = report.problems.filter(({ rule }) => rule === "jsonld.shipping.incomplete");
        assert.deepEqual(incomplete, [], "shipping details are complete or left out");
      }
    }),
    { numRuns: cases(40) },
  );
});

test("the validators count as many rows as were written", async () => {
  await fc.assert(
    fc.asyncProperty(groups, async (all) => {
      const context = {
        catalog: { slug: "fjellgarn", name: "Fjellgarn Shop" },
        settings: {},
        asOf: NOW,
        snapshotAt: NOW,
      };
      for (const file of VALIDATORS.keys()) {
        const writer = CHANNELS[file].open(context);
        const written = all.reduce((sum, group) => sum + writer.group(group).written, 0);
        const report = await validateFeed(inPieces(render(file, all, context)), { format: file, now: NOW });

        assert.equal(report.rows, written, file);
      }
    }),
    { numRuns: cases(15) },
  );
});
