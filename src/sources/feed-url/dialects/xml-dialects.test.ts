import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf, warningsOf } from "../../events.contract.ts";
import type { SourceSettings } from "../../source.ts";
import { feedFixture } from "../feed-fixture.contract.ts";
import { namedValues } from "../../../../test/named-values.ts";

async function read(file: string, settings: SourceSettings = {}) {
  await using world = await feedFixture();
  return await world.readPage(file, settings);
}

describe("Heureka's XML", () => {
  const shop = (items: string): string => `<?xml version="1.0" encoding="utf-8"?>\n<SHOP>${items}</SHOP>`;
  const mug = `<SHOPITEM>
    <ITEM_ID>HR-1-B</ITEM_ID><PRODUCTNAME>Hrnek Lípa modrý</PRODUCTNAME><PRODUCT>Hrnek Lípa modrý + dárek</PRODUCT>
    <DESCRIPTION>Keramika, 300 ml.</DESCRIPTION><URL>https://hrnky.example/lipa-modry</URL>
    <IMGURL>https://hrnky.example/1.jpg</IMGURL>
    <IMGURL_ALTERNATIVE>https://hrnky.example/2.jpg</IMGURL_ALTERNATIVE><IMGURL_ALTERNATIVE>https://hrnky.example/3.jpg</IMGURL_ALTERNATIVE>
    <PRICE_VAT>249,00</PRICE_VAT><VAT>21%</VAT><MANUFACTURER>Lípa</MANUFACTURER><HEUREKA_CPC>1,5</HEUREKA_CPC>
    <CATEGORYTEXT>Dům a zahrada | Kuchyně | Hrnky</CATEGORYTEXT><EAN>8594000000006</EAN><PRODUCTNO>L-300</PRODUCTNO>
    <PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>modrá</VAL></PARAM>
    <PARAM><PARAM_NAME>Objem</PARAM_NAME><VAL>300 ml</VAL></PARAM>
    <PARAM><PARAM_NAME>Vhodné do</PARAM_NAME><VAL>myčky</VAL></PARAM><PARAM><PARAM_NAME>Vhodné do</PARAM_NAME><VAL>mikrovlnky</VAL></PARAM>
    <DELIVERY_DATE>0</DELIVERY_DATE>
    <DELIVERY><DELIVERY_ID>ZASILKOVNA</DELIVERY_ID><DELIVERY_PRICE>79</DELIVERY_PRICE><DELIVERY_PRICE_COD>109</DELIVERY_PRICE_COD></DELIVERY>
    <ITEMGROUP_ID>HR-1</ITEMGROUP_ID></SHOPITEM>`;

  test("is read with its parameters, categories, delivery prices and images", async () => {
    const events = await read(shop(mug));

    assert.deepEqual(draftsOf(events), [
      {
        id: "HR-1-B",
        groupId: "HR-1",
        title: "Hrnek Lípa modrý",
        description: "Keramika, 300 ml.",
        link: "https://hrnky.example/lipa-modry",
        image: "https://hrnky.example/1.jpg",
        additionalImages: ["https://hrnky.example/2.jpg", "https://hrnky.example/3.jpg"],
        price: "249,00",
        brand: "Lípa",
        gtin: "8594000000006",
        mpn: "L-300",
        color: "modrá",
        options: namedValues({ Barva: "modrá", Objem: "300 ml" }),
        details: namedValues({ Objem: "300 ml", "Vhodné do": "myčky, mikrovlnky" }),
        categories: ["Dům a zahrada > Kuchyně > Hrnky"],
        availability: "in stock",
        deliveryTime: "0",
        shipping: [{ service: "ZASILKOVNA", price: "79", maxHandling: "0" }],
      },
    ]);
    assert.deepEqual(warningsOf(events), []);
  });

  test("days until dispatch are in stock with a delivery time, a date is a pre-order, no value is unknown", async () => {
    const item = (time: string): string =>
      `<SHOPITEM><ITEM_ID>${time || "silent"}</ITEM_ID><PRODUCT>Hrnek</PRODUCT><PRICE_VAT>9</PRICE_VAT><DELIVERY_DATE>${time}</DELIVERY_DATE></SHOPITEM>`;
    const events = await read(shop(["0", "5", "2031-03-01", "1. 3. 2031", "", "soon"].map(item).join("")));

    assert.deepEqual(
      draftsOf(events).map(({ id, availability, availabilityDate, deliveryTime }) => [
        id,
        availability,
        availabilityDate ?? deliveryTime,
      ]),
      [
        ["0", "in stock", "0"],
        ["5", "in stock", "5"],
        ["2031-03-01", "preorder", "2031-03-01"],
        ["1. 3. 2031", "preorder", "2031-03-01"],
        ["silent", undefined, undefined],
        ["soon", undefined, undefined],
      ],
    );
    assert.deepEqual(warningsOf(events), [
      "1 delivery dates are neither a number of days nor a date, so the availability is not known: soon.",
    ]);
  });

  test("second-hand items are not new, and a price without tax is marked as such", async () => {
    const events = await read(
      shop(
        "<SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Kolo</PRODUCTNAME><PRICE>100</PRICE><ITEM_TYPE>bazaar</ITEM_TYPE></SHOPITEM>",
      ),
    );

    const [draft] = draftsOf(events);
    assert.deepEqual(draft, {
      id: "1",
      title: "Kolo",
      price: "100",
      priceIncludesTax: "false",
      condition: "bazaar",
    });
    assert.match(warningsOf(events)[0] ?? "", /only a price without tax \(PRICE\)/);
  });

  test("elements that shops add are read by their usual names, and unknown ones are listed", async () => {
    const events = await read(
      shop(
        "<SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Kolo</PRODUCTNAME><PRICE_VAT>100</PRICE_VAT><CURRENCY>CZK</CURRENCY><STOCK>4</STOCK><BAND>x</BAND></SHOPITEM>",
      ),
    );

    assert.deepEqual(draftsOf(events), [
      { id: "1", title: "Kolo", price: "100", currency: "CZK", quantity: "4" },
    ]);
    assert.deepEqual(warningsOf(events), ['These columns are not known and not used: "BAND".']);
  });
});

describe("Kaspi's XML", () => {
  const offer = (sku: string, inside: string): string =>
    `<offer sku="${sku}"><model>Лампа ${sku}</model><brand>Kiln</brand>${inside}</offer>`;
  const points = (...all: string[]): string =>
    `<availabilities>${all.map((point) => `<availability storeId="PP1" ${point}/>`).join("")}</availabilities>`;
  const cities = (...prices: string[]): string =>
    `<cityprices>${prices.map((price, index) => `<cityprice cityId="${index}">${price}</cityprice>`).join("")}</cityprices>`;
  const catalog = (offers: string): string =>
    `<?xml version="1.0"?>\n<kaspi_catalog xmlns="kaspiShopping"><company>Kiln</company><offers>${offers}</offers></kaspi_catalog>`;

  test("has the price of all cities and the stock of the pickup points", async () => {
    const events = await read(
      catalog(
        offer("1", points('available="yes" preOrder="5"') + cities("4900")) +
          offer("2", points('available="no"', 'available="yes" stockCount="3"') + "<price>5900</price>") +
          offer("3", points('available="no"') + cities("6900", "6900")),
      ),
    );

    assert.deepEqual(draftsOf(events), [
      {
        id: "1",
        title: "Лампа 1",
        brand: "Kiln",
        price: "4900",
        availability: "in stock",
        deliveryTime: "5",
      },
      { id: "2", title: "Лампа 2", brand: "Kiln", price: "5900", availability: "in stock" },
      { id: "3", title: "Лампа 3", brand: "Kiln", price: "6900", availability: "out of stock" },
    ]);
  });

  test("an item whose price differs between cities has none", async () => {
    const events = await read(catalog(offer("1", points('available="yes"') + cities("4900", "5100"))));

    assert.equal(draftsOf(events)[0]?.price, undefined);
    assert.ok(warningsOf(events).some((text) => text.includes("prices that differ between cities")));
  });
});

describe("Ceneo's XML", () => {
  test("is read from attributes, image elements and named attributes", async () => {
    const events =
      await read(`<offers xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1"><group name="other">
      <o id="17" url="https://sklep.example/lampa" price="129.90" avail="1" weight="1.2" stock="3" basket="1">
        <cat><![CDATA[Dom/Oświetlenie/Lampy]]></cat><name><![CDATA[Lampa Jasna]]></name>
        <imgs><main url="https://sklep.example/1.jpg"/><i url="https://sklep.example/2.jpg"/></imgs>
        <desc><![CDATA[<p>Jasna.</p>]]></desc>
        <attrs><a name="Producent">Jasna</a><a name="Kod_producenta">LJ-1</a><a name="EAN">5900000000008</a><a name="Kolor">biały</a><a name="Moc">8 W</a></attrs>
      </o><o id="18" url="https://sklep.example/b" price="5" avail="99"><name>B</name></o></group></offers>`);

    assert.deepEqual(draftsOf(events), [
      {
        id: "17",
        title: "Lampa Jasna",
        description: "<p>Jasna.</p>",
        link: "https://sklep.example/lampa",
        price: "129.90",
        quantity: "3",
        weight: "1.2",
        weightUnit: "kg",
        brand: "Jasna",
        mpn: "LJ-1",
        gtin: "5900000000008",
        color: "biały",
        details: [{ name: "Moc", value: "8 W" }],
        categories: ["Dom > Oświetlenie > Lampy"],
        image: "https://sklep.example/1.jpg",
        additionalImages: ["https://sklep.example/2.jpg"],
        availability: "in stock",
        deliveryTime: "1",
      },
      { id: "18", title: "B", link: "https://sklep.example/b", price: "5" },
    ]);
    assert.match(warningsOf(events)[0] ?? "", /does not say whether it is in stock: 99 \(ask the shop\)/);
  });
});

describe("Yandex YML", () => {
  const catalog = (offers: string): string => `<?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE yml_catalog SYSTEM "shops.dtd"><yml_catalog date="2026-01-01 10:00"><shop><name>Лампы</name>
    <currencies><currency id="RUR" rate="1"/></currencies>
    <categories><category id="1">Дом</category><category id="12" parentId="1">Лампы</category></categories>
    <offers>${offers}</offers></shop></yml_catalog>`;

  test("offers have their category path and parameters with units", async () => {
    const events = await read(
      catalog(`<offer id="9" available="true" group_id="g1" bid="3"><url>https://lampy.example/9</url><price>1490</price><oldprice>1990</oldprice>
      <currencyId>RUR</currencyId><categoryId>12</categoryId><picture>https://lampy.example/1.jpg</picture><picture>https://lampy.example/2.jpg</picture>
      <name>Лампа Ясная</name><vendor>Ясная</vendor><vendorCode>LJ-1</vendorCode><barcode>4600000000008</barcode>
      <description>Светит.</description><param name="Цвет">белый</param><param name="Мощность" unit="Вт">8</param>
      <weight>1.2</weight><dimensions>20/10.5/30</dimensions></offer>`),
    );

    assert.deepEqual(draftsOf(events), [
      {
        id: "9",
        groupId: "g1",
        title: "Лампа Ясная",
        description: "Светит.",
        link: "https://lampy.example/9",
        image: "https://lampy.example/1.jpg",
        additionalImages: ["https://lampy.example/2.jpg"],
        price: "1490",
        listPrice: "1990",
        currency: "RUR",
        availability: "true",
        brand: "Ясная",
        mpn: "LJ-1",
        gtin: "4600000000008",
        color: "белый",
        options: namedValues({ Цвет: "белый", Мощность: "8 Вт" }),
        details: [{ name: "Мощность", value: "8 Вт" }],
        categories: ["Дом > Лампы"],
        weight: "1.2",
        weightUnit: "kg",
        length: "20",
        width: "10.5",
        height: "30",
        dimensionsUnit: "cm",
      },
    ]);
    assert.deepEqual(warningsOf(events), []);
  });

  test("an offer without a name is titled by type, vendor and model; a used one is not new", async () => {
    const events = await read(
      catalog(`<offer id="9" type="vendor.model"><price>5</price><typePrefix>Лампа</typePrefix><vendor>Ясная</vendor><model>X1</model>
      <categoryId>77</categoryId><condition type="likenew"><reason>Царапина</reason></condition></offer>`),
    );

    assert.deepEqual(draftsOf(events), [
      { id: "9", title: "Лампа Ясная X1", currency: "RUR", price: "5", brand: "Ясная", condition: "likenew" },
    ]);
    assert.match(warningsOf(events)[0] ?? "", /not in the file's list of categories and are not used: 77/);
  });

  test("a list of only prices and stock is refused, and the message has its fields", async () => {
    const failure = await failureOf(
      read(catalog(`<offer id="9"><price>5</price><outlets><outlet instock="3"/></outlets></offer>`)),
    );

    assert.equal(failure.code, "source_not_a_feed");
    assert.match(failure.message, /read as Yandex YML, but it has no field for title/);
  });
});

test("hotline.ua's XML is read with its categories, in hryvnias", async () => {
  const events = await read(`<price><date>2030-01-01</date><firmName>Крамниця</firmName>
    <categories><category><id>1</id><name>Кухня</name></category><category><id>2</id><parentId>1</parentId><name>Чашки</name></category></categories>
    <items><item><id>7</id><categoryId>2</categoryId><code>CH-7</code><barcode>4006381333931</barcode><vendor>Липа</vendor><name>Чашка</name>
      <url>https://shop.example/7</url><image>https://shop.example/7.jpg</image><priceRUAH>250</priceRUAH><oldprice>300</oldprice><priceRUSD>6</priceRUSD>
      <stock>В наявності</stock><condition>0</condition><shipping>0</shipping></item></items></price>`);

  assert.deepEqual(draftsOf(events), [
    {
      id: "7",
      mpn: "CH-7",
      gtin: "4006381333931",
      brand: "Липа",
      title: "Чашка",
      link: "https://shop.example/7",
      image: "https://shop.example/7.jpg",
      price: "250",
      listPrice: "300",
      currency: "UAH",
      availability: "В наявності",
      condition: "new",
      categories: ["Кухня > Чашки"],
    },
  ]);
});

test("Skroutz's and Trovaprezzi's XML are read by their element names", async () => {
  const skroutz = await read(
    `<mywebstore><products><product><UniqueID>5</UniqueID><name>Φλιτζάνι</name><link>https://shop.example/5</link><image>https://shop.example/5.jpg</image><category>Κουζίνα > Φλιτζάνια</category><price>8.06</price><price_with_vat>10.00</price_with_vat><manufacturer>Lipa</manufacturer><instock>Y</instock></product></products></mywebstore>`,
  );
  const offer = (fields: string): string => `<Products><Offer>${fields}</Offer></Products>`;
  const english = await read(
    offer(
      "<Name>Tazza</Name><Brand>Lipa</Brand><OriginalPrice>12.00</OriginalPrice><Price>10.00</Price><Code>T-1</Code><Link>https://shop.example/t</Link><Stock>disponibile</Stock><Image>https://shop.example/t.jpg</Image><PartNumber>LP-1</PartNumber><EanCode>4006381333931</EanCode>",
    ),
  );
  const italian = await read(
    offer(
      "<Nome>Tazza</Nome><Marca>Lipa</Marca><PrezzoRiferimento>12.00</PrezzoRiferimento><PrezzoVendita>10.00</PrezzoVendita><CodiceInterno>T-1</CodiceInterno><LinkOfferta>https://shop.example/t</LinkOfferta><Disponibilita>disponibile</Disponibilita><LinkImmagine>https://shop.example/t.jpg</LinkImmagine>",
    ),
  );

  const [cup] = draftsOf(skroutz);
  assert.deepEqual([cup?.id, cup?.price, cup?.availability, cup?.brand], ["5", "10.00", "Y", "Lipa"]);
  for (const [tazza] of [draftsOf(english), draftsOf(italian)]) {
    assert.deepEqual(
      [tazza?.id ?? tazza?.sku, tazza?.price, tazza?.listPrice, tazza?.link, tazza?.image],
      ["T-1", "10.00", "12.00", "https://shop.example/t", "https://shop.example/t.jpg"],
    );
  }
});

test("idealo's CSV is read by its column names", async () => {
  const events = await read(
    "sku;brand;title;categoryPath;url;eans;hans;description;imageUrls;price;deliveryTime;deliveryCosts_dhl\nT-1;Lipa;Tasse;Küche > Tassen;https://shop.example/t;4006381333931;LP-1;Blau;https://shop.example/t.jpg;10,00;1-3 Werktage;4,90\n",
  );

  const [cup] = draftsOf(events);
  assert.deepEqual(
    [cup?.sku, cup?.price, cup?.gtin, cup?.mpn, cup?.categories, cup?.deliveryTime],
    ["T-1", "10,00", "4006381333931", "LP-1", ["Küche > Tassen"], "1-3 Werktage"],
  );
});

test("YML: the attribute of the availability may be written with a Cyrillic letter", async () => {
  await using world = await feedFixture();
  const offer = (id: string, available: string) =>
    `<offer id="${id}" \u0430vailable="${available}"><name>Кружка</name><price>94</price><currencyId>UAH</currencyId></offer>`;

  const drafts = draftsOf(
    await world.readPage(
      `<yml_catalog><shop><offers>${offer("1", "true")}${offer("2", "false")}</offers></shop></yml_catalog>`,
    ),
  );

  assert.deepEqual(
    drafts.map(({ availability }) => availability),
    ["true", "false"],
  );
});

test("YML: the name in a second language counts where there is no other, and a maker alone is no name", async () => {
  await using world = await feedFixture();
  const offer = (id: string, names: string) =>
    `<offer id="${id}" available="true"><price>94</price><currencyId>UAH</currencyId><vendor>Kiln</vendor>${names}</offer>`;
  const offers = [
    offer("1", "<name_ua>Чашка</name_ua><description_ua>Глина</description_ua>"),
    offer(
      "2",
      "<name_ua>Чашка</name_ua><name>Кружка</name><model>X</model><description_ua>Глина</description_ua>",
    ),
    offer("3", ""),
    offer("4", "<typePrefix>Кружка</typePrefix><model>X</model>"),
  ];

  const drafts = draftsOf(
    await world.readPage(`<yml_catalog><shop><offers>${offers.join("")}</offers></shop></yml_catalog>`),
  );

  assert.deepEqual(
    drafts.map(({ title, description }) => [title, description]),
    [
      ["Чашка", "Глина"],
      ["Кружка", "Глина"],
      [undefined, undefined],
      ["Кружка Kiln X", undefined],
    ],
  );
});
