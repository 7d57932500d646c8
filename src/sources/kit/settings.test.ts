import assert from "node:assert/strict";
import { test } from "node:test";
import { apiAddressProblem } from "./settings.ts";

test("https is accepted everywhere, plain http in private networks", () => {
  const good = [
    "https://proxy.example/bc",
    "http://127.0.0.1:8080",
    "http://localhost:9/x",
    "http://[::1]:80",
    "http://10.1.2.3",
    "http://mock:8080",
    "http://shop.test",
    "http://api.internal",
  ];
  for (const address of good) assert.equal(apiAddressProblem(address), null, address);
});

test("plain http to a public host and invalid addresses are refused", () => {
  const bad = [
    "http://proxy.example",
    "http://8.8.8.8",
    "http://[2606:4700::1]",
    "ftp://10.0.0.1",
    "proxy",
    "",
  ];
  for (const address of bad) assert.match(apiAddressProblem(address) ?? "", /https:\/\//, address);
  for (const address of [
    "https://a:b@proxy.example",
    "https://proxy.example/?a=b",
    "https://proxy.example/#x",
  ]) {
    assert.match(apiAddressProblem(address) ?? "", /Must not contain/, address);
  }
});
