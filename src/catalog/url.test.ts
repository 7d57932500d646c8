import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { parseUrl } from "./url.ts";
import { assertCases } from "../../test/assert-cases.ts";

const store = "https://shop.example/de/";

function read(text: string, base?: string): string {
  const address = parseUrl(text, base);
  return address.kind === "valid" ? address.value : address.reason;
}

test("links become absolute, ASCII and percent-encoded", () => {
  assertCases(
    (text) => read(text, store),
    [
      ["https://shop.example/p/mug?variant=1", "https://shop.example/p/mug?variant=1"],
      ["https://shop.example", "https://shop.example/"],
      [" HTTPS://Shop.Example/P ", "https://shop.example/P"],
      ["http://shop.example:80/a", "http://shop.example/a"],
      ["https://shop.example:8443/a", "https://shop.example:8443/a"],
      ["https://shop.example/a b/ü.jpg", "https://shop.example/a%20b/%C3%BC.jpg"],
      ["https://bücher.example/", "https://xn--bcher-kva.example/"],
      ["https://shop.example/a/../b/./c", "https://shop.example/b/c"],
      ["https://shop.example/a,b.jpg?x=1,2", "https://shop.example/a,b.jpg?x=1,2"],
      ["https://shop.example/?a=1&amp;b=2", "https://shop.example/?a=1&b=2"],
      ["https://shop.example/?a=1&#038;b=2", "https://shop.example/?a=1&b=2"],
      ["https://shop.example/?q={a|b}[1]^`", "https://shop.example/?q=%7Ba%7Cb%7D%5B1%5D%5E%60"],
      ["https://shop.example/100%cotton%20", "https://shop.example/100%25cotton%20"],
      ["https://shop.example/p#red", "https://shop.example/p#red"],
      ["https://shop.example/a\nb", "https://shop.example/ab"],
      ["https://shop.example/it's?q='", "https://shop.example/it's?q=%27"],
      ["//cdn.example/a.jpg", "https://cdn.example/a.jpg"],
      ["/p/1", "https://shop.example/p/1"],
      ["./p/1", "https://shop.example/de/p/1"],
      ["?p=1", "https://shop.example/de/?p=1"],
      ["https://shop.example/\ud800", "https://shop.example/%EF%BF%BD"],
      ["http://[::1]/a[1]", "http://[::1]/a%5B1%5D"],
    ],
  );
});

test("an invalid link is refused with the reason", () => {
  assertCases(read, [
    ["", store, "not_an_address"],
    ["see description", store, "not_an_address"],
    ["products/1", store, "not_an_address"],
    ["www.shop.example/p", store, "missing_scheme"],
    ["/p/1", undefined, "relative"],
    ["ftp://shop.example/a", store, "wrong_scheme"],
    ["javascript:alert(1)", store, "wrong_scheme"],
    ["data:image/png;base64,AAAA", store, "wrong_scheme"],
    ["mailto:a@shop.example", store, "wrong_scheme"],
    ["https://user:secret@shop.example/", store, "has_credentials"],
    ["https://user@shop.example/", store, "has_credentials"],
    ["https://", store, "not_an_address"],
    ["https://shop .example/", store, "not_an_address"],
    ["https://shop.example:99999/", store, "not_an_address"],
    [`https://shop.example/${"a".repeat(2_000)}`, store, "too_long"],
    [`https://shop.example/${"ü".repeat(400)}`, store, "too_long"],
    [`https://shop.example/${"a".repeat(1_000_000)}`, store, "too_long"],
  ]);
});

const hosts = fc.constantFrom(
  "shop.example",
  "a-b.shop.example",
  "xn--bcher-kva.example",
  "127.0.0.1",
  "1.2",
  "[::1]",
  "localhost",
  "EXAMPLE.com",
);
const tails = fc.string({
  unit: fc.constantFrom(
    ...Array.from("aZ09-._~!$&'()*+,;=:@/?#%[]{}|\\^` \"<>üé日"),
    "%2e",
    "%2E",
    "/.",
    "/..",
    "%41",
    "😀",
  ),
  maxLength: 20,
});
const links = fc
  .tuple(fc.constantFrom("https://", "http://"), hosts, tails)
  .map(([scheme, host, tail]) => `${scheme}${host}/${tail}`);

const encoded = fc.string({ unit: anyCharacter, maxLength: 12 }).map(encodeURIComponent);
const encodedLinks = fc
  .tuple(fc.domain(), encoded, encoded, encoded)
  .map(([host, path, query, fragment]) => `https://${host}/${path}?${query}#${fragment}`);

test("the fast path for plain links has the same result as the URL parser", () => {
  fc.assert(
    fc.property(links, (link) => {
      // The parser leaves a few characters bare that we encode, and knows nothing of HTML.
      fc.pre(!/[[\]{}|\\^`]|%(?![\dA-Fa-f]{2})|&(?:amp|#0*38);/.test(link.replace("[::1]", "")));
      assert.equal(read(link), URL.parse(link)?.href ?? "not_an_address");
    }),
    { numRuns: 400 },
  );
});

test("an accepted link is printable ASCII within the limit, and is accepted again unchanged", () => {
  fc.assert(
    fc.property(fc.oneof(links, encodedLinks, fc.string({ unit: anyCharacter })), (link) => {
      const address = parseUrl(link, store);
      if (address.kind === "invalid") return;
      assert.match(address.value, /^https?:\/\/[!-~]+$/);
      assert.doesNotMatch(
        address.value.replace(/^https?:\/\/\[[^\]]*\]/, ""),
        /[\\^`{|}[\]"<>]|%(?![\dA-Fa-f]{2})/,
      );
      assert.ok(address.value.length <= 2_000);
      assert.deepEqual(parseUrl(address.value), address);
    }),
    { numRuns: 400 },
  );
});
