import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minimalItem } from "../../../test/item.ts";
import { after, isMatch, MUG, problems, refusal, rule } from "./rules.fixture.ts";

const titled = (title: string, language?: string) =>
  minimalItem({ title, ...(language !== undefined && { language }) });
const replaced = (pattern: string, text: string, title: string): string =>
  after({ type: "replace", field: "title", pattern, with: text }, titled(title)).title;

describe("regular expressions", () => {
  test("match a part of the value, in any case", () => {
    const matches = (value: string): boolean =>
      isMatch({ field: "title", operator: "matches", value }, titled("Mug XL 330 ml"));
    assert.deepEqual(["\\bxl\\b", "^mug", "\\d+ ML$", "^\\D+$", "[A-Z]{3}"].map(matches), [
      true,
      true,
      true,
      false,
      true,
    ]);
    assert.equal(
      isMatch({ field: "categories", operator: "does_not_match", value: "gift(s)?\\b" }, MUG),
      false,
    );
    assert.equal(isMatch({ field: "mpn", operator: "does_not_match", value: "." }, MUG), true);
  });

  test("replace what they match, with groups, and case counts", () => {
    assert.equal(replaced("\\s*\\((?:new|SALE)\\)", "", "Mug (new) (SALE)"), "Mug");
    assert.equal(replaced("(\\d+) ?(?P<unit>ml|l)\\b", "${unit} $1 $$", "Mug 330ml"), "Mug ml 330 $");
    assert.equal(replaced("mug", "Cup", "Mug"), "Mug");
    assert.equal(replaced("(?i)mug", "Cup", "Mug"), "Cup");
    assert.equal(after({ type: "replace", field: "brand", pattern: ".*", with: "" }).brand, undefined);
  });

  test("take linear time and make no endless texts", () => {
    const many = minimalItem({ description: "a".repeat(15_000) });
    const action = { type: "replace", field: "description", pattern: "(a*)*b", with: "x" } as const;
    assert.equal(after(action, many), many);
    assert.match(refusal({ ...action, pattern: "a", with: "y".repeat(1_000) }, many) ?? "", /is too long/);
  });

  test("are refused with a sentence if they cannot be used", () => {
    const refused = (pattern: string, text = "") =>
      problems([rule({ type: "replace", field: "title", pattern, with: text })])[0];
    assert.match(
      refused("(?=x)") ?? "",
      /^invalid_pattern \/rules\/0\/action\/pattern The pattern is no regular expression of RE2: .*\.$/,
    );
    assert.match(refused("(\\w{1,50}){20}") ?? "", /repeats too much/);
    assert.match(refused("a", "$2") ?? "", /\/action\/with The pattern has no group \$2/);
    assert.match(
      problems([rule({ type: "replace", field: "title", with: "" })])[0] ?? "",
      /^missing_part .*either find/,
    );
    const both = rule({ type: "replace", field: "title", find: "a", pattern: "a", with: "" });
    assert.match(problems([both])[0] ?? "", /^unexpected_part /);
    const when = { all: [{ field: "title", operator: "matches" as const, value: "[" }] };
    assert.match(
      problems([rule({ type: "exclude" }, { when })])[0] ?? "",
      /^invalid_pattern \/rules\/0\/when\/all\/0\/value /,
    );
  });
});

test("titles are brought into title or sentence case, by the rules of the language", () => {
  const cased = (filter: string, title: string, language?: string): string =>
    after({ type: "template", field: "title", text: `{title|${filter}}` }, titled(title, language)).title;

  assert.equal(cased("title", "BLUE MUG, DON'T BREAK"), "Blue Mug, Don't Break");
  assert.equal(cased("title", "usb cable for iPhone"), "Usb Cable For iPhone");
  assert.equal(cased("sentence", "Blue Mug for iPhone"), "Blue mug for iPhone");
  assert.equal(cased("sentence", "ΜΠΛΕ ΚΟΥΠΑΣ"), "Μπλε κουπας");
  assert.equal(cased("title", "IŞIK ince", "tr"), "IŞIK İnce");
  assert.equal(cased("sentence", "ijslepel", "nl"), "IJslepel");
});
