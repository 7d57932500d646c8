import assert from "node:assert/strict";
import { test } from "node:test";
import { BULK_CONFIDENCE } from "../../contract/proposals.ts";
import { contextOf, groupOf, propose, valueFor } from "./proposals.fixture.ts";

/** Title, language, and what is proposed for it. */
type TitleCase = readonly [title: string, language: string, value: string | undefined];

function checkTitles(id: string, cases: readonly TitleCase[]): void {
  for (const [title, language, value] of cases)
    assert.equal(valueFor(id, { title }, { language }), value, title);
}

test("the only color in a title is proposed in the merchant's words", () => {
  checkTitles("color", [
    ["Desk lamp - Midnight Blue", "en", "Midnight Blue"],
    ["Headphones (matte black)", "en", "matte black"],
    ["Trampoline - ladder - zwart - 244 cm", "nl", "zwart"],
    ["Silla plegable azul marino", "es", "azul marino"],
    ["Poggiapiedi CH0593 Blu Marino", "it", "Blu Marino"],
    ["Bureaulampe bleu clair", "fr", "bleu clair"],
    ["Schreibtischlampe dunkelblau", "de", "dunkelblau"],
    ["Olive Green Jacket", "en", "Olive Green"],
    ["Simple scarf in Jasper Blue", "en", "Jasper Blue"],
    ["Inline skates - Blauw/Wit", "nl", "Blauw/Wit"],
    ["Set of trays, white and grey", "en", "white and grey"],
  ]);
});

test("a color word that may mean something else is not proposed", () => {
  checkTitles("color", [
    ["Orange juice", "en", undefined],
    ["Green tea, loose", "en", undefined],
    ["Shampoo for black hair", "en", undefined],
    ["Shirt with red stripes", "en", undefined],
    ["Gold ring", "en", undefined],
    ["Rot remover", "en", undefined],
    ["Bluetooth speaker", "en", undefined],
    ["Blocks - white/grey/coralred", "en", undefined],
    ["Red cup on blue saucer", "en", undefined],
    ["Blue", "en", undefined],
    ["Earl Grey - 20 x 2 g", "en", undefined],
    ["Leinsaat braun - 3,75kg", "de", undefined],
  ]);
  assert.equal(valueFor("color", { title: "Rot am See" }, { language: "en" }), undefined);
});

test("an ambiguous color on its own is proposed with less confidence", () => {
  const [gold] = propose(
    "color",
    groupOf({ title: "Signet ring (Gold)" }),
    contextOf([], { language: "en" }),
  );
  const [black] = propose(
    "color",
    groupOf({ title: "Signet ring (Black)" }),
    contextOf([], { language: "en" }),
  );
  assert.ok(gold && black && gold.value === "Gold" && gold.confidence < black.confidence);
});

test("options whose name says nothing are read if all variants have colors there", () => {
  const style = (value: string) => ({ options: [{ name: "Style", value }] });
  const colors = propose("color", groupOf(style("Black"), style("Light blue")));
  assert.deepEqual(
    colors.map(({ value, evidence }) => [value, evidence[0]?.field]),
    [
      ["Black", "options.0"],
      ["Light blue", "options.0"],
    ],
  );
  assert.deepEqual(propose("color", groupOf(style("Black"), style("Classic"))), []);
});

test("an option with the trait in its name fills the trait, whatever its value", () => {
  const ring = {
    options: [
      { name: "Choose ring size", value: "18 / 56" },
      { name: "Band color", value: "Jujube red" },
    ],
  };
  assert.equal(valueFor("size", ring), "18 / 56");
  assert.equal(valueFor("color", ring), "Jujube red");
  assert.equal(valueFor("size", { options: [{ name: "Pack size", value: "10" }] }), undefined);
  assert.equal(valueFor("size", { options: [{ name: "Color / Size", value: "Red / M" }] }), undefined);
});

test("the color in a title that variants share is not that of each variant", () => {
  const variant = (name: string, value: string) => ({ title: "Black shirt", options: [{ name, value }] });
  const context = contextOf([], { language: "en" });
  assert.equal(propose("color", groupOf(variant("Size", "S"), variant("Size", "M")), context).length, 2);
  assert.deepEqual(
    propose("color", groupOf(variant("Edition", "Moss"), variant("Edition", "Ink")), context),
    [],
  );
});

test("a line of the description that names the trait counts, a list of choices does not", () => {
  const described = (description: string) => ({ description, title: "Lamp" });
  const settings = { language: "en" };
  assert.equal(valueFor("color", described("A lamp.\n• Color: dark green\nNice."), settings), "dark green");
  assert.equal(valueFor("color", described("Color: black, white or red"), settings), undefined);
  assert.equal(valueFor("color", described("Color: to be chosen"), settings), undefined);
  assert.equal(
    valueFor("material", described("Material: tempered glass and ABS"), settings),
    "tempered glass and ABS",
  );
  assert.equal(valueFor("material", described("Material: see the care label for more"), settings), undefined);
});

test("sizes in titles need a name or a part of their own", () => {
  checkTitles("size", [
    ["Bootcut jeans - Size 8", "en", "8"],
    ["Sneaker Gr. 38", "de", undefined],
    ["Sneaker, Gr. 38", "de", "38"],
    ["Camiseta - Color Verde - Talla XL", "es", "XL"],
    ["Vinyl gloves (box of 100) L", "en", "L"],
    ["Shirt - XXL - blue", "en", "XXL"],
    ["Bin - 5L", "en", undefined],
    ["Size matters", "en", undefined],
    ["Model S - charger", "en", undefined],
  ]);
});

test("materials are read from titles, with their percentages and prepositions", () => {
  checkTitles("material", [
    ["White cotton shirt", "en", "cotton"],
    ["Table made of oak", "en", "oak"],
    ["Gymnase en bois", "fr", "bois"],
    ["Schale aus Holz", "de", "Holz"],
    ["Sofa - Ecologisch leer - zwart", "nl", "Ecologisch leer"],
    ["Hat 65% cotton, 35% polyester", "en", "cotton/polyester"],
    ["Leather cleaner 500 ml", "en", undefined],
    ["Brush for leather", "en", undefined],
    ["Wine glass", "en", undefined],
    ["Trousers in stone", "en", undefined],
    ["Bamboo hair gel 100 ml", "en", undefined],
    ["Hanf-Aufstrich 135g", "de", undefined],
    ["Bag, cotton with leather", "en", undefined],
  ]);
});

test("a composition in the description is proposed if there is one", () => {
  const settings = { language: "de" };
  const description = "Warmer Schal.\n95 % Schurwolle, 5 % Elasthan";
  assert.equal(valueFor("material", { title: "Schal", description }, settings), "Schurwolle/Elasthan");
  const lined = "Außen: 100 % Baumwolle. Innen: 100 % Polyester.";
  assert.equal(valueFor("material", { title: "Jacke", description: lined }, settings), undefined);
});

test("a material or a color that the text denies or imitates is not proposed", () => {
  checkTitles("material", [
    ["Wooden-frame kit, 100% wood free", "en", undefined],
    ["Trail shoe, leather-free", "en", undefined],
    ["Handtasche ohne Leder", "de", undefined],
    ["Regal in Leder-Optik", "de", undefined],
    ["Sac sans cuir", "fr", undefined],
    ["Chaise imitation rotin", "fr", undefined],
    ["Bolso sin cuero", "es", undefined],
    ["Funda imitación de cuero", "es", undefined],
    ["Divano aspetto di pelle", "it", undefined],
    ["Borsa senza vera pelle", "it", undefined],
    ["Blusa Efeito silicone", "pt", undefined],
    ["Tas zonder leer", "nl", undefined],
    ["Faux suede cushion", "en", undefined],
    ["Bamboo look blind", "en", undefined],
    ["Leather look cotton skirt", "en", "cotton"],
    ["Faux leather bag", "en", "Faux leather"],
    ["Jacke aus Kunstleder", "de", "Kunstleder"],
    ["Sac en simili cuir", "fr", "simili cuir"],
    ["Robe sans manches coton", "fr", "coton"],
    ["Borsa in finta pelle", "it", "finta pelle"],
  ]);
  checkTitles("color", [
    ["Chair - white look", "en", undefined],
    ["Vase effet noir", "fr", undefined],
    ["Lampe ohne Schwarz", "de", undefined],
    ["Mesa efecto blanco", "es", undefined],
    ["Retro look lamp - black", "en", "black"],
    ["Lampe sans fil - noir", "fr", "noir"],
  ]);
  const described = (description: string, language: string) =>
    valueFor("material", { title: "Trailer", description }, { language });
  assert.equal(described("The walls are 100% wood free and light.", "en"), undefined);
  assert.equal(described("Material: leather look", "en"), undefined);
  assert.equal(described("Material: ohne Leder", "de"), undefined);
  assert.equal(described("Material: leather", "en"), "leather");
  assert.equal(valueFor("material", { details: [{ name: "Material", value: "Marble effect" }] }), undefined);
});

test("a color in a name or of a part is not that of the thing, and a range of sizes is not one of them", () => {
  checkTitles("color", [
    ["Runner Low Off-White Black", "en", undefined],
    ["Passata - Marchio Mamma Rosa", "de", undefined],
    ["Valle Carménère Black", "en", undefined],
    ["Stand collar white lining jacket", "en", undefined],
    ["Küchenrolle KR20 Aqua", "de", undefined],
    ["Shirt - Off-White", "en", "Off-White"],
    ["Black jacket", "en", "Black"],
    ["Jacke rosa", "de", "rosa"],
  ]);
  const cellar = { title: "Reserva Black", categories: ["Shop > Vino"] };
  assert.equal(valueFor("color", cellar, { language: "sr" }), undefined);
  const option = (name: string) => ({ title: "Sticker", options: [{ name, value: "White" }] });
  assert.equal(valueFor("color", option("Border")), undefined);
  assert.equal(valueFor("color", option("Border color")), undefined);
  assert.equal(valueFor("color", option("Choose your color")), "White");
  const [style] = propose("color", groupOf(option("Style")));
  assert.ok(style && style.confidence < 0.8);
  checkTitles("size", [
    ["Sleep band Size: L/XL", "en", undefined],
    ["Sleep band, S/M", "en", undefined],
    ["Camiseta - Talla S/M", "es", "S/M"],
    ["Shirt / blue / XL", "en", "XL"],
  ]);
});

test("patterns", () => {
  checkTitles("pattern", [
    ["Striped blouse", "en", "Striped"],
    ["Hemd kariert", "de", "kariert"],
    ["Jupe à pois", "fr", "à pois"],
    ["Vestido de lunares", "es", "de lunares"],
    ["Floral perfume", "en", undefined],
    ["Floral scarf", "en", "Floral"],
    ["Stars & Stripes flag", "en", undefined],
  ]);
});

test("gender and age group come from words that say whom a thing is for", () => {
  checkTitles("gender", [
    ["Women's running shoes", "en", "female"],
    ["Razor for men", "en", "male"],
    ["Damen Lederjacke", "de", "female"],
    ["Herren und Damen Sneaker", "de", "unisex"],
    ["Damen Herren Sneaker", "de", "unisex"],
    ["Montre pour homme", "fr", "male"],
    ["Zapatos de mujer", "es", "female"],
    ["Scarpe da uomo", "it", "male"],
    ["Jas voor dames", "nl", "female"],
    ["Spider-Man poster", "en", undefined],
    ["Gilmore girl's portrait", "en", undefined],
    ["Man on the moon, print", "en", undefined],
  ]);
  checkTitles("age_group", [
    ["Kids hoodie", "en", "kids"],
    ["Kids table", "en", undefined],
    ["Women's jacket", "en", "adult"],
    ["Women's bike", "en", undefined],
    ["Jacke für Kinder", "de", "kids"],
    ["Body pour bébé", "fr", "infant"],
    ["Boys' shirt", "en", "kids"],
  ]);
});

test("a size in months or years and words for babies decide between the age groups of children", () => {
  const cases: readonly (readonly [title: string, language: string, value: string, isSure: boolean])[] = [
    ["Conjunto para niñas (Talla 6-12 meses)", "es", "infant", true],
    ["Girls' dress, 0-3 months", "en", "newborn", true],
    ["Pyjama fille 12-18 mois", "fr", "toddler", true],
    ["Hose für Jungen 3 bis 6 Monate", "de", "infant", true],
    ["Maglietta bambino 9-12 mesi", "it", "infant", true],
    ["Boys' jeans 2-3 years", "en", "toddler", true],
    ["Boys' jeans 8-9 years", "en", "kids", true],
    ["Conjunto para niña 6-18 meses", "es", "toddler", false],
    ["Juego de sábanas de cuna para niño", "es", "infant", false],
    ["Crib sheet for boys", "en", "infant", false],
    ["Newborn girls' hat", "en", "newborn", false],
    ["Nebulizador para bebés y para niños", "es", "infant", false],
    ["Robe fille - taille 03 ans", "fr", "toddler", true],
    ["Robe fille - taille 05 ans", "fr", "toddler", false],
    ["Robe fille - taille 08 ans", "fr", "kids", true],
    ["Puzzle für Kinder ab 3 Jahren", "de", "toddler", false],
    ["Kids hoodie", "en", "kids", true],
    ["Jacke für Kinder", "de", "kids", true],
    ["Women's jacket", "en", "adult", true],
  ];
  for (const [title, language, value, isSure] of cases) {
    const [proposal] = propose("age_group", groupOf({ title }), contextOf([], { language }));
    assert.equal(proposal?.value, value, title);
    assert.equal((proposal?.confidence ?? 0) >= 0.8, isSure, title);
  }
  const option = { title: "Girls' shirt", options: [{ name: "Size", value: "6-9 M" }] };
  assert.equal(valueFor("age_group", option, { language: "en" }), "infant");
  const category = { title: "Boys' set", googleCategory: "182" };
  const [unclear] = propose("age_group", groupOf(category), contextOf([], { language: "en" }));
  assert.ok(unclear && unclear.value === "infant" && unclear.confidence < 0.8);
  assert.equal(valueFor("age_group", { title: "Drill, warranty 12-24 months, for men" }), undefined);
});

test("the shop's category says whom a thing is for, unless it is for several", () => {
  const categories = (path: string) => ({ title: "Sheer", categories: [path] });
  assert.equal(valueFor("gender", categories("Sale > Women's dresses")), "female");
  assert.equal(valueFor("age_group", categories("Sale > Women's dresses")), "adult");
  assert.equal(valueFor("age_group", categories("Baby & Toddler > Bottles")), undefined);
});

test("attributes are stated values", () => {
  const details = [
    { name: "Geschlecht", value: "Damen" },
    { name: "Altersgruppe", value: "Erwachsene" },
    { name: "Muster", value: "Vichy" },
  ];
  assert.equal(valueFor("gender", { details }), "female");
  assert.equal(valueFor("age_group", { details }), "adult");
  assert.equal(valueFor("pattern", { details }), "Vichy");
});

test("words of the item's own brand in the title are no trait of it", () => {
  const cases: readonly (readonly [id: string, brand: string, title: string, value: string | undefined])[] = [
    ["material", "Ålesund Wool", "Ålesund Wool Coffee Cup", undefined],
    ["material", "Ålesund Wool AS", "ÅLESUND WOOL scarf", undefined],
    ["material", "Ålesund Wool", "Ålesund Wool scarf, cotton", "cotton"],
    ["color", "White Stuff", "White Stuff Hemd Herren", undefined],
    ["color", "White Stuff", "White Stuff Hemd schwarz", "schwarz"],
    ["color", "White Stuff", "White-Stuff Hemd", undefined],
    ["color", "White Stuff", "Hemd - White", "White"],
    ["color", "Old Navy", "Old Navy Blue Shirt", "Blue"],
    ["color", "Black & Decker", "Drill - Black & Decker", undefined],
    ["pattern", "Stripes & Dots", "Stripes & Dots blouse", undefined],
    ["gender", "Boy's Own", "Boy's Own T-shirt", undefined],
    ["age_group", "Kids United", "Kids United hoodie", undefined],
    ["size", "Big - XXL", "Big - XXL - shirt", undefined],
    ["condition", "Gebraucht", "Gebraucht Tasche", undefined],
  ];
  for (const [id, brand, title, value] of cases) {
    assert.equal(valueFor(id, { brand, title }, { language: "de" }), value, `${id} of ${title}`);
    assert.equal(
      valueFor(id, { title, details: [{ name: "Brand", value: brand }] }, { language: "de" }),
      value,
      `${id} of ${title}, with a proposed brand`,
    );
  }
});

test("a brand that siblings or other products have counts as the item's own", () => {
  const title = "White Stuff shirt";
  const sibling = groupOf({ title }, { title: "Shirt - M", brand: "White Stuff" });
  assert.deepEqual(propose("color", sibling, contextOf([], { language: "en" })), []);
  const other = groupOf({ title: "White Stuff socks", brand: "White Stuff" });
  assert.deepEqual(propose("color", groupOf({ title }), contextOf([other, other], { language: "en" })), []);
  assert.equal(propose("color", groupOf({ title }), contextOf([], { language: "en" }))[0]?.value, "White");
});

test("values that are there are not proposed again", () => {
  const full = {
    title: "Women's striped blue cotton shirt - Size M",
    color: "Navy",
    size: "M",
    material: "Linen",
  };
  for (const id of ["color", "size", "material"]) assert.equal(valueFor(id, full), undefined);
  assert.equal(valueFor("color", { title: "Shirt - blue", color: "see image" }), "blue");
});

test("letters beside slashes, sizes of a set and single letters on other things than clothes are no size", () => {
  for (const title of [
    "Sodium hydroxide 0.1 mol/L",
    "Wheel for Series X/S",
    "Crossbody bag - M",
    "Set for two (XL, S)",
  ])
    assert.equal(valueFor("size", { title }), undefined, title);
  assert.equal(valueFor("size", { title: "T-shirt - M" }), "M");
});

test("plugs have no gender, plans no material, and a color beside an unknown one is not the color", () => {
  assert.equal(valueFor("gender", { title: "Jumper wire - female to female" }), undefined);
  assert.equal(valueFor("material", { title: "Garage shelf plans PDF - Plywood" }), undefined);
  assert.equal(valueFor("color", { title: "Everyday set (Ivorine & Racing Green)" }), undefined);
});

/** How sure the only proposal for a title and a description is. */
function confidenceFor(id: string, title: string, language: string, description?: string): number {
  const draft = { title, ...(description !== undefined && { description }) };
  const [proposal] = propose(id, groupOf(draft), contextOf([], { language }));
  assert.ok(proposal, title);
  return proposal.confidence;
}

test("the value of an option that names two things is no size or color", () => {
  for (const name of ["Taille et capuchon", "Taille & Parfum", "Size + Scent", "Größe und Duft"])
    assert.equal(valueFor("size", { options: [{ name, value: "50 ml rose" }] }), undefined, name);
});

test("materials of a part or beside another material are approved one at a time", () => {
  assert.ok(confidenceFor("material", "Table made of oak", "en") >= BULK_CONFIDENCE);
  assert.ok(confidenceFor("material", "Marco de bambú y corcho", "es") < BULK_CONFIDENCE);
  assert.ok(confidenceFor("material", "Silla con respaldo y patas de bambú", "es") < BULK_CONFIDENCE);
  assert.ok(
    confidenceFor("material", "Drain pump", "en", "Motor with 100% cotton winding") < BULK_CONFIDENCE,
  );
  assert.ok(confidenceFor("material", "T-shirt", "en", "100% cotton") >= BULK_CONFIDENCE);
});

test("girls and boys in titles of other things than clothes are approved one at a time", () => {
  assert.ok(confidenceFor("age_group", "Candle * Girls at heart", "en") < BULK_CONFIDENCE);
  assert.ok(confidenceFor("age_group", "Girls T-shirt", "en") >= BULK_CONFIDENCE);
});
