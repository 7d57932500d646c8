import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maskUrl, secretsInUrl, unmaskUrl } from "./url-secrets.ts";

const MASKED: readonly (readonly [url: string, masked: string])[] = [
  ["https://shop.example/feed.csv?token=abc", "https://shop.example/feed.csv?token=***"],
  [
    "https://shop.example/f?lang=de&API-Key=a%20b&page=1#top",
    "https://shop.example/f?lang=de&API-Key=***&page=1#***",
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
  [
    "https://shop.example/a;v=2/f.csv;jsessionid=A1?lang=de#x",
    "https://shop.example/a;v=***/f.csv;jsessionid=***?lang=de#***",
  ],
  ["https://shop.example/f?lang=de;token=ab;cd&page=1", "https://shop.example/f?lang=de;token=***&page=1"],
  ["https://shop.example/f?0d1f8a7c55e2b9&a#", "https://shop.example/f?***&a#"],
  [
    "https://proxy.example/?u=https%3A%2F%2Fshop.example%2F%3Fhash%3Dab&v=https%3A%2F%2Fshop.example%2Ff.csv",
    "https://proxy.example/?u=***&v=https%3A%2F%2Fshop.example%2Ff.csv",
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

test("a parameter is masked if a word of its name means a secret", () => {
  const secret = `secure_key secureKey feedKey feed_key download_key customerkey securitykey hash export_hash license sid private access
    k x[token] x%5Btoken%5D APIKey userPWD PHPSESSID token2 ToKen client.secret X-Amz-Credential md5 sha256 code authCode Key-Pair-Id`;
  for (const name of secret.split(/\s+/))
    assert.equal(maskUrl(`https://s.example/?${name}=a`), `https://s.example/?${name}=***`);
  const harmless = `format lang limit category keyword sort_key sortKey author passage country_code sidebar design x[page] assignee`;
  for (const name of harmless.split(/\s+/))
    assert.equal(maskUrl(`https://s.example/?${name}=a`).at(-1), "a", name);
});

test("a parameter of any name is masked if its value looks like a random key", () => {
  const secret = `a8f3k29dkq0x 0123456789abcdef f81d4fae-7dec-11d0-a765-00a0c91ce6bf aGVsbG8gd29ybGQ= sk_live_4eC39HqLyjW
    Zx9q-_Qw3.rT7pL2 %61%62c123def456`;
  for (const value of secret.split(/\s+/))
    assert.equal(maskUrl(`https://s.example/?q=${value}`), "https://s.example/?q=***", value);
  const harmless = `csv mugs-and-cups 1234567890123 2026-11-18 20261118T101500Z 2026-11-18T10:15:00+02:00 v1.12.3-beta.2 spring-sale-2026
    id,title,price,image_link2 AWS4-HMAC-SHA256 shop24.myshopify.com 500ml-bottle-blue products_v2_2026-11.csv a1b2c3 Gr%C3%BC%C3%9Fe+aus+K%C3%B6ln`;
  for (const value of harmless.split(/\s+/)) {
    const url = `https://s.example/?q=${value}`;
    assert.equal(maskUrl(url), url);
  }
});

test("law: a masked address that comes back is the stored address again, and shows no secret of it", () => {
  const text = fc.stringMatching(/^[A-Za-z0-9%=+ü;-]{4,20}$/);
  const name = fc.constantFrom("token", "key", "page", "password", "sig", "q", "x[hash]");
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text), { maxLength: 6 }), text, (parameters, end) => {
      const url = `https://shop.example/f;${end}?${parameters.map((pair) => pair.join("=")).join("&")}#${end}`;

      assert.equal(unmaskUrl(maskUrl(url), url), url);
      assert.equal(unmaskUrl(url, undefined), url);
      assert.deepEqual(secretsInUrl(maskUrl(url)), []);
      assert.equal(maskUrl(maskUrl(url)), maskUrl(url));
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
