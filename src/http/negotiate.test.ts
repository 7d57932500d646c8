/** Tables for RFC 9110 sections 12, 13 and 14, and laws for any header of a client. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { chooseEncoding, isFresh, parseRange } from "./negotiate.ts";

const ENCODINGS: readonly string[] = ["identity", "gzip", "zstd"];

const etag = '"abc"';
const lastModified = new Date("2026-11-15T06:00:00.789Z");
const MODIFIED = "Sun, 15 Nov 2026 06:00:00 GMT";
const EARLIER = "Sun, 15 Nov 2026 05:59:59 GMT";
const LATER = "Sun, 15 Nov 2026 06:00:01 GMT";

describe("the coding", () => {
  const CHOICES = [
    [undefined, "identity"],
    ["", "identity"],
    [" ", "identity"],
    [",", "identity"],
    ["identity", "identity"],
    ["br, deflate", "identity"],
    ["gzip", "gzip"],
    ["zstd", "zstd"],
    ["zstd, gzip", "gzip"],
    ["gzip, zstd", "gzip"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["GZip", "gzip"],
    [" gzip ; q=0.8 ", "gzip"],
    ["gzip;Q=0.8", "gzip"],
    ["gzip;q=0.8, zstd;q=0.9", "zstd"],
    ["gzip;q=0.9, zstd;q=0.8", "gzip"],
    ["gzip;q=0.001", "gzip"],
    ["gzip;q=0", "identity"],
    ["gzip;q=0.000", "identity"],
    // An invalid weight counts as missing: the client still accepts the coding.
    ["gzip;q=nonsense", "gzip"],
    ["gzip;q=", "gzip"],
    ["gzip;level=9", "gzip"],
    ["*", "gzip"],
    ["*;q=0.5", "gzip"],
    ["*;q=0", "identity"],
    ["zstd;q=0, *", "gzip"],
    ["gzip, *;q=0", "gzip"],
    ["gzip;q=0.2, *;q=0.8", "zstd"],
    ["identity, gzip", "gzip"],
    ["identity;q=1, gzip;q=0.5", "identity"],
    ["identity;q=0.5, gzip;q=1", "gzip"],
    ["identity;q=0, gzip;q=0.1", "gzip"],
    // Nothing we have is wanted: the file as it is still serves the reader better than a refusal.
    ["identity;q=0", "identity"],
    ["identity;q=0, *;q=0", "identity"],
  ] as const;

  for (const [header, coding] of CHOICES) {
    test(`Accept-Encoding: ${header ?? "(absent)"} gets ${coding}`, () => {
      assert.equal(chooseEncoding(header), coding);
    });
  }

  test("a repeated header is one list", () => {
    assert.equal(chooseEncoding(["br", "gzip"]), "gzip");
  });

  test("for any header, the coding is one that we have and that was not refused", () => {
    const coding = fc.constantFrom("gzip", "zstd", "br", "identity", "*");
    const weight = fc.constantFrom("0", "0.5", "1");
    const wishes = fc.uniqueArray(fc.tuple(coding, weight), { selector: ([name]) => name });
    fc.assert(
      fc.property(wishes, (list) => {
        const chosen = chooseEncoding(list.map(([name, q]) => `${name};q=${q}`).join(", "));
        const weights = new Map(list);
        const isRefused = (weights.get(chosen) ?? weights.get("*")) === "0";
        return ENCODINGS.includes(chosen) && (chosen === "identity" || !isRefused);
      }),
    );
    fc.assert(fc.property(fc.string(), (header) => ENCODINGS.includes(chooseEncoding(header))));
  });
});

describe("a copy", () => {
  const COPIES = [
    [{}, false],
    [{ "if-none-match": etag }, true],
    [{ "if-none-match": `W/${etag}` }, true],
    [{ "if-none-match": ` ${etag} ` }, true],
    [{ "if-none-match": `"x", ${etag}` }, true],
    [{ "if-none-match": `"x",W/${etag},"y"` }, true],
    [{ "if-none-match": "*" }, true],
    [{ "if-none-match": '"x"' }, false],
    [{ "if-none-match": "abc" }, false],
    [{ "if-none-match": "" }, false],
    [{ "if-modified-since": MODIFIED }, true],
    [{ "if-modified-since": LATER }, true],
    [{ "if-modified-since": EARLIER }, false],
    [{ "if-modified-since": "nonsense" }, false],
    [{ "if-modified-since": "" }, false],
    [{ "if-none-match": '"x"', "if-modified-since": LATER }, false],
    [{ "if-none-match": etag, "if-modified-since": EARLIER }, true],
  ] as const;

  for (const [headers, isGood] of COPIES) {
    test(`${JSON.stringify(headers)}: the copy is ${isGood ? "still good" : "not known to be good"}`, () => {
      assert.equal(isFresh(headers, { etag, lastModified }), isGood);
    });
  }
});

describe("a part of 1000 bytes", () => {
  const size = 1000;
  const all = null;
  const none = "unsatisfiable";
  const part = (start: number, end: number) => ({ start, end });
  const PARTS = [
    [undefined, all],
    ["bytes=0-0", part(0, 0)],
    ["bytes=0-499", part(0, 499)],
    ["bytes=500-999", part(500, 999)],
    ["bytes=500-", part(500, 999)],
    ["bytes=999-", part(999, 999)],
    ["bytes=0-5000", part(0, 999)],
    ["bytes=-1", part(999, 999)],
    ["bytes=-1000", part(0, 999)],
    ["bytes=-5000", part(0, 999)],
    [" bytes=0-9 ", part(0, 9)],
    ["bytes=1000-", none],
    ["bytes=1000-2000", none],
    ["bytes=-0", none],
    ["bytes=9-0", all],
    ["bytes=-", all],
    ["bytes=", all],
    ["bytes=0-9,20-29", all],
    ["bytes=0-9, 20-29", all],
    ["bytes=1.5-2", all],
    ["bytes=--5", all],
    ["bytes=0x0-0x9", all],
    ["items=0-9", all],
    ["0-9", all],
  ] as const;

  for (const [range, expected] of PARTS) {
    test(`${range ?? "no range"} is ${JSON.stringify(expected)}`, () => {
      const headers = range === undefined ? {} : { range };
      assert.deepEqual(parseRange(headers, { size, etag, lastModified }), expected);
    });
  }

  const CONDITIONS = [
    [etag, true],
    [MODIFIED, true],
    ['"x"', false],
    [`W/${etag}`, false],
    [EARLIER, false],
    [LATER, false],
    ["nonsense", false],
    ["", false],
  ] as const;

  for (const [ifRange, holds] of CONDITIONS) {
    test(`If-Range: ${ifRange || "(empty)"} ${holds ? "gives the part" : "gives the whole"}`, () => {
      const headers = { range: "bytes=1-2", "if-range": ifRange };
      assert.deepEqual(parseRange(headers, { size, etag, lastModified }), holds ? part(1, 2) : all);
    });
  }

  test("an empty file has no parts", () => {
    for (const range of ["bytes=0-", "bytes=0-0", "bytes=-1"]) {
      assert.equal(parseRange({ range }, { size: 0, etag, lastModified }), none);
    }
  });

  test("a part is always within the file, and the requested one", () => {
    const numbers = fc.nat({ max: 3_000 });
    fc.assert(
      fc.property(numbers, fc.option(numbers), fc.option(numbers), (bytes, from, to) => {
        const range = parseRange(
          { range: `bytes=${from ?? ""}-${to ?? ""}` },
          { size: bytes, etag, lastModified },
        );
        if (range === null || range === none) return true;
        const { start, end } = range;
        const length = end - start + 1;
        const isWithin = start >= 0 && start <= end && end < bytes;
        if (from === null) return isWithin && end === bytes - 1 && length === Math.min(bytes, to ?? 0);
        return isWithin && start === from && end === Math.min(to ?? bytes - 1, bytes - 1);
      }),
    );
  });
});
