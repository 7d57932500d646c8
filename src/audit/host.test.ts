import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf, hostSigns, isPublicHost, isSameSite } from "./host.ts";

test("the host stands between the slashes and whatever comes next", () => {
  assert.equal(hostOf("https://shop.example/a/b?c"), "shop.example");
  assert.equal(hostOf("http://shop.example:8080/a"), "shop.example");
  assert.equal(hostOf("https://shop.example?x=/"), "shop.example");
  assert.equal(hostOf("https://shop.example"), "shop.example");
  assert.equal(hostOf("http://[2001:db8::1]:80/a"), "[2001:db8::1]:80");
});

test("numbers, bare words and names of inner networks are not public", () => {
  for (const host of ["192.0.2.7", "[2001:db8::1]", "localhost", "intranet", "nas.local", "shop.internal"])
    assert.ok(!isPublicHost(host), host);
  for (const host of ["shop.example", "a.b.co", "xn--bcher-kva.example", "shop24.example"])
    assert.ok(isPublicHost(host), host);
});

test("a host above or below the store's is the same site, its neighbors are not", () => {
  assert.ok(isSameSite("www.shop.example", "shop.example"));
  assert.ok(isSameSite("de.shop.example", "shop.example"));
  assert.ok(isSameSite("shop.example", "www.shop.example"));
  assert.ok(!isSameSite("myshop.example", "shop.example"));
  assert.ok(!isSameSite("shop.other.example", "shop.example"));
});

test("without a store's address every host is its own", () => {
  assert.deepEqual(hostSigns("https://a.example/x", null), {
    host: "a.example",
    isPublic: true,
    isOwn: true,
  });
});
