import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { type Draft, LIST_FIELDS, TEXT_FIELDS } from "./draft.ts";
import { REJECTION_CODES, WARNING_CODES } from "./finding.ts";
import { decodeItem, encodeItem, type Item } from "./item.ts";
import { snakeCase } from "../lib/snake-case.ts";
import { normalize, NORMALIZER_VERSION, type NormalizeContext, type Normalized } from "./normalize.ts";
import { namedValues } from "../../test/named-values.ts";

const context: NormalizeContext = {
  position: 7,
  settings: { currency: "EUR", storeUrl: "https://shop.example/" },
};
const mug: Draft = {
  id: "MUG-1",
  title: "Mug",
  link: "https://shop.example/p/mug",
  price: "19.90",
  availability: "in stock",
};

function itemOf(normalized: Normalized): Item {
  assert.ok(normalized.kind === "item", JSON.stringify(normalized));
  return normalized.item;
}

test("a draft with only the required fields becomes an item without warnings", () => {
  const normalized = normalize(mug, context);

  assert.deepEqual(normalized, {
    kind: "item",
    item: {
      id: "MUG-1",
      title: "Mug",
      link: "https://shop.example/p/mug",
      price: { amount: "19.90", currency: "EUR" },
      availability: "in_stock",
    },
    warnings: [],
  });
});

test("a draft without several required fields is rejected, and all of them are named", () => {
  const { title: _title, link: _link, price: _price, ...bare } = mug;

  assert.deepEqual(normalize({ ...bare, price: "call us" }, context), {
    kind: "rejected",
    rejection: {
      itemId: "MUG-1",
      position: 7,
      field: "title",
      code: "missing_title",
      message: 'The item has no title. The price "call us" is not a single number.',
    },
  });
});

test("a draft with all fields becomes an item with all fields", () => {
  const full: Draft = {
    ...mug,
    groupId: "MUG",
    sku: "M&amp;1",
    gtin: "4006381333931",
    mpn: "FG-350-T",
    brand: "Fjell &amp; Garn",
    identifierExists: "yes",
    groupTitle: "Mugs",
    shortTitle: "Mug",
    description: "<p>Glazed <b>stoneware</b>.</p>",
    highlights: ["Dishwasher safe", "n/a"],
    details: [
      { section: "General", name: "Volume", value: "350 ml" },
      { name: "Handle", value: "" },
    ],
    canonicalLink: "/p/mug",
    mobileLink: "https://m.shop.example/p/mug",
    image: "https://cdn.example/1.jpg",
    additionalImages: ["https://cdn.example/2.jpg", "https://cdn.example/1.jpg", ""],
    videos: ["https://cdn.example/v.mp4"],
    salePrice: "15,00 €",
    saleWindow: "2026-11-01/2026-11-30",
    priceIncludesTax: "yes",
    unitPricingMeasure: "350ml",
    unitPricingBaseMeasure: "1 l",
    availabilityDate: "2026-12-01",
    quantity: "4",
    expiresAt: "2026-12-31",
    condition: "neu",
    googleCategory: "Home &amp; Garden > Kitchen &amp; Dining",
    categories: ["Kitchen &gt; Mugs | Gifts", "Kitchen > Mugs"],
    options: namedValues({ Farbe: "Teal", Title: "Default Title", Engraving: "None" }),
    size: "350 ml",
    sizeSystem: "eu",
    sizeType: "regular",
    material: "Stoneware",
    pattern: "plain",
    gender: "Unisex",
    ageGroup: "adults",
    adult: "no",
    multipack: "2",
    isBundle: "no",
    isDigital: "false",
    energyClass: "a+",
    minEnergyClass: "A+++",
    maxEnergyClass: "D",
    certifications: [{ authority: "EC", name: "EPREL", code: "123456" }],
    customLabel1: "summer",
    customLabel3: "sale",
    weight: "350",
    weightUnit: "g",
    length: "8",
    width: "8",
    height: "9,5",
    dimensionsUnit: "cm",
    shippingWeight: "0.5 kg",
    shippingLength: "10 in",
    shippingWidth: "10 in",
    shippingHeight: "10 in",
    shipping: [
      {
        country: "de",
        region: "",
        service: "DHL",
        price: "4,90",
        minHandling: "0",
        maxHandling: "1",
        minTransit: "1",
        maxTransit: "3",
      },
    ],
    shippingLabel: "fragile",
    acceptsReturns: "yes",
    returnDays: "30",
    returnPolicyUrl: "/returns",
    ratingValue: "4,5",
    ratingCount: "12",
    country: "at",
    language: "de_AT",
    published: "true",
  };

  const normalized = normalize(full, context);

  assert.deepEqual(normalized.kind === "item" && normalized.warnings, []);
  assert.deepEqual(itemOf(normalized), {
    id: "MUG-1",
    title: "Mug",
    link: "https://shop.example/p/mug",
    price: { amount: "19.90", currency: "EUR" },
    availability: "in_stock",
    groupId: "MUG",
    sku: "M&amp;1",
    gtin: "4006381333931",
    mpn: "FG-350-T",
    brand: "Fjell & Garn",
    identifierExists: true,
    groupTitle: "Mugs",
    shortTitle: "Mug",
    description: "Glazed stoneware.",
    highlights: ["Dishwasher safe"],
    details: [{ section: "General", name: "Volume", value: "350 ml" }],
    canonicalLink: "https://shop.example/p/mug",
    mobileLink: "https://m.shop.example/p/mug",
    images: ["https://cdn.example/1.jpg", "https://cdn.example/2.jpg"],
    videos: ["https://cdn.example/v.mp4"],
    salePrice: { amount: "15.00", currency: "EUR" },
    saleFrom: "2026-11-01T00:00:00.000Z",
    saleTo: "2026-11-30T23:59:59.999Z",
    priceIncludesTax: true,
    unitPricing: { measure: { value: "350", unit: "ml" }, base: { value: "1", unit: "l" } },
    availabilityDate: "2026-12-01T00:00:00.000Z",
    quantity: 4,
    expiresAt: "2026-12-31T23:59:59.999Z",
    condition: "new",
    googleCategory: "Home & Garden > Kitchen & Dining",
    categories: [["Kitchen", "Mugs"], ["Gifts"]],
    options: namedValues({ Farbe: "Teal", Engraving: "None" }),
    color: "Teal",
    size: "350 ml",
    sizeSystem: "EU",
    sizeType: "regular",
    material: "Stoneware",
    pattern: "plain",
    gender: "unisex",
    ageGroup: "adult",
    adult: false,
    multipack: 2,
    isBundle: false,
    isDigital: false,
    energyClass: "A+",
    minEnergyClass: "A+++",
    maxEnergyClass: "D",
    certifications: [{ authority: "EC", name: "EPREL", code: "123456" }],
    customLabels: [null, "summer", null, "sale"],
    weight: { value: "350", unit: "g" },
    length: { value: "8", unit: "cm" },
    width: { value: "8", unit: "cm" },
    height: { value: "9.5", unit: "cm" },
    shippingWeight: { value: "0.5", unit: "kg" },
    shippingLength: { value: "10", unit: "in" },
    shippingWidth: { value: "10", unit: "in" },
    shippingHeight: { value: "10", unit: "in" },
    shipping: [
      {
        country: "DE",
        service: "DHL",
        price: { amount: "4.90", currency: "EUR" },
        minHandling: 0,
        maxHandling: 1,
        minTransit: 1,
        maxTransit: 3,
      },
    ],
    shippingLabel: "fragile",
    returns: { accepted: true, days: 30, policyUrl: "https://shop.example/returns" },
    rating: { value: "4.5", count: 12 },
    country: "AT",
    language: "de-AT",
  });
});

test("every field of a draft is read", () => {
  const read = new Set<string>();
  const watched = (draft: Draft): Draft =>
    new Proxy(draft, {
      get: (target, field) => {
        read.add(String(field));
        return Reflect.get(target, field);
      },
    });

  const texts = Object.fromEntries(TEXT_FIELDS.map((field) => [field, "1"]));
  const lists = Object.fromEntries(LIST_FIELDS.map((field) => [field, ["1"]]));
  const whole: Draft = { ...texts, ...lists, ...mug, currency: "EUR", salePrice: "15.00", published: "yes" };

  normalize(watched(whole), context);
  // A list price has an effect only without a sale price.
  const { salePrice: _salePrice, ...listed } = whole;
  normalize(watched(listed), context);

  assert.deepEqual(
    [...TEXT_FIELDS, ...LIST_FIELDS].filter((field) => !read.has(field)),
    [],
  );
});

test("a title of markup alone is rejected with the reason", () => {
  const cases: [string, string][] = [
    ["", "The item has no title."],
    [
      "<b></b>",
      'title "<b></b>" has no text, only markup or characters that are not visible. Give the item a title in plain text.',
    ],
  ];
  for (const [title, message] of cases) {
    const normalized = normalize({ ...mug, title }, context);
    assert.ok(normalized.kind === "rejected");
    assert.deepEqual([normalized.rejection.code, normalized.rejection.message], ["missing_title", message]);
  }
});

test("a missing or invalid required field is a rejection with its own code and the field's name", () => {
  const cases: [Draft, string, string][] = [
    [{ id: "" }, "missing_id", "id"],
    [{ id: "n/a" }, "missing_id", "id"],
    [{ id: "a\0b" }, "invalid_id", "id"],
    [{ id: "a\ud800b" }, "invalid_id", "id"],
    [{ id: "x".repeat(201) }, "invalid_id", "id"],
    [{ id: "\u200b\u200d" }, "missing_id", "id"],
    [{ id: "", sku: "x".repeat(1_000_000) }, "invalid_id", "sku"],
    [{ title: "" }, "missing_title", "title"],
    [{ title: "<p>&nbsp;</p>" }, "missing_title", "title"],
    [{ title: "<br>".repeat(1_000) }, "missing_title", "title"],
    [{ price: "" }, "missing_price", "price"],
    [{ price: "call us" }, "invalid_price", "price"],
    [{ price: "10-20" }, "invalid_price", "price"],
    [{ price: "0.0001 EUR", currency: "EUR" }, "invalid_price", "price"],
    [{ price: "19.90 XYZ" }, "invalid_currency", "price"],
    [{ price: "$19.90" }, "invalid_currency", "price"],
    [{ currency: "XYZ" }, "invalid_currency", "currency"],
    [{ published: "draft" }, "unpublished", "published"],
  ];

  for (const [change, code, field] of cases) {
    const normalized = normalize({ ...mug, ...change }, { ...context, decimalMark: "." });
    assert.ok(normalized.kind === "rejected", JSON.stringify(change).slice(0, 80));
    const { rejection } = normalized;
    assert.deepEqual([rejection.code, rejection.field, rejection.position], [code, field, 7]);
    assert.equal(rejection.itemId, field === "id" || field === "sku" ? null : "MUG-1");
    assert.ok(rejection.message.length <= 200 && rejection.message.endsWith("."), rejection.message);
  }
});

test("a price with more decimals than its currency is rounded half up, with a warning", () => {
  const read = (change: Draft) => {
    const normalized = normalize({ ...mug, ...change }, { ...context, decimalMark: "." });
    assert.ok(normalized.kind === "item");
    const { price, salePrice } = normalized.item;
    const rounded = normalized.warnings.filter(({ code }) => code === "price_rounded");
    return [price.amount, salePrice?.amount, rounded.map(({ field, message }) => [field, message])];
  };

  assert.deepEqual(read({ price: "19.999 EUR", currency: "EUR" }), [
    "20.00",
    undefined,
    [["price", 'price "19.999 EUR" has more decimals than the currency has; it was rounded to 20.00 EUR.']],
  ]);
  assert.deepEqual(read({ price: "19.9900 EUR", salePrice: "16.8067", currency: "EUR" }), [
    "19.99",
    "16.81",
    [
      [
        "salePrice",
        'sale_price "16.8067" has more decimals than the currency has; it was rounded to 16.81 EUR.',
      ],
    ],
  ]);
});

test("a price that can be read two ways is rejected with both readings and the setting that decides", () => {
  const read = (price: string) => {
    const normalized = normalize({ ...mug, price, currency: "USD" }, { ...context, decimalMark: undefined });
    assert.ok(normalized.kind === "rejected");
    const { code, field, message } = normalized.rejection;
    return [code, field, message];
  };

  assert.deepEqual(read("12.345"), [
    "ambiguous_price",
    "price",
    'The price "12.345" can be read as 12.345 or as 12345, and the other prices do not show which. Set decimal_mark to "." for 12.345 or to "," for 12345.',
  ]);
  assert.deepEqual(read("1,250 USD"), [
    "ambiguous_price",
    "price",
    'The price "1,250 USD" can be read as 1.250 or as 1250, and the other prices do not show which. Set decimal_mark to "," for 1.250 or to "." for 1250.',
  ]);
});

test("an item without a usable link is stored without one, with a warning", () => {
  const cases: [Draft["link"], string][] = [
    [" ", "missing_link"],
    ["javascript:alert(1)", "invalid_url"],
    ["x".repeat(1_000_000), "invalid_url"],
  ];

  for (const [link = "", code] of cases) {
    const normalized = normalize({ ...mug, link }, context);
    assert.ok(normalized.kind === "item", code);
    assert.equal("link" in normalized.item, false);
    assert.deepEqual(
      normalized.warnings.map(({ code, field }) => [code, field]),
      [[code, "link"]],
    );
  }
});

test("a withdrawn currency is rejected with the code that replaced it, and nothing is converted", () => {
  const messageOf = (draft: Draft): string => {
    const normalized = normalize({ ...mug, ...draft }, context);
    return normalized.kind === "rejected" ? normalized.rejection.message : "";
  };
  const belarus =
    "was withdrawn; BYN replaced it in 2016 (1 BYN was 10000 BYR). Prices are not converted: send amounts in BYN, with that code.";

  assert.equal(messageOf({ price: "250000", currency: "BYR" }), `The currency "BYR" ${belarus}`);
  assert.equal(messageOf({ price: "250000 BYR" }), `The currency "BYR" of the price "250000 BYR" ${belarus}`);
  assert.match(messageOf({ price: "20.00 HRK" }), /EUR replaced it in 2023 \(1 EUR was 7\.53450 HRK\)/);
  assert.match(
    messageOf({ price: "20", currency: "zwl" }),
    /"zwl" was withdrawn; ZWG replaced it in 2024\. /,
  );
  assert.match(messageOf({ price: "20 QQQ" }), /not in ISO 4217/);
});

test("RUR is the ruble of today", () => {
  for (const draft of [{ price: "20", currency: "RUR" }, { price: "20 RUR" }, { price: "20.00 RUR" }])
    assert.deepEqual(itemOf(normalize({ ...mug, ...draft }, context)).price, {
      amount: "20.00",
      currency: "RUB",
    });
});

test("a price without any currency is rejected", () => {
  const normalized = normalize(mug, { position: 1, settings: {} });

  assert.equal(normalized.kind === "rejected" && normalized.rejection.code, "missing_currency");
  assert.equal(
    itemOf(normalize({ ...mug, currency: "chf" }, { position: 1, settings: {} })).price.currency,
    "CHF",
  );
  assert.equal(
    itemOf(normalize({ ...mug, price: "19.90 USD", currency: "???" }, context)).price.currency,
    "USD",
  );
});

test("an item without an id has its SKU as id, with a warning", () => {
  const normalized = normalize({ ...mug, id: "-", sku: " SKU  1 " }, context);

  assert.equal(itemOf(normalized).id, "SKU 1");
  assert.deepEqual(normalized.kind === "item" && normalized.warnings.map(({ code }) => code), [
    "id_from_sku",
  ]);
});

test("a Google category that is not in the taxonomy is kept as it is, with a warning", () => {
  for (const googleCategory of [
    "999999",
    "Home & Garden > Unicorn Stables",
    "Mugs",
    "2169 - Home & Garden",
  ]) {
    const normalized = normalize({ ...mug, googleCategory }, context);

    assert.ok(normalized.kind === "item");
    assert.equal(normalized.item.googleCategory, googleCategory);
    assert.deepEqual(
      normalized.warnings.map(({ code, field }) => [code, field]),
      [["unknown_category", "googleCategory"]],
    );
    assert.ok(normalized.warnings[0]?.message.includes(`"${googleCategory}"`), googleCategory);
  }
});

test("the warning about an unknown Google category names the nearest one", () => {
  const normalized = normalize({ ...mug, googleCategory: "Furniture > Coffee Tables" }, context);

  assert.ok(normalized.kind === "item");
  assert.equal(
    normalized.warnings[0]?.message,
    'google_category "Furniture > Coffee Tables" is not in Google\'s taxonomy. The nearest one is 1395, Furniture > Tables > Accent Tables > Coffee Tables. Use an id or a full path of the taxonomy.',
  );
});

test("a Google category gets no warning as an id, as an English path, or in another language", () => {
  const categories = ["2169", "536", "Home & Garden > Kitchen & Dining", "Heim & Garten > Küche & Esszimmer"];
  for (const googleCategory of categories) {
    const normalized = normalize({ ...mug, googleCategory }, context);

    assert.ok(normalized.kind === "item");
    assert.equal(normalized.item.googleCategory, googleCategory);
    assert.deepEqual(normalized.warnings, []);
  }
});

test("an invalid value is left out with a warning that names field and value", () => {
  const cases: [Draft, string, string, string][] = [
    [{ gtin: "4006381333930" }, "invalid_gtin", "gtin", "4006381333930"],
    [{ gtin: "4.00638E+12" }, "damaged_gtin", "gtin", "4.00638E+12"],
    [{ gender: "other" }, "unknown_word", "gender", "other"],
    [{ published: "perhaps" }, "unknown_word", "published", "perhaps"],
    [{ quantity: "1.5" }, "invalid_number", "quantity", "1.5"],
    [{ multipack: "-2" }, "invalid_number", "multipack", "-2"],
    [{ returnDays: "0" }, "invalid_number", "returnDays", "0"],
    [{ ratingValue: "6", ratingCount: "3" }, "invalid_number", "ratingValue", "6"],
    [{ ratingValue: "4.5", ratingCount: "many" }, "invalid_number", "ratingCount", "many"],
    [{ ratingValue: "4.5" }, "incomplete_value", "ratingValue", "4.5"],
    [{ ratingCount: "12" }, "incomplete_value", "ratingCount", "12"],
    [{ weight: "350" }, "invalid_measure", "weight", "350"],
    [{ height: "tall" }, "invalid_measure", "height", "tall"],
    [
      { unitPricingMeasure: "1 l", unitPricingBaseMeasure: "1 kg" },
      "invalid_measure",
      "unitPricingBaseMeasure",
      "1 kg",
    ],
    [{ availabilityDate: "soon" }, "invalid_date", "availabilityDate", "soon"],
    [{ image: "no image" }, "invalid_url", "image", "no image"],
    [{ additionalImages: ["a.jpg"] }, "invalid_url", "additionalImages", "a.jpg"],
    [{ canonicalLink: "ftp://x.example/" }, "invalid_url", "canonicalLink", "ftp://x.example/"],
    [{ country: "Germany" }, "invalid_country", "country", "Germany"],
    [{ language: "German" }, "invalid_language", "language", "German"],
    [{ availability: "maybe" }, "unknown_availability", "availability", "maybe"],
    [{ shipping: [{ country: "DE", price: "free" }] }, "invalid_shipping", "shipping", "free"],
    [{ shipping: [{ country: "Germany", price: "1.00" }] }, "invalid_shipping", "shipping", "Germany"],
    [{ shipping: [{ country: "DE" }] }, "invalid_shipping", "shipping", "DE"],
    [{ details: [{ name: "", value: "350 ml" }] }, "incomplete_value", "details", "350 ml"],
    [{ certifications: [{ authority: "", name: "EPREL" }] }, "incomplete_value", "certifications", "EPREL"],
    [{ gender: "x".repeat(1_000_000) }, "unknown_word", "gender", "x".repeat(80)],
  ];

  for (const [change, code, field, value] of cases) {
    const normalized = normalize({ ...mug, ...change }, context);
    assert.ok(normalized.kind === "item");
    assert.equal(normalized.warnings.length, 1, JSON.stringify(normalized.warnings));
    for (const warning of normalized.warnings) {
      assert.deepEqual(
        [warning.code, warning.field, warning.itemId, warning.position],
        [code, field, "MUG-1", 7],
      );
      assert.ok(warning.message.includes(value) && warning.message.length < 250, warning.message);
      // Users read these: the name is the one they know from the API and the feeds (`return_days`).
      assert.ok(warning.message.startsWith(`${snakeCase(field)} "`), warning.message);
    }
    // A GTIN that is none is kept as a barcode, which no feed has.
    const known = new Set(["id", "title", "link", "price", "availability", "unitPricing", "barcode"]);
    assert.deepEqual(
      Object.keys(normalized.item).filter((key) => !known.has(key)),
      [],
    );
  }
});

test("texts and lists are cut at a limit far above that of any feed, with a warning", () => {
  const normalized = normalize(
    {
      ...mug,
      title: "word ".repeat(200_000),
      description: `<p>${"x".repeat(1_000_000)}</p>`,
      brand: "😀".repeat(500_000),
      additionalImages: Array.from({ length: 10_000 }, (_, i) => `https://cdn.example/${i}.jpg`),
      highlights: Array.from({ length: 10_000 }, () => "good"),
      options: Array.from({ length: 10_000 }, (_, i) => ({ name: `o${i}`, value: "v" })),
    },
    context,
  );

  const item = itemOf(normalized);
  assert.ok(Array.from(item.title).length <= 1_000 && item.title.endsWith("word"));
  assert.equal(item.description?.length, 20_000);
  assert.equal(Array.from(item.brand ?? "").length, 2_000);
  assert.equal(item.images?.length, 49);
  assert.equal(item.highlights?.length, 200);
  assert.equal(item.options?.length, 30);
  assert.deepEqual(
    normalized.kind === "item" && normalized.warnings.map(({ code, field }) => `${code} ${field}`).sort(),
    [
      "cut_in_feeds brand",
      "cut_in_feeds description",
      "cut_in_feeds title",
      "too_many_values additionalImages",
      "too_many_values highlights",
      "too_many_values options",
      "value_too_long brand",
      "value_too_long description",
      "value_too_long title",
    ],
  );
});

test("a brand longer than Google accepts is kept, with a warning", () => {
  const { warnings, item } = normalize({ ...mug, brand: "B".repeat(71) }, context) as {
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
    readonly item: { readonly brand?: string };
  };
  assert.equal(item.brand?.length, 71);
  assert.deepEqual(
    warnings.map(({ code, message }) => `${code}: ${message}`),
    [
      "cut_in_feeds: brand has more than 70 characters; the Google feeds carry its beginning. Shorten it, or put what matters first.",
    ],
  );
});

test("words for no brand are no brand, in many languages", () => {
  const brandOf = (brand: string) => itemOf(normalize({ ...mug, brand }, context)).brand;
  for (const word of "Niezdefiniowany|Не указан|Sin marca|Sans marque|Ohne Marke|brak|нет бренда|No brand|n/a|ノーブランド".split(
    "|",
  ))
    assert.equal(brandOf(word), undefined, word);
  for (const brand of ["Generic", "Sin Marca Estudio", "Нет-Нет", "Fjellgarn"])
    assert.equal(brandOf(brand), brand);
});

test("a group id may equal the id of one of its variants, so that the group stays together", () => {
  const first = normalize({ ...mug, id: "MUG-1", groupId: "MUG-1" }, context);
  const second = normalize({ ...mug, id: "MUG-2", groupId: "MUG-1" }, context);

  assert.equal(itemOf(first).groupId, "MUG-1");
  assert.equal(itemOf(second).groupId, "MUG-1");
});

test("options fill the fields they name, unless these are set", () => {
  const options = namedValues({
    Größe: "XL",
    Colour: "Red",
    Matière: "Cotton",
    Size: "ignored, the first one counts",
    Muster: "n/a",
  });

  const item = itemOf(normalize({ ...mug, options, color: "Crimson" }, context));

  assert.deepEqual(
    [item.color, item.size, item.material, item.pattern],
    ["Crimson", "XL", "Cotton", undefined],
  );
});

test("the short description replaces a missing description", () => {
  assert.equal(
    itemOf(normalize({ ...mug, description: "<p></p>", shortDescription: "Short." }, context)).description,
    "Short.",
  );
});

// Laws for any draft of a source.

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    "",
    " ",
    "n/a",
    "<p>",
    "&amp;",
    "\ud800",
    "\0",
    "\u202e",
    "👨‍👩‍👧",
    "__proto__",
    "19.90",
    "1e9",
    "yes",
    "0",
    "-1",
    "2026-11-01",
    "https://a.example/x",
    "4006381333931",
    "5 kg",
    "A > B; C",
  ),
);
const texts = Object.fromEntries(TEXT_FIELDS.map((field) => [field, hostile]));
const lists = Object.fromEntries(LIST_FIELDS.map((field) => [field, fc.array(hostile, { maxLength: 4 })]));
const named = fc.record({ name: hostile, value: hostile });
const anyDraft: fc.Arbitrary<Draft> = fc.record(
  {
    ...texts,
    ...lists,
    options: fc.array(named, { maxLength: 4 }),
    details: fc.array(named, { maxLength: 4 }),
    shipping: fc.array(
      fc.record(
        { country: hostile, price: hostile, service: hostile, minTransit: hostile, maxTransit: hostile },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    certifications: fc.array(fc.record({ authority: hostile, name: hostile, code: hostile }), {
      maxLength: 2,
    }),
  },
  { requiredKeys: [] },
);
/** Half of the drafts get what an item needs, so that the laws about items are put to the test. */
const likelyDraft = fc
  .tuple(anyDraft, fc.boolean())
  .map(([draft, isSound]) => (isSound ? { ...draft, ...mug, published: "yes" } : draft));

function* leaves(value: unknown, path = ""): Generator<[string, unknown]> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) yield [path, value];
  for (const [key, inner] of entries) yield* leaves(inner, `${path}.${key}`);
}

test("a field without a value is the same as none", () => {
  const groups = ["options", "details", "shipping", "certifications", "google"];
  const empty = Object.fromEntries(
    [...TEXT_FIELDS, ...LIST_FIELDS, ...groups].map((field) => [field, undefined]),
  );
  fc.assert(
    fc.property(anyDraft, (draft) => {
      const whole = { ...draft, ...mug, published: "yes", currency: "EUR" };
      const item = normalize(whole, context);
      assert.equal(item.kind, "item");
      assert.deepEqual(normalize({ ...empty, ...whole }, context), item);
    }),
  );
});

test("every draft becomes an item or a rejection with a known code", () => {
  fc.assert(
    fc.property(likelyDraft, (draft) => {
      const normalized = normalize(draft, context);
      if (normalized.kind === "rejected")
        assert.ok(Object.hasOwn(REJECTION_CODES, normalized.rejection.code));
      else for (const warning of normalized.warnings) assert.ok(Object.hasOwn(WARNING_CODES, warning.code));
    }),
    { numRuns: 120 },
  );
});

/** A law of items, checked on those of likely drafts. */
function checkItems(numRuns: number, check: (item: Item) => void): void {
  fc.assert(
    fc.property(likelyDraft, (draft) => {
      const normalized = normalize(draft, context);
      if (normalized.kind === "item") check(normalized.item);
    }),
    { numRuns },
  );
}

test("an item never has an empty text, a null, an empty list or characters that feeds do not allow", () => {
  checkItems(120, (item) => {
    for (const [path, value] of leaves(item)) {
      if (value === null) assert.match(path, /^\.customLabels\.\d$/);
      else if (typeof value === "string") {
        // Only the description has lines.
        const line = path === ".description" ? value.replaceAll("\n", "¶") : value;
        assert.match(line, /^(?! |¶)[^\p{Cc}\p{Cs}]+(?<! |¶)$/u, path);
      } else assert.ok(typeof value === "number" || typeof value === "boolean", path);
    }
  });
});

test("the order in which a source fills a draft changes nothing", () => {
  fc.assert(
    fc.property(likelyDraft, (draft) => {
      const backwards: Draft = Object.fromEntries(Object.entries(draft).toReversed());
      assert.equal(JSON.stringify(normalize(backwards, context)), JSON.stringify(normalize(draft, context)));
    }),
    { numRuns: 80 },
  );
});

test("an item is unchanged after it is stored and read", () => {
  checkItems(80, (item) => {
    const { body, fingerprint } = encodeItem(item);
    const again = decodeItem(body);
    assert.deepEqual(again, item);
    assert.deepEqual(encodeItem(again), { body, fingerprint });
  });
});

test("a text longer than feeds allow is kept whole, with a warning that it will be cut", () => {
  const title = "👩‍👩‍👧".repeat(40);
  const long = normalize({ ...mug, title, description: "word ".repeat(1_100) }, context);
  const short = normalize({ ...mug, title: "x".repeat(150), description: "x".repeat(5_000) }, context);

  assert.equal(itemOf(long).title, title);
  assert.deepEqual(long.kind === "item" && long.warnings.map(({ code, field }) => [code, field]), [
    ["cut_in_feeds", "title"],
    ["cut_in_feeds", "description"],
  ]);
  assert.deepEqual(short.kind === "item" && short.warnings, []);
});

/** Drafts whose items show what has changed between versions. */
const TELLING: readonly Draft[] = [
  { ...mug, description: "<p>Soft</p><ul><li>warm</li></ul>", condition: "Used - Very Good" },
  { ...mug, description: "&lt;p&gt;Soft &amp;amp; warm&lt;/p&gt;caf&eacute", condition: "unheard of" },
  { ...mug, description: "<ol><li>Wash</li></ol>", salePrice: "0", saleFrom: "2026-11-01" },
  { ...mug, gtin: "KL-2041" },
];

test("a change of the normalization has its own version", () => {
  const items = TELLING.map((draft) => encodeItem(itemOf(normalize(draft, context))).fingerprint);

  // A change of these fingerprints needs a new NORMALIZER_VERSION, or stored items are not updated.
  assert.deepEqual(
    [NORMALIZER_VERSION, ...items],
    [
      11,
      "80411c17aa34f5ca8853d19cb168dafd",
      "d63ecbce1ceb1043919a6edcae86f2cc",
      "137b32c549bee7be6ba2c4e583a4f242",
      "cd1ab3529fb696570a3dff35734576ca",
    ],
  );
});

test("identifier_exists = no is a warning if there are identifiers", () => {
  const codes = (draft: Draft): string[] => {
    const result = normalize({ ...mug, gtin: "", ...draft, identifierExists: "no" }, context);
    return result.kind === "item" ? result.warnings.map(({ code }) => code) : [];
  };

  assert.ok(codes({ gtin: "4006381333931" }).includes("identifiers_contradict"));
  assert.ok(codes({ brand: "Fjell", mpn: "M-1" }).includes("identifiers_contradict"));
  assert.ok(!codes({ brand: "Fjell", mpn: "" }).includes("identifiers_contradict"));
});

test("a code in place of a GTIN is kept as a barcode, which no feed has; what says nothing is not", () => {
  const barcodeOf = (gtin: string) => itemOf(normalize({ ...mug, gtin }, context)).barcode;

  assert.deepEqual(["KL-2041", " AB 12.3 ", "36000291452", "4006381333930"].map(barcodeOf), [
    "KL-2041",
    "AB 12.3",
    "36000291452",
    "4006381333930",
  ]);
  for (const nothing of [
    "4.00638E+12",
    "4,00638E12",
    "N/A",
    "none",
    "-",
    "0",
    "x".repeat(60),
    "4006381333931",
  ])
    assert.equal(barcodeOf(nothing), undefined, nothing);
});
