import assert from "node:assert/strict";
import { test } from "node:test";
import { contextOf, groupOf, propose, valueFor } from "./proposals.fixture.ts";

test("used and refurbished goods are recognized in several languages, also when they are listed as new", () => {
  for (const [title, language, value] of [
    ["ThinkPad T480 refurbished", "en", "refurbished"],
    ["Laptop generalüberholt", "de", "refurbished"],
    ["Objektiv, gebraucht", "de", "used"],
    ["iPhone reconditionné", "fr", "refurbished"],
    ["Livre d'occasion", "fr", "used"],
    ["Móvil reacondicionado", "es", "refurbished"],
    ["Telefono ricondizionato", "it", "refurbished"],
    ["Tweedehands fiets", "nl", "used"],
    ["Never second hand", "en", undefined],
    ["Vintage lamp", "en", undefined],
    ["Retro mint toaster", "en", undefined],
    ["Nettoyant tout usage", "fr", undefined],
    ["Sac à usages multiples", "fr", undefined],
    ["Renewed Timber Bench", "en", undefined],
    ["Watch with a second hand", "en", undefined],
    ["Second Hand Watch Movement", "en", undefined],
    ["Open Box Shelf, oak", "en", undefined],
    ["Borsa in pelle rigenerata", "it", undefined],
    ["Woordenboek, gereviseerde editie", "nl", undefined],
    ["Der meist gebrauchte Kleber der Welt", "de", undefined],
    ["Écran pour iPhone 12 reconditionné", "fr", undefined],
    ["Apple iPhone 12 reconditionné 64 Go", "fr", "refurbished"],
    ["Pre-owned Omega watch", "en", "used"],
  ] as const)
    assert.equal(valueFor("condition", { title }, { language }), value, title);
  assert.equal(valueFor("condition", { title: "Phone, refurbished", condition: "new" }), "refurbished");
  assert.equal(valueFor("condition", { title: "Phone, refurbished", condition: "used" }), undefined);
  assert.equal(valueFor("condition", { details: [{ name: "Zustand", value: "neu" }] }), "new");
});

test("variants whose titles are equal in the feeds get the attribute in which they differ", () => {
  const cable = (length: string) => ({ title: "Cable", details: [{ name: "Length", value: length }] });
  const group = groupOf(cable("1 m"), cable("2 m"));
  const [first, second] = propose("variant_title", group);
  assert.deepEqual([first?.value, second?.value], ["Cable, 1 m", "Cable, 2 m"]);
  assert.ok(first?.isGrounded && second?.isGrounded);
  const [heavy] = propose(
    "variant_title",
    groupOf({ title: "Kettlebell", weight: "8 kg" }, { title: "Kettlebell", weight: "4 kg" }),
  );
  assert.equal(heavy?.value, "Kettlebell, 8 kg");
});

test("titles that feeds make different are left alone", () => {
  const option = (value: string) => ({
    title: "Cable",
    options: [{ name: "Length", value }],
    details: [{ name: "L", value }],
  });
  assert.deepEqual(propose("variant_title", groupOf(option("1 m"), option("2 m"))), []);
  const color = (value: string) => ({ title: "Cable", color: value, details: [{ name: "L", value }] });
  assert.deepEqual(propose("variant_title", groupOf(color("red"), color("blue"))), []);
  const same = { title: "Cable", details: [{ name: "L", value: "1 m" }] };
  assert.deepEqual(propose("variant_title", groupOf(same, same)), []);
  const group = groupOf({ title: "Cable", weight: "1 kg" }, { title: "Cable", weight: "2 kg" });
  assert.deepEqual(propose("variant_title", { ...group, isWhole: false }), []);
});

const PROSE = "A stool of solid oak that carries two adults and folds flat against the wall.";
const SHIPPING = "We offer a secure worldwide shipping.";
const SHOP = Array.from({ length: 12 }, (_, at) =>
  groupOf({ description: `${PROSE} Number ${at}.\n${SHIPPING}\nSolid wood.` }),
);

test("a description loses the title as its first line", () => {
  const draft = { title: "Oak stool", description: `OAK STOOL\n\n${PROSE}` };
  assert.equal(valueFor("description", draft), PROSE);
  const built = { title: "Oak stool", description: `[vc_row]\nOAK STOOL\n\n${PROSE}` };
  assert.equal(valueFor("description", built), PROSE, "also after what a page builder left behind");
  assert.equal(
    valueFor("description", { title: "Oak stool", description: `The oak stool.\n\n${PROSE}` }),
    undefined,
  );
});

test("sentences about shipping that many descriptions repeat are removed, other repeated ones stay", () => {
  const group = groupOf({ description: `${PROSE} ${SHIPPING} Made in Sweden.\nSolid wood.` });
  const [proposal] = propose("description", group, contextOf(SHOP));
  assert.equal(proposal?.value, `${PROSE} Made in Sweden.\nSolid wood.`);
  assert.equal(proposal?.isGrounded, true);
  assert.deepEqual(propose("description", group), [], "in one description only");
});

test("what page builders leave behind is removed", () => {
  assert.equal(
    valueFor("description", { description: `[vc_row][vc_column width="1/2"]\n${PROSE}\n[/vc_column]` }),
    PROSE,
  );
});

test("marks of Markdown and unknown tags are removed, and the words between them stay", () => {
  const marked =
    "A **solid** stool. ** Two sizes ** <copy> Ida wears a medium. Use 3 < 4 screws and 5 > 2 nails.";
  const plain = "A solid stool. Two sizes Ida wears a medium. Use 3 < 4 screws and 5 > 2 nails.";
  const [proposal] = propose("description", groupOf({ description: marked }));
  assert.deepEqual([proposal?.value, proposal?.isGrounded], [plain, true]);
});

test("a heading stays with what it is the heading of", () => {
  const lines = ["Scope of delivery: one stool.", "Delivery:", "By ship.", "Shipping info:", SHIPPING];
  const shop = Array.from({ length: 12 }, (_, at) =>
    groupOf({ description: [PROSE, at, ...lines].join("\n") }),
  );
  const [proposal] = propose(
    "description",
    groupOf({ description: [PROSE, ...lines].join("\n") }),
    contextOf(shop),
  );
  assert.equal(proposal?.value, [PROSE, ...lines.slice(0, 3)].join("\n"));
});

test("a description of which little would stay is left alone", () => {
  assert.deepEqual(
    propose("description", groupOf({ description: `Good.\n${SHIPPING}` }), contextOf(SHOP)),
    [],
  );
});

test("the base of a unit price follows from its unit in Europe", () => {
  const oil = { unitPricingMeasure: "500 ml" };
  assert.equal(valueFor("unit_pricing_base", oil, { country: "DE" }), "1 l");
  assert.equal(
    valueFor("unit_pricing_base", { unitPricingMeasure: "80 g" }, { targetCountries: ["FR"] }),
    "1 kg",
  );
  assert.equal(valueFor("unit_pricing_base", oil, { country: "US" }), undefined);
  assert.equal(valueFor("unit_pricing_base", { unitPricingMeasure: "3 ct" }, { country: "DE" }), undefined);
  assert.equal(valueFor("unit_pricing_base", {}, { country: "DE" }), undefined);
});
