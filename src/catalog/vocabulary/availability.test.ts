import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAll } from "../../../test/assert-cases.ts";
import { readAvailability, readDeliveryColumn } from "./availability.ts";

test("availability is understood in the languages of our users' markets", () => {
  const stated = {
    in_stock: [
      "in stock",
      "in_stock",
      "InStock",
      "IN-STOCK",
      "yes",
      "TRUE",
      "1",
      "https://schema.org/InStock",
      "http://schema.org/LimitedAvailability",
      "auf Lager",
      "sofort lieferbar",
      "Verfügbar",
      "en stock",
      "disponible",
      "disponibile",
      "op voorraad",
      "em estoque",
      "disponível",
      "dostępny",
      "i lager",
      "på lager",
    ],
    out_of_stock: [
      "out of stock",
      "outofstock",
      "OOS",
      "sold out",
      "no",
      "false",
      "0",
      "https://schema.org/SoldOut",
      "https://schema.org/Discontinued",
      "nicht lieferbar",
      "ausverkauft",
      "rupture de stock",
      "épuisé",
      "agotado",
      "esaurito",
      "uitverkocht",
      "esgotado",
      "niedostępny",
      "slutsåld",
      "udsolgt",
      "utsolgt",
    ],
    preorder: [
      "preorder",
      "pre-order",
      "pre_order",
      "https://schema.org/PreOrder",
      "https://schema.org/PreSale",
      "vorbestellbar",
      "précommande",
      "preventa",
      "preordine",
      "pré-venda",
      "przedsprzedaż",
      "förbeställning",
    ],
    backorder: [
      "backorder",
      "on_backorder",
      "onbackorder",
      "available on backorder",
      "https://schema.org/BackOrder",
      "sur commande",
      "bajo pedido",
      "na zamówienie",
    ],
    unknown: ["unknown", "Unknown"],
  };

  for (const [availability, words] of Object.entries(stated)) {
    for (const word of words) assert.deepEqual(readAvailability(word), { availability }, word);
  }
});

test("a number is a quantity, except 0 and 1, which may mean no and yes", () => {
  assert.deepEqual(readAvailability("12"), { availability: "in_stock", quantity: 12 });
  assert.deepEqual(readAvailability("-3"), { availability: "out_of_stock", quantity: 0 });
  assert.deepEqual(readAvailability("1"), { availability: "in_stock" });
  assert.deepEqual(readAvailability("0"), { availability: "out_of_stock" });
});

test("unknown words have no meaning", () => {
  assertAll(readAvailability, undefined, ["maybe", "12 kg", "99999999999", "1.5", "", "constructor"]);
});

test("availability is understood in languages and scripts far from English", () => {
  const stated = {
    in_stock:
      "na sklad|skladem|Na skladě|raktáron|KÉSZLETEN|în stoc|In stoc|на стању|na stanju|в наличии|Есть|в наявності|Є в наявності|в наличност|stokta var|MEVCUT|ΔΙΑΘΕΣΙΜΟ|Άμεσα διαθέσιμο|有货|現貨|在庫あり|即納|재고있음|متوفر|במלאי|còn hàng|tersedia",
    out_of_stock:
      "není skladem|vyprodáno|nincs raktáron|elfogyott|stoc epuizat|нема на стању|nema na stanju|нет в наличии|немає в наявності|няма наличност|stokta yok|TÜKENDİ|HAYIR|εξαντλημένο|缺货|售罄|在庫切れ|品切れ|품절|غير متوفر|אזל מהמלאי|hết hàng",
    preorder:
      "předobjednávka|előrendelés|precomandă|предзаказ|передзамовлення|ön sipariş|προπαραγγελία|预售|予約受付中|הזמנה מוקדמת|طلب مسبق",
  };
  for (const [availability, words] of Object.entries(stated))
    for (const word of words.split("|")) assert.deepEqual(readAvailability(word), { availability }, word);
});

test("a delivery time is in stock with a handling time, never a pre-order or a backorder", () => {
  const times: readonly [string, ...number[]][] = [
    ["ships in 3 days", 3],
    ["Usually ships within 24 hours", 1],
    ["24h", 1],
    ["48-72 h", 2, 3],
    ["2-4 working days", 2, 4],
    ["Lieferzeit: 1-3 Werktage", 1, 3],
    ["ca. 2 bis 3 Wochen", 14, 21],
    ["Versandfertig in 1 - 2 Tagen", 1, 2],
    ["1 week - 10 days", 7, 10],
    ["sous 5 jours ouvrés", 5],
    ["Consegna in 1/2 giorni lavorativi", 1, 2],
    ["do 3 dnů", 3],
    ["2-3 рабочих дня", 2, 3],
    ["3 iş günü içinde kargoda", 3],
    ["3日以内に発送", 3],
    ["2~3个工作日", 2, 3],
    ["3일 이내", 3],
    ["٣ أيام", 3],
    ["1 month", 30],
  ];
  for (const [text, ...days] of times) {
    const handling = days.length === 1 ? { max: days[0] } : { min: days[0], max: days[1] };
    assert.deepEqual(readAvailability(text), { availability: "in_stock", handling }, text);
  }
  assert.deepEqual(readAvailability("Auf Lager, Lieferzeit 1-3 Tage"), {
    availability: "in_stock",
    handling: { min: 1, max: 3 },
  });
  assert.deepEqual(readAvailability("backorder (2 weeks)"), {
    availability: "backorder",
    handling: { max: 14 },
  });
});

test("the delivery times of Greek price comparisons are in stock with a handling time", () => {
  const times: readonly [string, number, number][] = [
    ["1-3", 1, 3],
    ["4 – 10", 4, 10],
    ["1 έως 3 ημέρες", 1, 3],
    ["Διαθέσιμο από 1 έως 3 ημέρες", 1, 3],
    ["Available from 4 to 10 days", 4, 10],
    ["Available in store / Delivery 1 to 3 days", 1, 3],
    ["Παραλαβή από το κατάστημα / Παράδοση 1 έως 3 ημέρες", 1, 3],
  ];
  for (const [text, min, max] of times)
    assert.deepEqual(readAvailability(text), { availability: "in_stock", handling: { min, max } }, text);
  assertAll(readAvailability, undefined, ["3-1", "0-5", "1-300", "1-3-5", "available in 3 weeks"]);
});

test("a word is a backorder only if it says that the item can be ordered and the shop gets it", () => {
  const orders =
    "под заказ|na zamówienie|κατόπιν παραγγελίας|Διαθέσιμο κατόπιν παραγγελίας|sur commande|su ordinazione|auf Bestellung|na objednávku";
  for (const word of orders.split("|"))
    assert.deepEqual(readAvailability(word), { availability: "backorder" }, word);

  const unclear =
    "in arrivo|ожидается|очікується|na dotaz|auf Anfrage|on request|su richiesta|sob consulta|ordinabile|bestellbar|orderable|rendelhető|à commander|en réapprovisionnement|nachbestellt|reserva|reserveren|coming soon";
  assertAll(readAvailability, undefined, unclear.split("|"));
});

test("a text that says more than a delivery time is not read as one", () => {
  assertAll(readAvailability, undefined, [
    "not before 3 weeks",
    "available again in 3 weeks",
    "1.5 weeks",
    "more than 5 days",
    "> 5 days",
    "5+ days",
    "15.01.2027",
    "2027-01-15",
    "5-3 days",
    "900 days",
    "1 2 3 days",
    `3 days ${"x".repeat(100_000)}`,
  ]);
});

test("the column of a delivery time may have a number of days alone, or a word", () => {
  assert.deepEqual(readDeliveryColumn("3"), { availability: "in_stock", handling: { max: 3 } });
  assert.deepEqual(readDeliveryColumn("1-3"), { availability: "in_stock", handling: { min: 1, max: 3 } });
  assert.deepEqual(readDeliveryColumn("sofort lieferbar"), { availability: "in_stock" });
  assert.deepEqual(readDeliveryColumn("nicht lieferbar"), { availability: "out_of_stock" });
  assert.equal(readDeliveryColumn("auf Anfrage"), undefined);
});
