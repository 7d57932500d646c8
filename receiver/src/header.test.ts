import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../src/lib/any-character.fixture.ts";
import { readHeader } from "./header.ts";
import { SignatureError } from "./signature-error.ts";

const MAC = "0123456789abcdef".repeat(4);
const MAC2 = "fedcba9876543210".repeat(4);

function code(header: unknown): string {
  try {
    readHeader(header as string);
    return "read";
  } catch (error) {
    assert.ok(error instanceof SignatureError, String(error));
    return error.code;
  }
}

test("the time is kept as it was sent, and every signature is kept", () => {
  assert.deepEqual(readHeader(`t=0017,v1=${MAC},v1=${MAC2}`), { t: "0017", macs: [MAC, MAC2] });
});

test("the order of entries does not matter, and unknown ones are ignored", () => {
  assert.deepEqual(readHeader(`v0=x,,=,v1=${MAC},v2,t=17,x=t=9`), { t: "17", macs: [MAC] });
});

test("a malformed signature matches nothing, and does not affect the others", () => {
  assert.deepEqual(readHeader(`t=17,v1=${MAC.toUpperCase()},v1=${MAC},v1=${MAC}0,v1=`).macs, [MAC]);
});

test("a header in a list of one is that header; a header sent twice is malformed", () => {
  assert.deepEqual(readHeader([`t=17,v1=${MAC}`]).macs, [MAC]);
  assert.equal(code([`t=17,v1=${MAC}`, `t=17,v1=${MAC}`]), "malformed_header");
});

for (const [title, header] of [
  ["undefined", undefined],
  ["null", null],
  ["an empty text", ""],
  ["an empty list", []],
  ["only a time", "t=17"],
  ["only signatures of another scheme", `t=17,v2=${MAC}`],
  ["the name in upper case", `t=17,V1=${MAC}`],
  ["white space after the comma", `t=17, v1=${MAC}`],
] as const) {
  test(`${title} is no signature`, () => {
    assert.equal(code(header), "no_signature");
  });
}

for (const [title, t] of [
  ["nothing", ""],
  ["a minus", "-17"],
  ["a plus", "+17"],
  ["a fraction", "17.0"],
  ["an exponent", "1e9"],
  ["hexadecimal", "0x11"],
  ["a space before", " 17"],
  ["a space after", "17 "],
  ["a line end", "17\n"],
  ["a NUL", "17\0"],
  ["Arabic-Indic digits", "١٧"],
  ["full width digits", "１７"],
  ["milliseconds", "1767225600000"],
  ["more digits than a number holds", "9".repeat(400)],
  ["a word", "NaN"],
] as const) {
  test(`a time written with ${title} is malformed`, () => {
    assert.equal(code(`t=${t},v1=${MAC}`), "malformed_header");
  });
}

for (const [title, header] of [
  ["no time", `v1=${MAC}`],
  ["two times", `t=17,t=17,v1=${MAC}`],
  ["a signature in upper case", `t=17,v1=${MAC.toUpperCase()}`],
  ["half a signature", `t=17,v1=${MAC.slice(32)}`],
  ["a signature with a NUL", `t=17,v1=${MAC.slice(1)}\0`],
  ["a signature with a line end", `t=17,v1=${MAC}\n`],
  ["a signature in full width letters", `t=17,v1=${MAC.slice(1)}ａ`],
  ["nothing but commas", ",".repeat(4096)],
  ["nothing known", "hello"],
] as const) {
  test(`a header with ${title} is malformed`, () => {
    assert.equal(code(header), "malformed_header");
  });
}

test("a header is limited to 4096 characters", () => {
  const many = (count: number) => `t=17${`,v1=${MAC}`.repeat(count)}`;

  assert.equal(readHeader(many(60)).macs.length, 60);
  assert.equal(code(many(61)), "malformed_header");
  assert.equal(code(many(10_000)), "malformed_header");
});

test("a header that is no text is a programming error", () => {
  for (const header of [{}, 7, new Headers()]) {
    assert.throws(() => readHeader(header as unknown as string), TypeError);
  }
});

test("any text gives a header or a SignatureError", () => {
  const anyEntry = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("t=17", "t=", "v1=", `v1=${MAC}`, "t", "=", "v1"),
  );
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 8 }), (entries) => {
      assert.ok(["read", "no_signature", "malformed_header"].includes(code(entries.join(","))));
    }),
  );
});
