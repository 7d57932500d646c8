import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LIST_FIELDS, TEXT_FIELDS } from "../../catalog/draft.ts";
import { aliasNames, fold, GROUP_ALIASES, LIST_ALIASES, readHeader, TEXT_ALIASES } from "./aliases.ts";
import { planColumns } from "./columns.ts";
import type { CellValue } from "./cells.ts";
import { namedValues } from "../../../test/named-values.ts";

/** The draft of one record, given its columns. */
function draftOf(record: Readonly<Record<string, CellValue>>) {
  return planColumns(Object.keys(record).map(readHeader)).map(Object.values(record));
}

describe("the alias tables", () => {
  test("every field of a draft has a column name", () => {
    const fed = [...TEXT_FIELDS.filter((field) => TEXT_ALIASES[field] !== undefined), ...LIST_FIELDS];

    assert.deepEqual(fed, [...TEXT_FIELDS, ...LIST_FIELDS]);
  });

  test("every name is in the normalized spelling of headers, and listed once for its field", () => {
    for (const names of [TEXT_ALIASES, LIST_ALIASES, GROUP_ALIASES].flatMap((table) =>
      Object.values(table),
    )) {
      const list = aliasNames(names);
      assert.deepEqual(list, [...new Set(list)]);
      for (const name of list) assert.equal(fold(name), name);
    }
  });

  test("each name fills its field", () => {
    for (const field of TEXT_FIELDS) {
      for (const name of aliasNames(TEXT_ALIASES[field] ?? "")) {
        assert.equal(
          planColumns([readHeader(name)]).map(["x1"])[field] ?? (field === "groupId" ? "x1" : undefined),
          "x1",
          `${name} → ${field}`,
        );
      }
    }
  });
});

describe("columns to a draft", () => {
  test("the plain word for a field is read in many languages, and nothing that has more words", () => {
    const words: Readonly<Record<string, string>> = {
      price:
        "Цена|Cena|Prezzo|Precio|Preis|Prix|Ціна|Fiyat|Τιμή|価格|价格|가격|السعر|מחיר|Preço|Prijs|Pris|Preț",
      title: "Название|Наименование|Найменування|Nazwa|Název|Név|Título|商品名|상품명|Όνομα",
      link: "Ссылка|Посилання|Odkaz|链接|リンク|링크|קישור",
      image: "Изображение|Зображення|Zdjęcie|Obrázek|Imagen|Immagine|图片|画像|이미지",
      brand: "Бренд|Виробник|Marka|Značka|Merk|ブランド|브랜드|מותג",
      description: "Описание|Опис|Popis|Leírás|Açıklama|Περιγραφή|描述|설명",
      currency: "Валюта|Waluta|Měna|Valuta|通貨|통화",
      quantity: "Остаток|Залишок|Készlet|Voorraad|Giacenza|Stok|在庫|재고",
    };
    for (const [field, names] of Object.entries(words))
      for (const name of names.split("|"))
        assert.deepEqual(draftOf({ [name]: "x1" }), { [field]: "x1" }, name);

    const otherAmounts =
      "Старая цена|Цена закупки|Себестоимость|Стара ціна|Закупівельна ціна|Cena katalogowa|Cena netto|Cena bez DPH|Nákupní cena|Běžná cena|Eski fiyat|Alış fiyatı|Παλιά τιμή|定価|原価|仕入価格|进价|市场价|정가|원가|Oude prijs|Ordinarie pris|Preț vechi|Preço de custo|Prezzo di listino|Precio anterior";
    for (const name of otherAmounts.split("|"))
      assert.equal(draftOf({ [name]: "x1" }).price, undefined, name);
  });

  test("in each row, the first name with a value is used", () => {
    assert.deepEqual(draftOf({ ean: "4006381333931", gtin: "" }), { gtin: "4006381333931" });
    assert.deepEqual(draftOf({ ean: "1", gtin: "2" }), { gtin: "2" });
    assert.deepEqual(draftOf({ id: "1", item_id: "2" }), { id: "2" });
  });

  test("with a regular price, the current price is a sale price if it differs; alone it is the price", () => {
    assert.deepEqual(draftOf({ regular_price: "12.00", current_price: "9.00" }), {
      price: "12.00",
      salePrice: "9.00",
    });
    assert.deepEqual(draftOf({ regular_price: "12.00", current_price: "12.00" }), { price: "12.00" });
    assert.deepEqual(draftOf({ current_price: "9.00" }), { price: "9.00" });
  });

  test("the columns of idealo, KuantoKusta and Meta are read", () => {
    assert.deepEqual(
      draftOf({
        sku: "1",
        eans: "4006381333931",
        imageUrls: "https://c.example/1.jpg;https://c.example/2.jpg",
      }),
      {
        sku: "1",
        gtin: "4006381333931",
        image: "https://c.example/1.jpg",
        additionalImages: ["https://c.example/2.jpg"],
      },
    );
    assert.deepEqual(
      draftOf({
        "N° artículo en tienda": "1",
        "EAN / GTIN / código barras": "4006381333931",
        "Número del fabricante (HAN/MPN)": "L-1",
        "Fabricante / Marca": "Luz",
        "Nombre del producto": "Lámpara",
        "Descripción del producto": "Brilla.",
        "URL del producto": "https://c.example/p",
        URLimagen_1: "https://c.example/1.jpg",
        URLimagen_2: "https://c.example/2.jpg",
      }),
      {
        id: "1",
        gtin: "4006381333931",
        mpn: "L-1",
        brand: "Luz",
        title: "Lámpara",
        description: "Brilla.",
        link: "https://c.example/p",
        image: "https://c.example/1.jpg",
        additionalImages: ["https://c.example/2.jpg"],
      },
    );
    assert.deepEqual(draftOf({ designation: "Candeeiro", upc_ean: "4006381333931" }), {
      title: "Candeeiro",
      gtin: "4006381333931",
    });
    assert.deepEqual(
      draftOf({
        "image[0].url": "https://c.example/1.jpg",
        "image[1].url": "https://c.example/2.jpg",
        "video[0].url": "https://c.example/v.mp4",
      }),
      {
        image: "https://c.example/1.jpg",
        additionalImages: ["https://c.example/2.jpg"],
        videos: ["https://c.example/v.mp4"],
      },
    );
  });

  test("availability and delivery times are read by the names of price comparison sites", () => {
    assert.deepEqual(draftOf({ instock: "Y" }), { availability: "Y" });
    const availability = "Δείτε τη σελίδα του προϊόντος";
    assert.deepEqual(draftOf({ instock: "Y", availability }), { availability: "Y" });
    assert.deepEqual(draftOf({ instock: "?", availability }), { availability });
    assert.deepEqual(draftOf({ instock: "Y", availability: "out of stock" }), {
      availability: "out of stock",
    });
    const onOrder = "Κατόπιν παραγγελίας, παραλαβή ή παράδοση έως 30 ημέρες";
    assert.deepEqual(
      draftOf({ instock: "Y", availability: onOrder }),
      { availability: onOrder },
      "a text that says otherwise is not overruled",
    );
    assert.deepEqual(draftOf({ deliveryTime: "1-3 Werktage" }), { deliveryTime: "1-3 Werktage" });
    assert.deepEqual(draftOf({ Lieferzeit: "24h" }), { deliveryTime: "24h" });
    assert.deepEqual(draftOf({ stock: "В наявності" }), { quantity: "В наявності" });
    assert.deepEqual(draftOf({ Disponibilità: "Disponibile" }), { availability: "Disponibile" });
  });

  test("a column that names the item does not name its group", () => {
    assert.deepEqual(draftOf({ product_id: "7" }), { id: "7" });
    assert.deepEqual(draftOf({ product_id: "7", variant_id: "8" }), { id: "8", groupId: "7" });
  });

  test("filler words are no values", () => {
    const record = { title: " N/A ", brand: "-", color: "null", size: "None", mpn: "#REF!", gtin: "" };

    assert.deepEqual(draftOf({ ...record, id: "\u00a01 " }), { id: "1" });
  });

  test("additional images are collected from lists and numbered columns", () => {
    const record = {
      image_link: "https://a/1",
      additional_image_link: "https://a/2,https://a/3",
      "Image 4": "https://a/4",
      "Product Image File - 5": "https://a/5",
    };

    assert.deepEqual(draftOf(record), {
      image: "https://a/1",
      additionalImages: ["https://a/2", "https://a/3", "https://a/4", "https://a/5"],
    });
  });

  test("shipping is read from groups with and without named parts, with decimal commas, and from a plain cost", () => {
    assert.deepEqual(draftOf({ "shipping(country:service:price)": "DE:Std:4.90 EUR,AT::9 EUR" }).shipping, [
      { country: "DE", service: "Std", price: "4.90 EUR" },
      { country: "AT", price: "9 EUR" },
    ]);
    assert.deepEqual(draftOf({ shipping: "US:CA:Ground:5.00 USD:0:1:2:5" }).shipping, [
      {
        country: "US",
        region: "CA",
        service: "Ground",
        price: "5.00 USD",
        minHandling: "0",
        maxHandling: "1",
        minTransit: "2",
        maxTransit: "5",
      },
    ]);
    assert.deepEqual(draftOf({ shipping: "DE:::4,90 EUR,AT:::9,90 EUR" }).shipping, [
      { country: "DE", price: "4.90 EUR" },
      { country: "AT", price: "9.90 EUR" },
    ]);
    assert.deepEqual(draftOf({ Versandkosten: "4,90" }).shipping, [{ price: "4,90" }]);
    assert.deepEqual(draftOf({ shipping_cost: "5", shipping: "US:4 USD" }).shipping, [
      { country: "US", price: "4 USD" },
    ]);
    assert.deepEqual(
      draftOf({ shipping: [{ country: "US", price_value: "5", price_currency: "USD" }] }).shipping,
      [{ country: "US", price: "5 USD" }],
    );
  });

  test("details, options and certifications are read from cells, JSON and nested groups", () => {
    assert.deepEqual(draftOf({ product_detail: 'General:Type:Mug,Size:"2.5"""' }).details, [
      { section: "General", name: "Type", value: "Mug" },
      { name: "Size", value: '2.5"' },
    ]);
    assert.deepEqual(
      draftOf({ product_detail: [{ attribute_name: "Type", attribute_value: "Mug" }] }).details,
      [{ name: "Type", value: "Mug" }],
    );
    assert.deepEqual(
      draftOf({ variant_dict: '{"Color":"Teal","Volume":"350 ml"}' }).options,
      namedValues({ Color: "Teal", Volume: "350 ml" }),
    );
    assert.deepEqual(
      draftOf({ "variant_option(name:value)": "Color:Teal,Volume:350 ml" }).options?.length,
      2,
    );
    assert.deepEqual(
      draftOf({ "Option1 name": "Color", "Option1 value": "Red", "Option2 name": "", "Option2 value": "" })
        .options,
      [{ name: "Color", value: "Red" }],
    );
    // The text of a list of another program is no JSON, and would be published in the title.
    for (const text of ["[{'name': 'Title', 'values': ['Default Title']}]", "{'Color': 'Teal'}"])
      assert.equal(draftOf({ options: text }).options, undefined);
    assert.deepEqual(draftOf({ Custom_variant1_category: "Size", Custom_variant1_option: "M" }).options, [
      { name: "Size", value: "M" },
    ]);
    assert.deepEqual(draftOf({ certification: "EC:EPREL:123456" }).certifications, [
      { authority: "EC", name: "EPREL", code: "123456" },
    ]);
  });

  test("units come from headers, unit columns and OpenAI's object, in this order", () => {
    assert.deepEqual(draftOf({ "Weight (kg)": "1.5" }), { weight: "1.5", weightUnit: "kg" });
    assert.deepEqual(draftOf({ "Weight (kg)": "1.5", weight_unit: "lb" }), {
      weight: "1.5",
      weightUnit: "lb",
    });
    assert.deepEqual(draftOf({ "Length (cm)": "", "Width (cm)": "4" }), { width: "4", dimensionsUnit: "cm" });
    assert.deepEqual(draftOf({ length: "1", dimensions: '{"length":"9","width":"8","unit":"in"}' }), {
      length: "9",
      width: "8",
      dimensionsUnit: "in",
    });
  });

  test("an amount with its currency in a group is one text", () => {
    assert.deepEqual(draftOf({ price: [{ value: "19.90", currency: "EUR" }] }), { price: "19.90 EUR" });
  });

  test("the column of the main image may have several: the first is the main image, the others precede the additional ones", () => {
    assert.deepEqual(
      draftOf({ image: "a.jpg, b.jpg", additional_image_link: "c.jpg;d.jpg", image_2: "e.jpg" }),
      {
        image: "a.jpg",
        additionalImages: ["b.jpg", "c.jpg", "d.jpg", "e.jpg"],
      },
    );
    assert.deepEqual(draftOf({ image_link: "https://c.example/w_1,h_2/a.jpg" }), {
      image: "https://c.example/w_1,h_2/a.jpg",
    });
    assert.deepEqual(draftOf({ image: ["https://c.example/a", "https://c.example/b"] }), {
      image: "https://c.example/a",
      additionalImages: ["https://c.example/b"],
    });
  });

  test("codes lose the characters that protect them in spreadsheets, texts do not", () => {
    const texts = { title: "'n Sync", brand: "'s" };
    assert.deepEqual(draftOf({ id: "'1013", sku: '="0042"', mpn: "'7-A", item_group_id: "'g", ...texts }), {
      id: "1013",
      sku: "0042",
      mpn: "7-A",
      groupId: "g",
      ...texts,
    });
    assert.equal(draftOf({ sku: "5'6'" }).sku, "5'6'");
  });
});

test("tags are separated by commas, semicolons or pipes", () => {
  const item = { id: "1", title: "Mug" };
  assert.deepEqual(draftOf({ ...item, tags: "gift, Summer sale;new" }).tags, ["gift", "Summer sale", "new"]);
  assert.deepEqual(draftOf({ ...item, Tags: '["a, b", "c"]' }).tags, ["a, b", "c"]);
});
