import assert from "node:assert/strict";
import { test } from "node:test";
import { hostFacts, imageFacts, isHomePage, isSameSite } from "./url-checks.ts";
import { assertAll } from "../../test/assert-cases.ts";

test("a subdomain or parent domain of the store is the same site, other domains are not", () => {
  assert.ok(isSameSite("www.shop.example", "shop.example"));
  assert.ok(isSameSite("de.shop.example", "shop.example"));
  assert.ok(isSameSite("shop.example", "www.shop.example"));
  assert.ok(!isSameSite("myshop.example", "shop.example"));
  assert.ok(!isSameSite("shop.other.example", "shop.example"));
});

test("without a store URL every host counts as the store's own", () => {
  assert.deepEqual(hostFacts("https://a.example/x", null), {
    host: "a.example",
    isPublic: true,
    isOwn: true,
  });
});

test("the home page is recognized, with or without tracking parameters", () => {
  assertAll(isHomePage, true, [
    "https://shop.example",
    "https://shop.example/",
    "https://shop.example/index.php",
    "https://shop.example/en-us/",
    "https://shop.example/de/shop",
    "https://shop.example/?utm_source=feed&utm_medium=cpc",
    "https://shop.example?gclid=1",
  ]);
  assertAll(isHomePage, false, [
    "https://shop.example/stool",
    "https://shop.example/?p=17",
    "https://shop.example/index.php?route=product&product_id=4",
    "https://shop.example/#/stool",
    "https://shop.example/en/stool",
    "https://shop.example/shop/stool",
  ]);
});

const SITE = "https://cdn.shop.example";

const isOtherType = (name: string): boolean => imageFacts(SITE + name).isOtherType;
const isPlaceholder = (name: string): boolean => {
  const facts = imageFacts(SITE + name);
  return facts.isPlaceholder || facts.isLikePlaceholder;
};

test("drawings, documents and videos are not images that Google reads", () => {
  assertAll(isOtherType, true, "/a.svg /a.SVG?v=1 /a.avif#x /x/page.html /a.mp4".split(" "));
  assertAll(
    isOtherType,
    false,
    "/a.jpg /a.JPEG /a.png?v=1.svg /a.webp /image /a.b/c /v1.2 /image.php?id=3".split(" "),
  );
});

test("placeholders are recognized by file name, not by folder", () => {
  assertAll(
    isPlaceholder,
    true,
    "/woocommerce-placeholder-600x600.png /no-image-2048.gif /noimage.jpg /default.jpg /coming_soon.png /image-not-available.jpg?w=1".split(
      " ",
    ),
  );
  assertAll(
    isPlaceholder,
    false,
    "/default/stool.jpg /placeholder/stool.jpg /casino-image.jpg /default-oak-stool.jpg /noimagery.jpg".split(
      " ",
    ),
  );
});
