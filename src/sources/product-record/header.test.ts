import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnownName, readHeader } from "./aliases.ts";

test("every spelling of a name is normalized to the same name", () => {
  const spellings = [
    "image_link",
    "g:image_link",
    "G:Image_Link",
    " Image Link ",
    "image-link",
    "imageLink",
    "IMAGE LINK",
    "\uFEFFImage.Link",
  ];

  assert.deepEqual(new Set(spellings.map((spelling) => readHeader(spelling).name)), new Set(["image_link"]));
});

test("letters that look alike in two alphabets are corrected where the whole name then is known", () => {
  const names = [
    "\u0430vailable",
    "IM\u0410GE LINK",
    "\u0421ode",
    "\u0446\u0065\u043d\u0430",
    "\u0430vailXYZ",
    "EAN \u043a\u043e\u0434",
  ];

  assert.deepEqual(
    names.map((name) => readHeader(name).name),
    ["available", "image_link", "code", "цена", "\u0430vail_xyz", "ean_код"],
  );
});

test("the names of a shop in Spanish are known", () => {
  const names = ["Mostrar en tienda", "Precio promocional", "Código de barras", "Categorías"];

  assert.deepEqual(
    names.map((name) => isKnownName(readHeader(name).name)),
    [true, true, true, true],
  );
});

test("the names of columns in Turkish, Indonesian, Arabic and French are known", () => {
  const names = [
    "Ürün Adı",
    "Satış Fiyatı",
    "Barkod",
    "nama",
    "deskripsi",
    "gambar",
    "اسم المنتج",
    "Code EAN",
  ];

  assert.deepEqual(
    names.filter((name) => !isKnownName(readHeader(name).name)),
    [],
  );
  assert.equal(isKnownName(readHeader("Alış Fiyatı").name), false);
});

test("accents, question marks and slashes are removed; digits and other scripts stay", () => {
  const names = [
    "Größe",
    "In stock?",
    "Google Shopping / MPN",
    "EAN13",
    "Option1 Name",
    "@id",
    "商品名",
    "SKU",
    "productID",
    "Prix (€)",
  ];

  assert.deepEqual(
    names.map((name) => readHeader(name).name),
    [
      "grosse",
      "in_stock",
      "google_shopping_mpn",
      "ean13",
      "option1_name",
      "@id",
      "商品名",
      "sku",
      "product_id",
      "prix",
    ],
  );
});

test("brackets contain a unit, the parts of a group, or a part of the name", () => {
  assert.deepEqual(readHeader("Weight (kg)"), { name: "weight", parts: [], unit: "kg" });
  assert.deepEqual(readHeader("Weight value (grams)"), { name: "weight_value", parts: [], unit: "g" });
  assert.deepEqual(readHeader("shipping(country:postal_code:price)"), {
    name: "shipping",
    parts: ["country", "postal_code", "price"],
    unit: null,
  });
  assert.deepEqual(readHeader("Body (HTML)"), { name: "body_html", parts: [], unit: null });
  assert.deepEqual(readHeader("Length (constructor)"), { name: "length_constructor", parts: [], unit: null });
});
