import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../lib/any-character.fixture.ts";
import { normalize } from "../normalize.ts";
import { readCondition } from "./condition.ts";

/** Wordings of marketplaces, shop systems and shops, by what Google calls them. */
// biome-ignore format: one group of wordings after another
const WORDINGS = {
  new: [
    // schema.org, Google, Amazon, eBay
    "new", "New", "NEW!", "NewCondition", "https://schema.org/NewCondition", "http://schema.org/NewCondition", "New with tags",
    "New with box", "New in box", "new_in_box", "Brand New", "Brand New In Box", "BNIB", "Factory sealed", "1000", "11",
    "Condition: New", "100% new", "New, never used", "Unused", "New old stock",
    // other languages
    "Neu", "Neuware", "Neu & OVP", "Zustand: Neu", "Neuf", "Neuf avec étiquette", "Nuevo con etiquetas", "Nuovo", "Nieuw",
    "Novo", "Nowy", "Ny", "Uusi", "Nový", "Yeni", "Новый", "新品", "新品、未使用", "全新", "새상품",
    "Nová", "Új", "Nou", "Nouă", "SIFIR", "Нова", "Нові", "Ново", "Novo", "Καινούργιο", "新", "جديد", "חדש", "nou cu etichetă",
  ],
  refurbished: [
    "refurbished", "RefurbishedCondition", "https://schema.org/RefurbishedCondition", "Certified - Refurbished",
    "Excellent - Refurbished", "Very Good - Refurbished", "Seller refurbished", "Manufacturer Refurbished",
    "Refurbished Grade A", "refurbished_excellent", "Renewed", "Amazon Renewed", "Reconditioned", "Remanufactured", "2000", "2500",
    "Used (refurbished)", "generalüberholt", "Aufbereitet - wie neu", "Reconditionné", "Reconditionné - Très bon état",
    "remis à neuf", "Reacondicionado", "Ricondizionato", "Gereviseerd", "Odnowiony", "Renoverad", "Kunnostettu", "整備済み品",
    "翻新", "리퍼비시 A급",
    "Repasovaná", "Felújított", "Recondiționat", "Відновлений", "Obnovljeno", "Yenilenmiş", "ανακατασκευασμένο", "مجدد", "מחודש",
  ],
  used: [
    // schema.org, Google, Facebook
    "used", "UsedCondition", "https://schema.org/UsedCondition", "https://schema.org/DamagedCondition", "used_good", "used_fair",
    "used_like_new", "open_box_new", "cpo",
    // Amazon
    "Used - Very Good", "Used - Like New", "UsedLikeNew", "UsedAcceptable", "CollectibleVeryGood", "Acceptable", "Good",
    // eBay
    "New other", "New (Other)", "New other (see details)", "New without tags", "New without box", "New with defects",
    "NEW_WITH_DEFECTS", "Open box", "Certified Open Box", "Like New", "Pre-owned - Excellent", "PRE_OWNED_FAIR",
    "For parts or not working", "1500", "2750", "3000", "7000",
    // shops
    "damaged", "As new", "Nearly new", "Almost New", "not new", "New, damaged box", "Pre-loved", "preloved", "Vintage", "Antique",
    "Second-hand", "2nd hand", "Ex-demo", "Ex display", "Display model", "Shop soiled", "B-Stock", "B-Grade", "Grade A", "Grade B",
    "Customer return", "Scratch and Dent", "Condition: Used", "Mint", "used, 4 of 5",
    // German
    "Gebraucht", "Gebraucht - sehr gut", "neuwertig", "wie neu", "Neu (sonstige)", "Neu ohne OVP", "B-Ware", "Vorführgerät",
    "Ausstellungsstück", "Retoure", "2. Wahl", "Mängelexemplar", "defekt", "gut erhalten",
    // other languages
    "Occasion", "d'occasion", "Occasion - Très bon état", "Comme neuf", "Neuf : Autre (voir les détails)", "Usado",
    "Como nuevo", "Seminuevo", "Usato", "Come nuovo", "Tweedehands", "Zo goed als nieuw", "Como novo", "Używany", "Jak nowy",
    "Begagnad", "Brugt", "Brukt", "Som ny", "Käytetty", "Použité", "Használt", "Ikinci el", "б/у", "中古", "中古品 - 良い",
    "新品同様", "未使用に近い", "ジャンク品", "二手", "九成新", "중고 - 상",
    "Bazar", "bazaar", "Rozbalené", "Használt", "Resigilat", "Б/в", "Вживана", "Подержанное", "Polovno", "Коришћено", "Yeni gibi",
    "μεταχειρισμένο", "مستعمل", "משומש", "כמו חדש",
  ],
} as const;

test("the wordings of marketplaces and shops are understood", () => {
  for (const [condition, wordings] of Object.entries(WORDINGS))
    for (const wording of wordings) assert.equal(readCondition(wording), condition, wording);
});

const mug = {
  id: "1",
  title: "Mug",
  link: "https://shop.example/1",
  price: "20 EUR",
  availability: "in stock",
};

function conditionOf(condition: string): readonly [string | undefined, readonly string[]] {
  const normalized = normalize({ ...mug, condition }, { position: 1, settings: {} });
  assert.ok(normalized.kind === "item");
  return [normalized.item.condition, normalized.warnings.map(({ code }) => code)];
}

test("a condition in unknown words is left out, with a warning", () => {
  for (const wording of [
    "Handmade",
    "1",
    "10",
    "Zustand siehe Fotos",
    "other",
    "???",
    "ЖЖ",
    "x".repeat(1_000_000),
  ])
    assert.deepEqual(conditionOf(wording), [undefined, ["unknown_condition"]], wording);
});

test('a condition that is missing or "unknown" stays missing', () => {
  for (const wording of ["", " ", "n/a", "-", "unknown", "Not specified", "keine Angabe"])
    assert.deepEqual(conditionOf(wording), [undefined, []], wording);
});

test("whatever is added to a used or refurbished condition, it never becomes new", () => {
  const wording = fc
    .constantFrom(...WORDINGS.used, ...WORDINGS.refurbished)
    .filter((text) => !/^\d+$|schema/.test(text));
  const remark = fc.constantFrom(
    "new",
    "brand new",
    "sealed",
    "neu",
    "tested",
    "in box",
    "5",
    "with warranty",
    "!",
  );
  fc.assert(
    fc.property(wording, remark, fc.constantFrom(" ", " - ", ", ", " / ", "_"), (stated, more, gap) => {
      assert.notEqual(readCondition(`${stated}${gap}${more}`), "new", stated + gap + more);
      assert.notEqual(readCondition(`${more}${gap}${stated}`), "new", more + gap + stated);
    }),
    { numRuns: 800 },
  );
});

test("any text is a condition or none, and never an exception", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      const condition = readCondition(text);
      assert.ok(condition === undefined || ["new", "refurbished", "used", "unstated"].includes(condition));
    }),
  );
});
