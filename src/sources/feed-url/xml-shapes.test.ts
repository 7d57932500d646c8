import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { draftsOf, failureOf } from "../events.contract.ts";
import { feedFixture, file } from "./feed-fixture.contract.ts";

async function draftsIn(xml: string) {
  await using world = await feedFixture();
  return draftsOf(await world.readPage(xml));
}

describe("texts in several languages", () => {
  const offers = (fields: string) =>
    `<yml_catalog><shop><offers><offer id="7"><price>5</price><currencyId>UAH</currencyId><vendor>Lipa</vendor>${fields}</offer></offers></shop></yml_catalog>`;
  const items = (fields: string) =>
    `<products><product><id>7</id><price>5 EUR</price><link>https://shop.example/7</link>${fields}</product></products>`;
  const both = "<name_ru>Кружка</name_ru><name_ua>Кухоль</name_ua>";

  test("a name with its language is used where the plain one is missing", async () => {
    const [only] = await draftsIn(offers("<name_ua>Кухоль</name_ua><description_ua>Синій.</description_ua>"));
    const [plain] = await draftsIn(offers("<name>Mug</name><name_ua>Кухоль</name_ua>"));

    assert.deepEqual([only?.title, only?.description, plain?.title], ["Кухоль", "Синій.", "Mug"]);
  });

  test("of several languages the catalog's is used", async () => {
    await using world = await feedFixture();
    const read = async (language: string) =>
      draftsOf(await world.read({ url: world.host.serve("/feed", file(items(both))) }, { language }));

    assert.equal((await read("uk"))[0]?.title, "Кухоль");
    assert.equal((await read("ru-UA"))[0]?.title, "Кружка");
  });

  test("several languages of which none is the catalog's are an error that names them", async () => {
    await assert.rejects(draftsIn(items(both)), {
      code: "source_not_a_feed",
      message: /title in several languages \("name_ru", "name_ua"\).* e\.g\. "name_ru = title"/,
    });
    const described =
      "<title>Mug</title><description_en>Blue.</description_en><description_de>Blau.</description_de>";
    await using world = await feedFixture();
    const events = await world.readPage(items(described));
    const note = events.find((event) => event.kind === "warning" && event.warning.code === "missing_column");
    assert.match(JSON.stringify(note), /description in several languages/);
    assert.equal(draftsOf(events)[0]?.description, undefined);
  });
});

describe("XML as shops write it", () => {
  test("Google's names have priority over names without a prefix; elements of other namespaces are ignored", async () => {
    const [draft] =
      await draftsIn(`<rss xmlns:x="http://base.google.com/ns/1.0" xmlns:media="http://search.yahoo.com/mrss/">
      <channel><item><title>Bare</title><x:title>Google</x:title><media:title>Other</media:title><x:id>1</x:id>
      <x:price>5 EUR</x:price><guid>g</guid></item></channel></rss>`);

    assert.deepEqual(draft, { id: "1", title: "Google", price: "5 EUR" });
  });

  test("the undeclared prefix g is Google's", async () => {
    const [draft] = await draftsIn(
      "<rss><channel><item><g:id>1</g:id><g:title>x</g:title><g:price>5</g:price></item></channel></rss>",
    );

    assert.deepEqual(draft, { id: "1", title: "x", price: "5" });
  });

  test("repeated elements are lists, nested ones groups; of two prices the first is used", async () => {
    const [draft] =
      await draftsIn(`<rss><channel><item><g:id>1</g:id><g:title>x</g:title><g:price>5 EUR</g:price><g:price>6 EUR</g:price>
      <g:additional_image_link> https://c/1 </g:additional_image_link><g:additional_image_link>https://c/2</g:additional_image_link>
      <g:product_type>A &gt; B</g:product_type><g:product_type>C, D</g:product_type>
      <g:shipping><g:country>US</g:country><g:service>Std</g:service><g:price>5 USD</g:price></g:shipping>
      <g:shipping><g:country>CA</g:country><g:price>9 USD</g:price></g:shipping>
      <g:product_detail><g:section_name>S</g:section_name><g:attribute_name>N</g:attribute_name><g:attribute_value>V</g:attribute_value></g:product_detail>
      <g:brand/></item></channel></rss>`);

    assert.deepEqual(draft, {
      id: "1",
      title: "x",
      price: "5 EUR",
      additionalImages: ["https://c/1", "https://c/2"],
      categories: ["A > B", "C, D"],
      shipping: [
        { country: "US", service: "Std", price: "5 USD" },
        { country: "CA", price: "9 USD" },
      ],
      details: [{ section: "S", name: "N", value: "V" }],
    });
  });

  test("plain lists, attributes, currencies and unescaped markup are read", async () => {
    const [draft] = await draftsIn(`<catalog><offer id="7"><name>Mug</name><price currency="EUR">5</price>
      <description><p>Very <b>good</b></p></description><picture>https://c/1</picture></offer></catalog>`);

    assert.deepEqual(draft, {
      id: "7",
      title: "Mug",
      price: "5 EUR",
      description: "Very good",
      image: "https://c/1",
    });
  });
});

describe("XML whose items have an unusual name", () => {
  const urun = (id: number) =>
    `<urun><kod>K-${id}</kod><ad>Fincan ${id}</ad><fiyat>${id}9,90</fiyat><resimler><resim>https://cdn.example/${id}.jpg</resim></resimler></urun>`;
  const list = `<urunler><kategoriler><kategori><no>1</no></kategori><kategori><no>2</no></kategori></kategoriler>${urun(1)}${urun(2)}${urun(3)}</urunler>`;

  test("a repeated element with known fields is an item", async () => {
    const produto = (id: string) =>
      `<produto><id>${id}</id><title>Copo</title><price>5 EUR</price><fotos><foto><url>x</url></foto><foto><url>y</url></foto></fotos></produto>`;

    assert.deepEqual(
      (await draftsIn(`<loja><produtos>${produto("1")}${produto("2")}</produtos></loja>`)).map(
        ({ id }) => id,
      ),
      ["1", "2"],
    );
  });

  test("the error names the element, its number and its fields, and says what to set", async () => {
    await using world = await feedFixture();

    const { code, message } = await failureOf(world.readPage(list));

    assert.equal(code, "source_not_a_feed");
    assert.match(message, /repeated element <urun> \(3 times in the beginning\)/);
    assert.match(message, /no field for id or title or link/);
    assert.match(message, /"kod", "ad", "fiyat", "resimler".*Set columns/);
  });

  test("the setting columns says what its fields are", async () => {
    await using world = await feedFixture();
    const columns = "kod = id; ad = title; fiyat = price";

    assert.deepEqual(
      draftsOf(await world.readPage(list, { columns })).map(({ id, title, price }) => [id, title, price]),
      [1, 2, 3].map((id) => [`K-${id}`, `Fincan ${id}`, `${id}9,90`]),
    );
  });

  test("other repeated elements are not items of a file with usual names", async () => {
    const category = '<category id="1"><name>Cups</name><price>1</price><url>x</url></category>';
    const item = "<item><id>1</id><title>Cup</title><price>5 EUR</price></item>";

    assert.deepEqual(
      (await draftsIn(`<shop>${category}${category}<items>${item}</items></shop>`)).map(({ title }) => title),
      ["Cup"],
    );
  });
});
