/**
 * Runs every case of golden/*.txt: a name, the input as JSON, then the exact bytes each renderer gives for it.
 * `UPDATE_GOLDEN=1` rewrites the outputs; the difference must then be reviewed.
 *
 * Input: `{ settings?, asOf?, complete?, groups }`. Only `complete` cases show whole files with head and tail; in the
 * others another item has been written before, so that the shared beginnings are not repeated in every case.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { BEFORE, contextOf, FOLDER, type GoldenInput } from "./golden.fixture.ts";
import { CHANNELS, CHANNEL_FILES } from "./registry.ts";

const CASE = "=== ";
const SECTION = "--- ";

/** All that a case shows: the texts, and the items that will be refused. */
function outputs(input: GoldenInput): string {
  const sections: string[] = [];
  const refusals: string[] = [];
  for (const file of CHANNEL_FILES) {
    const writer = CHANNELS[file].open(contextOf(input));
    let text = input.complete === true ? writer.head() : "";
    if (input.complete !== true) writer.group(BEFORE);
    for (const group of input.groups) {
      const piece = writer.group(group);
      assert.equal(
        piece.written + piece.refusals.filter(({ isWritten }) => !isWritten).length,
        group.items.length,
      );
      text += piece.text;
      for (const { itemId, isWritten, code, field, message } of piece.refusals) {
        const what = isWritten ? "refused" : "left out";
        refusals.push(`${file}: ${itemId} ${what}: ${code} (${field}) ${message}\n`);
      }
    }
    if (input.complete === true) text += writer.tail();
    sections.push(`${SECTION}${file}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`);
  }
  return `${sections.join("")}${SECTION}refused or left out\n${refusals.join("")}`;
}

type Case = { readonly name: string; readonly input: string; readonly expected: string };

function parse(text: string): Case[] {
  return text
    .split(new RegExp(`^${CASE}`, "m"))
    .slice(1)
    .map((body) => {
      const name = body.slice(0, body.indexOf("\n"));
      const start = body.indexOf(`${SECTION}input\n`) + `${SECTION}input\n`.length;
      const output = body.indexOf(`${SECTION}acp.csv\n`, start);
      const end = output === -1 ? body.length : output;
      return { name, input: body.slice(start, end), expected: body.slice(end).replace(/\n\n$/, "\n") };
    });
}

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".txt"))) {
  const path = new URL(file, FOLDER);
  const cases = parse(readFileSync(path, "utf8"));

  if (process.env["UPDATE_GOLDEN"] === "1") {
    const rewritten = cases.map(({ name, input }) => {
      const found = outputs(JSON.parse(input) as GoldenInput);
      return `${CASE}${name}\n${SECTION}input\n${input}${found}`;
    });
    writeFileSync(path, rewritten.join("\n"));
    continue;
  }

  describe(`golden/${file}`, () => {
    for (const { name, input, expected } of cases) {
      test(name, () => {
        const found = outputs(JSON.parse(input) as GoldenInput);

        assert.equal(found, expected);
      });
    }
  });
}

test("there are at least sixty golden cases, with unique names", () => {
  const names = readdirSync(FOLDER).flatMap((file) =>
    parse(readFileSync(new URL(file, FOLDER), "utf8")).map((c) => c.name),
  );

  assert.ok(names.length >= 60, `only ${names.length}`);
  assert.equal(new Set(names).size, names.length);
});
