import assert from "node:assert/strict";
import { test } from "node:test";
import { contextOf, groupOf, propose, valueFor } from "./proposals.fixture.ts";

const EANS = ["4006381333931", "5901234123457", "4007249914248", "4003994155486"];
const withDetail = (name: string, value: string) => ({ details: [{ name, value }] });

test("a GTIN under any usual name is proposed without spaces and dashes", () => {
  for (const [name, value] of [
    ["EAN", "4006381333931"],
    ["Barcode", "400-6381 333931"],
    ["UPC", "036000291452"],
  ] as const) {
    const [proposal] = propose("gtin", groupOf(withDetail(name, value)));
    assert.equal(proposal?.value, value.replaceAll(/\D/g, ""));
    assert.equal(proposal?.isGrounded, true);
  }
  assert.equal(valueFor("gtin", { description: "Nice pen.\nEAN: 4006381333931" }), "4006381333931");
});

test("the zero that a spreadsheet has removed is restored, with less confidence", () => {
  const [whole] = propose("gtin", groupOf(withDetail("UPC", "036000291452")));
  const [lost] = propose("gtin", groupOf(withDetail("UPC", "36000291452")));
  assert.equal(lost?.value, "036000291452");
  assert.ok(whole && lost && lost.confidence < whole.confidence);
});

test("an ISBN-10 becomes another number, so it is not grounded", () => {
  const [proposal] = propose("gtin", groupOf(withDetail("ISBN", "3-16-148410-X")));
  assert.deepEqual([proposal?.value, proposal?.isGrounded], ["9783161484100", false]);
});

test("numbers with a wrong check digit, for internal use or rounded by a spreadsheet are not GTINs", () => {
  for (const value of ["4006381333932", "2000000000121", "4.00638E+12", "0000000000000"])
    assert.equal(valueFor("gtin", withDetail("EAN", value)), undefined, value);
});

test("SKUs are GTINs only in a catalog where nearly all of them are", () => {
  const group = groupOf({ sku: "4006381333931" });
  const catalog = (skus: readonly string[]) => contextOf(skus.map((sku) => groupOf({ sku })));
  assert.deepEqual(propose("gtin", group, catalog(["4006381333931"])), []);
  const valid = catalog([...EANS, ...EANS, ...EANS]);
  assert.equal(valid.facts.skus.gtins, valid.facts.skus.digits);
  assert.equal(propose("gtin", group, valid)[0]?.value, "4006381333931");
  const mixed = catalog([...EANS, ...EANS, ...EANS, "4006381333932", "4006381333935", "4006381333938"]);
  assert.deepEqual(propose("gtin", group, mixed), []);
});

test("an identifier that several variants would share is proposed for none", () => {
  const description = "EAN: 4006381333931";
  assert.deepEqual(propose("gtin", groupOf({ description }, { description })), []);
  assert.equal(propose("gtin", groupOf({ description }, { gtin: "4006381333931" })).length, 0);
  assert.equal(propose("gtin", groupOf({ description }, { gtin: "5901234123457" })).length, 1);
});

test("part numbers come from their name, or from a barcode that is none", () => {
  assert.equal(valueFor("mpn", withDetail("MPN", "GSR-12/V")), "GSR-12/V");
  assert.equal(valueFor("mpn", { description: "Herstellernummer: 0601868122" }), "0601868122");
  assert.equal(valueFor("mpn", withDetail("Barcode", "BIN-0042")), "BIN-0042");
  assert.equal(valueFor("mpn", withDetail("Barcode", "4006381333932")), undefined);
  assert.equal(valueFor("mpn", withDetail("MPN", "on request")), undefined);
  assert.equal(valueFor("mpn", { sku: "A-1", ...withDetail("MPN", "A-1") }), undefined);
});

test("what the source has in place of a GTIN is proposed as what it is: a part number, or a GTIN without its zero", () => {
  const [coded] = propose("mpn", groupOf({ gtin: "KL-2041" }));
  const [lost] = propose("gtin", groupOf({ gtin: "36000291452" }));

  assert.deepEqual(
    [coded?.value, coded?.isGrounded, coded?.evidence],
    ["KL-2041", true, [{ field: "barcode", from: 0, to: 7, text: "KL-2041" }]],
  );
  assert.deepEqual([lost?.value, lost?.isGrounded], ["036000291452", true]);
  assert.equal(valueFor("mpn", { gtin: "4006381333930" }), undefined, "it may be a damaged GTIN");
  assert.equal(valueFor("mpn", { gtin: "KL-2041", mpn: "K1" }), undefined);
  assert.equal(valueFor("mpn", { gtin: "KL-2041", sku: "KL-2041" }), undefined);
});

test("a brand is stated, or that of the siblings, or one that the catalog knows", () => {
  assert.equal(valueFor("brand", withDetail("Hersteller", "Bosch")), "Bosch");
  assert.equal(valueFor("brand", { description: "Marque : Kiln" }), "Kiln");
  assert.equal(valueFor("brand", { description: "Manufacturer: China" }), undefined);
  assert.equal(valueFor("brand", { description: "Manufacturer: Turkey, Acme" }), undefined);
  const [fromSibling] = propose("brand", groupOf({ brand: "Kiln" }, {}, { brand: "Kiln" }));
  assert.deepEqual(fromSibling?.evidence, [{ itemId: "1", field: "brand", from: 0, to: 4, text: "Kiln" }]);
  assert.deepEqual(propose("brand", groupOf({ brand: "Kiln" }, {}, { brand: "Acme" })), []);
});

const titled = (brand: string, title: string) => groupOf({ brand, title });
const KNOWN = [titled("Acme", "Acme saw"), titled("Acme", "Saw"), titled("Rare", "Rare saw")];

test("a known brand counts at word borders, in its own spelling, and not as what a thing fits", () => {
  const found = (title: string) => propose("brand", groupOf({ title }), contextOf(KNOWN))[0]?.value;
  assert.equal(found("Acme pliers"), "Acme");
  assert.equal(found("Pliers ACME 200 mm"), "Acme");
  assert.equal(found("Acmeister pliers"), undefined);
  assert.equal(found("the acme of pliers"), undefined);
  assert.equal(found("Battery for Acme drills"), undefined);
  assert.equal(found("Rare pliers"), undefined);
});

test("a known brand with signs in its name is found as it is written, or without its last sign", () => {
  const brands = ["Kiln & Co.", "Smith & Wesson", "Dr. Oetker", "H&M", "Jo+Co", "!Nox", "Toys “R” Us"];
  const known = contextOf(brands.flatMap((brand) => [titled(brand, `${brand} mug`), titled(brand, "Mug")]));
  const found = (title: string) => propose("brand", groupOf({ title }), known)[0];
  for (const brand of brands)
    for (const title of [`${brand} bowl`, `Bowl ${brand}`, `${brand.toUpperCase()}, bowl`]) {
      const proposal = found(title);
      assert.equal(proposal?.value, brand, title);
      assert.equal(proposal.isGrounded, true, title);
      assert.equal(proposal.evidence[0]?.text.toLowerCase(), brand.toLowerCase(), title);
    }
  assert.equal(found("Kiln & Co bowl")?.value, "Kiln & Co.");
  assert.equal(found("Bowl for Dr. Oetker molds"), undefined);
  for (const title of ["Kiln Co bowl", "H. M bowl", "h&m bowl", "Size H & M", "Smith, Wesson: bowls"])
    assert.equal(found(title), undefined, title);
});

test("a brand whose name the titles of other brands have is not looked for", () => {
  const herbs = [titled("Rosemary", "Rosemary soap"), titled("Rosemary", "Thyme soap")];
  const others = Array.from({ length: 3 }, () => titled("Kiln", "Rosemary bath"));
  const group = groupOf({ title: "Rosemary tea" });
  assert.equal(propose("brand", group, contextOf(herbs))[0]?.value, "Rosemary");
  assert.deepEqual(propose("brand", group, contextOf([...herbs, ...others])), []);
});

test("the name of the store is proposed as a brand with less confidence", () => {
  const group = groupOf({ title: "Acme pliers" });
  const [other] = propose("brand", group, contextOf(KNOWN));
  const [seller] = propose("brand", group, contextOf(KNOWN, { sellerName: "ACME" }));
  const [host] = propose("brand", group, contextOf(KNOWN, { storeUrl: "https://www.acme.example/shop" }));
  assert.ok(other && seller && host);
  assert.ok(seller.confidence < other.confidence && host.confidence < other.confidence);
});

test("a filler is no brand", () => {
  assert.equal(valueFor("brand", { brand: "Generic", ...withDetail("Brand", "Kiln") }), "Kiln");
  assert.equal(valueFor("brand", withDetail("Brand", "no brand")), undefined);
});

test("a category is suggested from the path and the titles of the group", () => {
  const asked: unknown[] = [];
  const context = contextOf([], {}, (path, titles) => {
    asked.push([path, titles]);
    return path.includes("Mugs") ? { category: "2169", confidence: 0.8 } : undefined;
  });
  const [proposal] = propose("category", groupOf({ title: "Cup", categories: ["Kitchen > Mugs"] }), context);
  assert.deepEqual(
    [proposal?.field, proposal?.value, proposal?.confidence],
    ["google_category", "2169", 0.8],
  );
  assert.deepEqual(
    proposal?.evidence.map(({ text }) => text),
    ["Kitchen > Mugs", "Cup"],
  );
  assert.deepEqual(asked, [[["Kitchen", "Mugs"], ["Cup"]]]);
  assert.deepEqual(propose("category", groupOf({ title: "Cup" }), context), []);
  const decided = { ...context, uncategorized: new Set(["Kitchen > Mugs"]) };
  assert.deepEqual(propose("category", groupOf({ categories: ["Kitchen > Mugs"] }), decided), []);
  assert.equal(propose("category", groupOf({ categories: ["Mugs"] }), decided).length, 1);
  assert.deepEqual(
    propose("category", groupOf({ categories: ["Mugs"], googleCategory: "2169" }), context),
    [],
  );
});
