import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOf, isPublicHost } from "./public-host.ts";
import { assertAll, assertCases } from "../../test/assert-cases.ts";

test("hostOf returns the host without port, path and query", () => {
  assertCases(hostOf, [
    ["https://shop.example/a/b?c", "shop.example"],
    ["http://shop.example:8080/a", "shop.example"],
    ["https://shop.example?x=/", "shop.example"],
    ["https://shop.example", "shop.example"],
    ["http://[2001:db8::1]:80/a", "[2001:db8::1]:80"],
  ]);
});

test("IP addresses, single labels and names of private networks are not public", () => {
  for (const host of [
    "192.0.2.7",
    "8.8.8.8",
    "[2001:db8::1]",
    "localhost",
    "localhost.",
    "intranet",
    "nas.local",
    "shop.internal",
    "a.test",
  ])
    assert.ok(!isPublicHost(host), host);
  assertAll(isPublicHost, true, [
    "shop.example",
    "a.b.co",
    "xn--bcher-kva.example",
    "shop24.example",
    "local.example",
    "shop.example.",
  ]);
});
