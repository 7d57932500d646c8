/** The parts of `docs/enrichment.md` that are written from the extractors. */
import { test } from "node:test";
import { checkSection, table } from "../../../test/doc-sections.ts";
import { CONFIDENCE } from "./extractor.ts";
import { EXTRACTORS } from "./registry.ts";
import { LANGUAGES } from "./words.ts";

const DOC = "docs/enrichment.md";

test("the extractors are documented", async () => {
  const rows = EXTRACTORS.map(({ id, version, fields, evidence }) => [
    `\`${id}\``,
    String(version),
    fields.map((field) => `\`${field}\``).join(", "),
    `${evidence.charAt(0).toUpperCase()}${evidence.slice(1)}.`,
  ]);
  await checkSection(DOC, "extractors", table(["Id", "Version", "Field", "Found in"], rows));
});

const MEANINGS: Readonly<Record<keyof typeof CONFIDENCE, string>> = {
  stated: "An option, an attribute or a sibling states the value under the name of the field.",
  labeled: "A line of the description or a part of the title states it under the name of the field.",
  separate:
    "A known word on its own: a whole option value, a part of the title between separators, or a category of the shop.",
  confirmed:
    "Something else confirms it: “women” on clothes, or the check digit of a barcode whose leading zero is restored.",
  inText: "A known word within a title.",
  uncertain: "A word with several meanings, or a value that is right only if an assumption is.",
};

test("the levels of confidence are documented", async () => {
  const rows = Object.entries(MEANINGS).map(([level, meaning]) => [
    String(CONFIDENCE[level as keyof typeof CONFIDENCE]),
    meaning,
  ]);
  await checkSection(DOC, "confidence", table(["Confidence", "Evidence"], rows));
});

test("the languages are documented", async () => {
  const names = new Intl.DisplayNames("en", { type: "language" });
  const list = new Intl.ListFormat("en-GB", { type: "conjunction" });
  await checkSection(DOC, "languages", list.format(LANGUAGES.map((language) => names.of(language) ?? "")));
});
