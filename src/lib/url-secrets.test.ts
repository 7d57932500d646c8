import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maskUrl, secretsInUrl, unmaskUrl } from "./url-secrets.ts";

const MASKED: readonly (readonly [url: string, masked: string])[] = [
  ["https://shop.example/feed.csv?token=abc", "https://shop.example/feed.csv?token=***"],
  [
    "https://shop.example/f?lang=de&API-Key=a%20b&page=1#top",
    "https://shop.example/f?lang=de&API-Key=***&page=1#top",
  ],
  [
    "https://s.example/f?X-Amz-Signature=aa&access_token=b=c",
    "https://s.example/f?X-Amz-Signature=***&access_token=***",
  ],
  ["https://ada:pw@shop.example/?p%61ssword=x", "https://***@shop.example/?p%61ssword=***"],
  [
    "https://shop.example/token=abc?sort_key=id&keyword=mug&token=",
    "https://shop.example/token=abc?sort_key=id&keyword=mug&token=",
  ],
  ["sample:shop.csv", "sample:shop.csv"],
  ["", ""],
];

for (const [url, masked] of MASKED)
  test(`${url || "an empty address"} is shown as ${masked || "it is"}`, () => {
    assert.equal(maskUrl(url), masked);
    assert.equal(maskUrl(masked), masked);
    assert.equal(unmaskUrl(masked, url), url);
  });

test("law: a masked address that comes back is the stored address again, and shows no secret of it", () => {
  const text = fc.stringMatching(/^[A-Za-z0-9%=+ü-]{4,20}$/);
  const name = fc.constantFrom("token", "key", "page", "password", "sig", "q");
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text), { maxLength: 6 }), (parameters) => {
      const url = `https://shop.example/f?${parameters.map((pair) => pair.join("=")).join("&")}`;

      assert.equal(unmaskUrl(maskUrl(url), url), url);
      assert.equal(unmaskUrl(url, undefined), url);
      assert.deepEqual(secretsInUrl(maskUrl(url)), []);
    }),
  );
});

test("other parts of a masked address may change, but its secrets are not sent to another host", () => {
  const stored = "https://shop.example/f?token=abc&page=1";

  assert.equal(
    unmaskUrl("https://shop.example/g?page=2&token=***", stored),
    "https://shop.example/g?page=2&token=abc",
  );
  assert.equal(unmaskUrl("https://evil.example/f?token=***", stored), null);
  assert.equal(unmaskUrl("http://shop.example/f?token=***", stored), null);
  assert.equal(unmaskUrl("https://shop.example/f?key=***", stored), null);
  assert.equal(unmaskUrl("https://shop.example/f?token=***&token=***", stored), null);
  assert.equal(unmaskUrl("https://shop.example/f?token=***", undefined), null);
});

test("the secrets of an address are listed as written and decoded; short ones are not", () => {
  assert.deepEqual(secretsInUrl("https://shop.example/?token=a%20bc&key=xyz&page=1234"), ["a%20bc", "a bc"]);
});
