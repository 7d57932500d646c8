import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type Address,
  isPublic,
  isWithin,
  opens,
  parseAddress,
  type IpRange,
  SPECIAL_IPV4,
  SPECIAL_IPV6,
} from "./ip-ranges.ts";

function parse(text: string): Address {
  const address = parseAddress(text);
  assert.ok(address, text);
  return address;
}

function range(cidr: string): IpRange {
  const [network = "", bits] = cidr.split("/");
  return { network: parse(network), bits: Number(bits) };
}

const anyAddress = fc
  .constantFrom(4, 16)
  .chain((length) => fc.array(fc.nat(255), { minLength: length, maxLength: length }));

function toNumber(address: Address): bigint {
  return address.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}

test("an address is within a range exactly if their leading bits are the same number", () => {
  fc.assert(
    fc.property(anyAddress, anyAddress, fc.nat(128), (address, network, length) => {
      const width = network.length * 8;
      const bits = Math.min(length, width);
      const shift = BigInt(width - bits);
      const expected =
        address.length === network.length && toNumber(address) >> shift === toNumber(network) >> shift;
      assert.equal(isWithin(address, { network, bits }), expected);
    }),
  );
});

test("the first and the last address of every reserved range are not public", () => {
  for (const { network, bits } of [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(range)) {
    const last = network.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, bits - index * 8))));
    assert.equal(isPublic(network), false, network.join());
    assert.equal(isPublic(last), false, last.join());
  }
});

test("only the plain spelling of an address is parsed", () => {
  for (const text of ["127.1", "0x7f.0.0.1", "2130706433", "010.0.0.1", "[::1]", "shop.example", "", "::g"]) {
    assert.equal(parseAddress(text), null, text);
  }
});

test("IPv4-mapped addresses are unwrapped, and zones are dropped", () => {
  assert.deepEqual(parse("::ffff:10.0.0.1"), [10, 0, 0, 1]);
  assert.deepEqual(parse("fe80::1%eth0"), parse("fe80::1"));
});

test("a translated address is as public as the IPv4 address inside", () => {
  fc.assert(
    fc.property(fc.ipV4(), (inside) => {
      assert.equal(isPublic(parse(`64:ff9b::${inside}`)), isPublic(parse(inside)));
    }),
  );
});

test("no entry allows an address outside of it", () => {
  fc.assert(
    // Two random addresses are hardly ever in one range: this one differs from the entry's network in a single bit.
    fc.property(anyAddress, fc.nat(127), fc.nat(128), (network, flipped, length) => {
      const width = network.length * 8;
      const bits = Math.min(length, width);
      const place = flipped % width;
      const address = network.map((byte, at) => (at === place >> 3 ? byte ^ (0x80 >> (place & 7)) : byte));
      assert.equal(isWithin(address, { network, bits }), place >= bits);
      if (place < bits) assert.equal(opens({ network, bits }, address), false);
      if (isPublic(address) && place >= bits) assert.equal(opens({ network, bits }, address), true);
    }),
  );
});

test("a sensitive address is allowed by itself or a part of its range, never by a wider range", () => {
  const cases = [
    ["127.0.0.1", "127.0.0.0/8", "126.0.0.0/7"],
    ["169.254.169.254", "169.254.0.0/16", "0.0.0.0/0"],
    ["100.100.100.200", "100.100.100.200/32", "100.64.0.0/10"],
    ["0.0.0.0", "0.0.0.0/8", "0.0.0.0/0"],
    ["224.0.0.1", "224.0.0.0/24", "192.0.0.0/2"],
    ["::1", "::1/128", "::/96"],
    ["fe80::1", "fe80::/64", "fe00::/7"],
    ["fd00:ec2::254", "fd00:ec2::/32", "fc00::/7"],
    ["64:ff9b::7f00:1", "64:ff9b::7f00:1/128", "64:ff9b::/96"],
    ["2002:7f00:1::", "2002:7f00:1::/128", "2002::/16"],
  ] as const;
  for (const [address, inside, around] of cases) {
    assert.ok(opens(range(inside), parse(address)), inside);
    assert.ok(isWithin(parse(address), range(around)), around);
    assert.ok(!opens(range(around), parse(address)), around);
  }
});
