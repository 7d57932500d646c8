import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { consumerOf } from "./feed-consumers.ts";

const SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";

const CASES: readonly (readonly [string | undefined, string | null])[] = [
  ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Google"],
  ["AdsBot-Google (+http://www.google.com/adsbot.html)", "Google"],
  ["google-xrawler", "Google"],
  ["Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "Microsoft"],
  ["facebookcatalog/1.0", "Meta"],
  ["facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "Meta"],
  ["Mozilla/5.0 AppleWebKit/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot", "OpenAI"],
  ["Mozilla/5.0 (compatible; ShopBot/2.0; +https://groups.google.com/shopbot)", "ShopBot"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox"],
  [`${SAFARI} Version/18.0 Safari/605.1.15`, "Safari"],
  [`${SAFARI} Chrome/140.0.0.0 Safari/537.36`, "Chrome"],
  [`${SAFARI} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Edge"],
  ["curl/8.5.0", "curl"],
  ["python-requests/2.32.3", "python-requests"],
  ["  Wget/1.24", "Wget"],
  ["<script>alert(1)</script>", null],
  [`x${"y".repeat(10_000)}`, `x${"y".repeat(39)}`],
  ["", null],
  [undefined, null],
];

for (const [userAgent, name] of CASES)
  test(`${JSON.stringify(userAgent?.slice(0, 60))} is ${name}`, () =>
    assert.equal(consumerOf(userAgent), name));

test("whatever is sent, the name is short and harmless", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200, unit: anyCharacter }), (userAgent) => {
      const name = consumerOf(userAgent);
      assert.ok(name === null || /^[A-Za-z0-9._-]{1,40}$/.test(name), name ?? "");
    }),
  );
});
