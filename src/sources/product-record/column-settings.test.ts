import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MAPPABLE_FIELDS, missingNames, parseColumnMapping, planFile } from "./column-settings.ts";
import { linkTemplate, linkTemplateProblem } from "./link-template.ts";

const problemsOf = (text: string) => parseColumnMapping(text).problems;

function draftOf(record: Readonly<Record<string, string>>, columns: string, template?: string) {
  const { mapping, problems } = parseColumnMapping(columns);
  assert.deepEqual(problems, []);
  const settings = { mapping, linkTemplate: template === undefined ? null : linkTemplate(template) };
  return planFile(Object.keys(record), settings).map(Object.values(record));
}

describe("a column mapping", () => {
  test("fills fields from columns, under our field names or those of feeds", () => {
    const record = {
      Artikel: "7",
      "Bezeichnung kurz": "Mug",
      Bild: "/a.jpg",
      "Gewicht netto": "2",
      Serie: "9",
    };

    assert.deepEqual(
      draftOf(
        record,
        "Artikel = id\nbezeichnung KURZ = title; Bild = image_link\r\nGewicht netto = weight (kg)\nSerie = item_group_id",
      ),
      { id: "7", title: "Mug", image: "/a.jpg", weight: "2", weightUnit: "kg", groupId: "9" },
    );
  });

  test("has priority over the meaning of the column's name, also if the cell is empty", () => {
    assert.deepEqual(draftOf({ id: "1", price: "10", gross: "" }, "gross = price"), { id: "1" });
    assert.deepEqual(
      draftOf({ product_type: "simple", group: "Mugs" }, "product_type = ignore; group = categories"),
      {
        categories: ["Mugs"],
      },
    );
  });

  test("can make a column an option or a detail with the column's name", () => {
    assert.deepEqual(draftOf({ "Shoe width": "G", Sole: "Rubber" }, "Shoe width = option\nSole = detail"), {
      options: [{ name: "Shoe width", value: "G" }],
      details: [{ name: "Sole", value: "Rubber" }],
    });
  });

  test("is split at its last equals sign, because names may contain some", () => {
    assert.deepEqual(draftOf({ "Online (0 = No, 1 = Yes)": "1" }, "Online (0 = No, 1 = Yes) = published"), {
      published: "1",
    });
  });

  test("with a misspelled field is refused with a suggestion, or with the list of fields", () => {
    assert.deepEqual(problemsOf("Preis = pricee"), ['There is no field "pricee". Did you mean "price"?']);
    assert.match(
      problemsOf("Preis = wholesale margin").join(),
      /^There is no field "wholesale margin"\. Fields: id, group_id,/,
    );
    assert.deepEqual(problemsOf("Preis"), ['"Preis" must read "Their name = our_name".']);
    assert.deepEqual(problemsOf("A = title\na = price"), ['The column "a" is mapped twice.']);
  });

  test("accepts every field", () => {
    assert.deepEqual(problemsOf(MAPPABLE_FIELDS.map((name, index) => `c${index} = ${name}`).join("\n")), []);
  });

  test("law: any text gives a mapping or problems, never an exception", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { mapping, problems } = parseColumnMapping(text);
        const lines = text.split(/[\r\n;]+/).filter((line) => line.trim() !== "");
        assert.equal(mapping.size + problems.length, lines.length);
      }),
    );
  });
});

describe("a link template", () => {
  test("encodes values, keeps slashes, and makes no link without a value", () => {
    const record = (page: string) => ({ "URL Key": page, id: "1" });

    assert.equal(
      draftOf(record("a b/ü&c"), "", "https://s.example/{url key}.html?id={id}").link,
      "https://s.example/a%20b/%C3%BC%26c.html?id=1",
    );
    assert.equal(draftOf(record(""), "", "https://s.example/{url_key}.html").link, undefined);
  });

  test("has priority over the feed's links, which are used if it has no value", () => {
    const template = "https://s.example/{slug}";

    assert.equal(
      draftOf({ link: "https://old.example/1", slug: "x" }, "", template).link,
      "https://s.example/x",
    );
    assert.equal(
      draftOf({ link: "https://old.example/1", slug: "" }, "", template).link,
      "https://old.example/1",
    );
  });

  test("must be a URL with a column in it", () => {
    assert.equal(linkTemplateProblem("https://s.example/{slug}"), null);
    assert.equal(linkTemplateProblem("/p/{slug}"), null);
    assert.match(linkTemplateProblem("https://s.example/p") ?? "", /column's name in braces/);
    assert.match(linkTemplateProblem("s.example/{slug}") ?? "", /^Must begin with https/);
  });

  test("and a mapping list their columns that the file does not have", () => {
    const { mapping } = parseColumnMapping("Preis = price\nName = title");

    assert.deepEqual(missingNames(["NAME"], { mapping, linkTemplate: linkTemplate("/{slug}") }), [
      "preis",
      "slug",
    ]);
  });
});
