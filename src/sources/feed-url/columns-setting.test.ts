import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { parseColumnMapping } from "../product-record/column-settings.ts";
import { linkTemplateProblem } from "../product-record/link-template.ts";
import { DIALECTS } from "./dialects/registry.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { checkSettings } from "../registry.ts";
import { feedFixture } from "./feed-fixture.contract.ts";

const columns = "Nr = id\nWas = title\nKostet = price\nSeite = link";

describe("columns that the merchant maps", () => {
  const item = { id: "7", title: "Mug", price: "5.00 EUR", link: "https://s.example/7" };

  for (const [format, body] of [
    ["CSV", "Nr;Was;Kostet;Seite\n7;Mug;5.00 EUR;https://s.example/7\n"],
    ["JSON", JSON.stringify([{ Nr: 7, Was: "Mug", Kostet: "5.00 EUR", Seite: "https://s.example/7" }])],
    ["JSON Lines", `{"Nr":7,"Was":"Mug","Kostet":"5.00 EUR","Seite":"https://s.example/7"}\n{"Nr":8}\n`],
    [
      "XML",
      "<products><product><Nr>7</Nr><Was>Mug</Was><Kostet>5.00 EUR</Kostet><Seite>https://s.example/7</Seite></product></products>",
    ],
  ] as const) {
    test(`are read in ${format}`, async () => {
      await using world = await feedFixture();

      assert.deepEqual(draftsOf(await world.readPage(body, { columns }))[0], item);
    });
  }

  test("beside a mapped price, an original price is a former price only if it is mapped too", async () => {
    await using world = await feedFixture();
    const file = "id,title,our_price,original_price\n7,Scent No. 5,24.99,145\n";
    const read = async (...lines: readonly string[]) =>
      draftsOf(await world.readPage(file, { columns: lines.join("\n") }))[0];

    assert.deepEqual(await read("our_price = price"), { id: "7", title: "Scent No. 5", price: "24.99" });
    assert.equal((await read("our_price = price", "original_price = compare_at_price"))?.listPrice, "145");
    assert.equal((await read("our_price = sale_price"))?.listPrice, "145");
  });

  test("that the file does not have are reported", async () => {
    await using world = await feedFixture();
    const events = await world.readPage("Nr,Was,Kostet,Seite\n7,Mug,5,/7\n", {
      columns: `${columns}\nMarke = brand`,
    });

    assert.match(
      warningsOf(events).join(),
      /^The settings name columns that the file does not have: "marke"\./,
    );
  });

  test("count as a change: the same file is read again", async () => {
    await using world = await feedFixture();
    const url = world.host.serve("/feed", { kind: "file", body: "id,title,price,slug\n7,Mug,5,mug\n" });
    const end = (await world.read({ url })).at(-1);
    const previous = end?.kind === "end" ? end.validators : null;
    const kinds = async (settings: Record<string, string>) =>
      (await world.read({ url, ...settings }, { previous })).map(({ kind }) => kind);

    assert.deepEqual(await kinds({}), ["unchanged"]);
    assert.ok((await kinds({ link_template: "https://s.example/{slug}" })).includes("draft"));
    assert.ok((await kinds({ columns: "slug = link" })).includes("draft"));
  });

  test("are checked before they are saved", () => {
    const result = checkSettings("feed_url", {
      url: "https://s.example/feed.csv",
      columns: "Kostet = prise",
      link_template: "s.example/{slug}",
    });

    assert.deepEqual(result.kind === "invalid" && result.problems, [
      { pointer: "/settings/columns", detail: 'There is no field "prise". Did you mean "price"?' },
      {
        pointer: "/settings/link_template",
        detail: "Must begin with https:// or http://, or with / where store_url is set.",
      },
    ]);
  });

  test("may not be mapped to names of built-in object properties", () => {
    const { problems } = parseColumnMapping(
      "a = constructor\nb = __proto__\nc = toString\nconstructor = title",
    );

    assert.deepEqual(
      problems.map((problem) => /^There is no field "(\w+)"/.exec(problem)?.[1]),
      ["constructor", "__proto__", "toString"],
    );
  });

  test("may not use a template that makes no links or publishes a password", () => {
    for (const template of ["https://s.example/{}", "https://s.example/{ }", "https://s.example/{a}/{b"]) {
      assert.match(linkTemplateProblem(template) ?? "", /^Must have a column's name in braces/);
    }
    assert.match(
      linkTemplateProblem("https://u:p@s.example/{a}") ?? "",
      /^Must have no user name or password/,
    );
  });
});

describe("a link template", () => {
  test("makes links in CSV, XML and for the variants of a product in JSON", async () => {
    await using world = await feedFixture();
    const settings = { link_template: "https://s.example/{slug}.html" };
    const linksOf = async (body: string) =>
      draftsOf(await world.readPage(body, settings)).map(({ link }) => link);

    assert.deepEqual(await linksOf("id,title,price,slug\n1,Mug,5,my mug\n"), [
      "https://s.example/my%20mug.html",
    ]);
    assert.deepEqual(
      await linksOf(
        "<items><item><id>1</id><title>Mug</title><price>5</price><slug>mug</slug></item></items>",
      ),
      ["https://s.example/mug.html"],
    );
    assert.deepEqual(
      await linksOf(
        JSON.stringify([
          { id: 1, title: "Mug", slug: "mug", price: 5, variants: [{ sku: "a" }, { sku: "b" }] },
        ]),
      ),
      ["https://s.example/mug.html", "https://s.example/mug.html"],
    );
  });

  test("works in the exports of Shopify and WooCommerce", async () => {
    await using world = await feedFixture();
    const shopify =
      "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\nmug,Mug,Color,Red,M-R,5\nmug,,,Blue,M-B,5\n";
    const woo =
      "ID,Type,SKU,Name,Regular price,Parent\n1,variable,V,Mug,,\n2,variation,V-1,Mug red,5,V\n3,simple,S,Cup,4,\n";
    const links = async (body: string, template: string) =>
      draftsOf(await world.readPage(body, { link_template: template })).map(({ link }) => link);

    assert.deepEqual(await links(shopify, "https://s.example/p/{Handle}"), [
      "https://s.example/p/mug",
      "https://s.example/p/mug",
    ]);
    assert.deepEqual(await links(woo, "https://s.example/{sku}"), [
      "https://s.example/V",
      "https://s.example/S",
    ]);
  });

  test("whose column is not in the file fails the read, and the message lists the columns", async () => {
    await using world = await feedFixture();
    const failure = await failureOf(
      world.readPage("id,title,price\n1,Mug,5\n", { link_template: "https://s.example/{slug}" }),
    );

    assert.equal(failure.code, "source_settings_invalid");
    assert.equal(
      failure.message,
      'link_template names {slug}, which the file does not have. Columns found: "id", "title", "price".',
    );
  });
});

describe("store_url of the source", () => {
  for (const [format, body] of [
    ["CSV", "id,title,price,link,image_link,additional_image_link\n1,Mug,5,/mug,/a.jpg,/b.jpg\n"],
    [
      "XML",
      "<items><item><id>1</id><title>Mug</title><price>5</price><link>/mug</link><image_link>/a.jpg</image_link><additional_image_link>/b.jpg</additional_image_link></item></items>",
    ],
    [
      "JSON",
      JSON.stringify([
        {
          id: 1,
          title: "Mug",
          price: 5,
          link: "/mug",
          image_link: "/a.jpg",
          additional_image_link: ["/b.jpg"],
        },
      ]),
    ],
  ] as const) {
    test(`completes relative links and images in ${format}`, async () => {
      await using world = await feedFixture();
      const [draft] = draftsOf(await world.readPage(body, { store_url: "https://s.example" }));

      assert.deepEqual(
        [draft?.link, draft?.image, draft?.additionalImages],
        ["https://s.example/mug", "https://s.example/a.jpg", ["https://s.example/b.jpg"]],
      );
    });
  }
});

describe("unknown columns", () => {
  test("are reported with the columns of the file, the missing fields and suggested settings", async () => {
    await using world = await feedFixture();
    const [first] = await world.readPage("sku,name,VK brutto,Seo slug,Produktbild\n1,Mug,5,mug,x.jpg\n");

    assert.ok(first?.kind === "warning");
    assert.equal(first.warning.code, "missing_column");
    assert.deepEqual(first.suggestion, {
      seen: ["sku", "name", "VK brutto", "Seo slug", "Produktbild"],
      missing: ["link", "price"],
      fields: [
        { field: "price", column: "VK brutto", confidence: "low", values: ["5"] },
        { field: "image", column: "Produktbild", confidence: "low", values: ["x.jpg"] },
      ],
      columns: "VK brutto = price\nProduktbild = image",
      link_template: "https://your-shop.example/{Seo slug}",
      prices: [],
    });
    assert.match(first.warning.message, /^No column was recognized as link or price\. Columns found: "sku",/);
  });

  test("are suggested as settings when a file without ids or titles is refused", async () => {
    await using world = await feedFixture();
    const failure = await failureOf(world.readPage("Artikelnr.,Produktbezeichnung,EUR\n1,Mug,5\n"));

    assert.equal(failure.code, "source_not_a_feed");
    assert.match(failure.message, /Set columns, e\.g\. to "Produktbezeichnung = title; EUR = price"\./);
  });

  const suggestionFor = async (body: string, settings: Record<string, string> = {}) => {
    await using world = await feedFixture();
    const [first] = await world.readPage(body, settings);
    return first?.kind === "warning" ? first.suggestion : undefined;
  };

  test("are never suggested for a field with another meaning", async () => {
    const suggestion = await suggestionFor(
      "SKU,Name,Description,Price,Img URL,Stock Qty,Brand code,Brandname,Product width,Video link\n1,Mug,Blue,5,https://i.example/1.jpg,4,B1,Kiln,3,https://v.example/1\n",
    );

    assert.equal(suggestion?.columns, "Img URL = image\nStock Qty = quantity\nBrandname = brand");
    assert.equal(suggestion?.link_template, null);
  });

  test("are no template for links if their values are no parts of addresses", async () => {
    const body = "sku,name,price,seoTitle,seo path\n1,Mug,5,Blue mug | Kiln,blue-mug\n";

    assert.equal((await suggestionFor(body))?.link_template, "https://your-shop.example/{seo path}");
  });

  test("are suggested as text that the settings accept unchanged and that gives items", async () => {
    await using world = await feedFixture();
    const body = "Kennung;Was;VK; brutto;Url Pfad;Foto\n1;Mug;x;5,00;mug;https://i.example/1.jpg\n";
    const failure = await failureOf(world.readPage(body));
    const columns = /Set columns, e\.g\. to "([^"]*)"/.exec(failure.message)?.[1] ?? "";

    assert.equal(columns, "Kennung = id; brutto = price; Foto = image");
    const named = `${columns}; Was = title`;
    const suggestion = await suggestionFor(body, { columns: named });
    assert.equal(suggestion?.link_template, "https://your-shop.example/{Url Pfad}");
    const events = await world.readPage(body, { columns: named, link_template: suggestion.link_template });
    assert.deepEqual(draftsOf(events)[0], {
      id: "1",
      title: "Mug",
      price: "5,00",
      link: "https://your-shop.example/mug",
      image: "https://i.example/1.jpg",
    });
    assert.match(warningsOf(events).join(), /^These columns are not known and not used: "VK"\.$/);
  });

  test("are suggested in addition to the existing settings, without contradicting them", async () => {
    const settings = { columns: "Was = title; Page URL = ignore" };
    const suggestion = await suggestionFor("id;Was;VK Preis;Page URL;Seite\n1;Mug;5;/x;/y\n", settings);

    assert.equal(suggestion?.columns, "Was = title\nPage URL = ignore\nSeite = link\nVK Preis = price");
  });

  test("whose names contain the separator of the setting are suggested without it", async () => {
    const body = 'sku,name,"Preis; brutto","Seo\n{slug}"\n1,Mug,5,mug\n';
    const suggestion = await suggestionFor(body);

    assert.deepEqual(
      [suggestion?.columns, suggestion?.link_template],
      ["Preis  brutto = price", "https://your-shop.example/{Seo slug}"],
    );
    assert.equal(
      await suggestionFor(body, { columns: "Preis brutto = price", link_template: "/{Seo slug}" }),
      undefined,
    );
  });
});

describe("the documentation", () => {
  const page = () => readFile(new URL("../../../docs/sources/feed-url.md", import.meta.url), "utf8");
  const example = async (name: string) =>
    new RegExp(`\`\`\`${name}\\n([^\`]*)\`\`\``).exec(await page())?.[1] ?? "";

  test("names every dialect", async () => {
    const text = await page();
    assert.deepEqual(
      DIALECTS.filter(({ name }) => !text.includes(`**${name}**`)).map(({ name }) => name),
      [],
    );
  });

  test("has examples of both settings that are accepted", async () => {
    const { mapping, problems } = parseColumnMapping(await example("columns"));
    const templates = (await example("link_template")).trim().split("\n");

    assert.deepEqual([mapping.size, problems], [7, []]);
    assert.deepEqual(templates.map(linkTemplateProblem), [null, null, null]);
  });
});
