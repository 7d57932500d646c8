import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { pathList, sentenceList, splitGroups, urlList } from "./cells.ts";

describe("lists in cells", () => {
  test("addresses are split at commas, semicolons, pipes and spaces, but not inside themselves", () => {
    const two = ["https://a.example/1.jpg", "https://a.example/2.jpg"];
    for (const separator of [",", ", ", ";", "|", " "])
      assert.deepEqual(urlList(two.join(separator)), two, separator);
    assert.deepEqual(urlList("https://a.example/w_100,h_100/1.jpg"), ["https://a.example/w_100,h_100/1.jpg"]);
    assert.deepEqual(urlList(JSON.stringify(two)), two);
    assert.deepEqual(urlList(two), two);
    assert.deepEqual(urlList("no address, at all"), ["no address, at all"]);
  });

  test("names of image files in one cell are a list, with or without folders, hosts and versions", () => {
    for (const list of ["a.jpg, b.jpg", "a.jpg;b.jpg", "a.jpg | b.jpg", "a.jpg,b.jpg,", "a.jpg\nb.jpg"])
      assert.deepEqual(urlList(list), ["a.jpg", "b.jpg"], list);
    assert.deepEqual(urlList("/m/a.png?v=1, /m/b.webp?v=2"), ["/m/a.png?v=1", "/m/b.webp?v=2"]);
    assert.deepEqual(urlList("/images/1,/images/2"), ["/images/1", "/images/2"]);
    assert.deepEqual(urlList("https://c.example/a.jpg, b.jpg"), ["https://c.example/a.jpg", "b.jpg"]);
    assert.deepEqual(urlList("//c.example/a.jpg, https://c.example/b.jpg,c.jpg"), [
      "//c.example/a.jpg",
      "https://c.example/b.jpg",
      "c.jpg",
    ]);
  });

  test("a single address is not split, whatever separators it contains", () => {
    for (const address of [
      "https://c.example/w_200,h_300/a.jpg",
      "https://c.example/w_200, h_300/a.jpg",
      "/resize/200,300/a.jpg",
      "img/red, large.jpg",
      "https://c.example/a.jpg;jsessionid=1",
      "https://c.example/image?id=1|2",
      "my photo.jpg",
    ])
      assert.deepEqual(urlList(address), [address]);
    assert.deepEqual(urlList("https://c.example/image?id=1,"), ["https://c.example/image?id=1"]);
  });

  test("a cell has several category paths only if each part is a path", () => {
    assert.deepEqual(pathList('Home > Kitchen,"Gifts, Cards > Mugs"'), [
      "Home > Kitchen",
      "Gifts, Cards > Mugs",
    ]);
    assert.deepEqual(pathList("Apparel > Shoes, Socks"), ["Apparel > Shoes, Socks"]);
    assert.deepEqual(pathList("Toys, Games"), ["Toys, Games"]);
    assert.deepEqual(pathList('"Toys, Games"'), ["Toys, Games"]);
  });

  test("sentences are split at a comma without a space after it, or by quotes", () => {
    assert.deepEqual(sentenceList("Dishwasher safe,Holds 350 ml"), ["Dishwasher safe", "Holds 350 ml"]);
    assert.deepEqual(sentenceList("Soft, warm, light"), ["Soft, warm, light"]);
    assert.deepEqual(sentenceList('"Soft, warm", "Light"'), ["Soft, warm", "Light"]);
  });
});

describe("groups in cells", () => {
  test("Google's own examples are read as documented", () => {
    assert.deepEqual(splitGroups('General:Product Type:Digital player,Display:Diagonal Size:"2.5"""'), [
      ["General", "Product Type", "Digital player"],
      ["Display", "Diagonal Size", '2.5"'],
    ]);
    assert.deepEqual(splitGroups('"Q one?":"A, one.", "Q: two?":"A two."'), [
      ["Q one?", "A, one."],
      ["Q: two?", "A two."],
    ]);
    assert.deepEqual(splitGroups("US:::9.99 USD"), [["US", "", "", "9.99 USD"]]);
  });

  test("groups written by Google's rules are read back unchanged", () => {
    const anyPart = fc
      .string({ unit: fc.constantFrom("a", ":", ",", '"', " ", "é"), minLength: 1 })
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const written = (part: string): string => (/[":,]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part);
    fc.assert(
      fc.property(
        fc.array(fc.array(anyPart, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        (groups) => {
          const cell = groups.map((group) => group.map(written).join(":")).join(",");

          assert.deepEqual(splitGroups(cell), groups);
        },
      ),
    );
  });
});
