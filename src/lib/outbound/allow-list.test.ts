import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../errors.ts";
import { type AllowList, opensAddress, opensName, parseAllowList } from "./allow-list.ts";
import { parseAddress } from "./ip-ranges.ts";

function opensText(allow: AllowList, text: string): boolean {
  const address = parseAddress(text);
  assert.ok(address, text);
  return opensAddress(allow, address);
}

test("an entry allows only what it names", () => {
  const allow = parseAllowList(["10.1.0.0/16", "192.168.1.5", "[fd00::5]", "fd01::/16", "shop.internal"]);

  for (const open of ["10.1.0.0", "10.1.255.255", "192.168.1.5", "::ffff:10.1.2.3", "fd00::5", "fd01::7"]) {
    assert.ok(opensText(allow, open), open);
  }
  for (const shut of [
    "10.0.255.255",
    "10.2.0.0",
    "192.168.1.4",
    "192.168.1.6",
    "fd00::6",
    "fd02::1",
    "::1",
  ]) {
    assert.ok(!opensText(allow, shut), shut);
  }
  assert.ok(opensName(allow, "shop.internal"));
  for (const name of ["internal", "a.shop.internal", "shop.internal.", "shop.internal.example"]) {
    assert.ok(!opensName(allow, name), name);
  }
});

test("names are kept as the URL parser writes them", () => {
  const allow = parseAllowList(["Shop.Internal", "bücher.test", "my_host"]);

  assert.deepEqual([...allow.names], ["shop.internal", "xn--bcher-kva.test", "my_host"]);
});

test("allowing everything does not allow loopback, link-local or metadata addresses", () => {
  const allow = parseAllowList(["0.0.0.0/0", "::/0"]);

  assert.ok(opensText(allow, "10.0.0.1"));
  assert.ok(opensText(allow, "fd12::1"));
  for (const shut of ["127.0.0.1", "169.254.169.254", "0.0.0.0", "100.100.100.200", "::1", "fe80::1"]) {
    assert.ok(!opensText(allow, shut), shut);
  }
  for (const shut of ["fd00:ec2::254", "64:ff9b::7f00:1", "::127.0.0.1", "2002:a9fe:a9fe::"]) {
    assert.ok(!opensText(allow, shut), shut);
  }
});

test("blank entries are ignored", () => {
  assert.deepEqual(parseAllowList(["", "  "]), { names: new Set(), ranges: [], loopback: false });
});

test("every invalid entry is listed with its reason", () => {
  const bad = [
    "10.0.0.0/33",
    "10.0.0.1/8",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10/8",
    "fd00::/129",
    "fd00::1/8",
    "::ffff:10.0.0.0/104",
    "fe80::1%eth0",
    "127.1",
    "0x7f000001",
    "１２７.０.０.１",
    "http://shop.internal",
    "shop.internal:8080",
    "*.internal",
    "user@shop.internal",
    "two words",
    "shop..internal",
    "[::1",
    "256.1.1.1",
  ];

  assert.throws(
    () => parseAllowList(["10.0.0.0/8", ...bad]),
    (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "config_invalid");
      assert.equal(error.fields.length, bad.length);
      for (const entry of bad) assert.ok(error.message.includes(`"${entry}"`), entry);
      return true;
    },
  );
});
