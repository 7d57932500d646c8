import assert from "node:assert/strict";
import { test } from "node:test";
import { imageSigns } from "./image-name.ts";

const SITE = "https://cdn.shop.example";

test("names of drawings, documents and films are no images that Google reads", () => {
  for (const name of ["/a.svg", "/a.SVG?v=1", "/a.avif#x", "/x/page.html", "/a.mp4"])
    assert.ok(imageSigns(SITE + name).isOtherType, name);
  for (const name of [
    "/a.jpg",
    "/a.JPEG",
    "/a.png?v=1.svg",
    "/a.webp",
    "/image",
    "/a.b/c",
    "/v1.2",
    "/image.php?id=3",
  ])
    assert.ok(!imageSigns(SITE + name).isOtherType, name);
});

test("stand-ins are told by their file name, not by their folder", () => {
  for (const name of [
    "/woocommerce-placeholder-600x600.png",
    "/no-image-2048.gif",
    "/noimage.jpg",
    "/default.jpg",
    "/coming_soon.png",
    "/image-not-available.jpg?w=1",
  ])
    assert.ok(imageSigns(SITE + name).isStandIn, name);
  for (const name of [
    "/default/stool.jpg",
    "/placeholder/stool.jpg",
    "/casino-image.jpg",
    "/default-oak-stool.jpg",
    "/noimagery.jpg",
  ])
    assert.ok(!imageSigns(SITE + name).isStandIn, name);
});
