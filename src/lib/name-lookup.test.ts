import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { nameServer } from "../../test/fakes/name-server.ts";
import type { NameRecord } from "../../test/fakes/name-server.ts";
import { tempDir } from "../../test/fresh.ts";
import { nameLookup } from "./name-lookup.ts";
import type { NameLookupOptions } from "./name-lookup.ts";

/** A lookup that asks a server of its own, and a system that knows every name and notes what it was asked for. */
async function lookupBy(records: Readonly<Record<string, NameRecord>>, more: NameLookupOptions = {}) {
  const server = await nameServer(records);
  const leftToSystem: string[] = [];
  const system = async (host: string) => {
    leftToSystem.push(host);
    return ["192.0.2.99"];
  };
  const find = nameLookup({
    servers: [server.address],
    hostsFile: "/nowhere",
    system,
    patienceMs: 200,
    ...more,
  });
  return { find, server, leftToSystem, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

test("a name has all its addresses, those of IPv4 first", async () => {
  await using dns = await lookupBy({
    "hooks.example": ["2001:db8:0:0:0:0:0:1", "192.0.2.1", "192.0.2.2"],
    "six.example": ["2001:db8:0:0:0:0:0:6"],
  });

  assert.deepEqual(await dns.find("hooks.example"), ["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
  assert.deepEqual(await dns.find("six.example"), ["2001:db8::6"]);
  assert.deepEqual(dns.leftToSystem, []);
});

test("a name that many ask for at once is looked up once, and the next time anew", async () => {
  await using dns = await lookupBy({ "hooks.example": ["192.0.2.1"] });

  const found = await Promise.all(Array.from({ length: 20 }, async () => dns.find("hooks.example")));
  await dns.find("hooks.example");

  assert.ok(found.every(([address]) => address === "192.0.2.1"));
  // Each time for both kinds of address.
  assert.equal(dns.server.asked.length, 4);
});

describe("a name server that is silent", () => {
  test("about any number of names holds up no other name", async () => {
    const silent = Array.from({ length: 60 }, (_, i) => `silent-${i}.example`);
    const records = Object.fromEntries(silent.map((name) => [name, "silent" as const]));
    await using dns = await lookupBy({ ...records, "hooks.example": ["192.0.2.1"] }, { patienceMs: 1_000 });
    let waiting = silent.length;
    const failed = silent.map(async (name) => {
      await assert.rejects(dns.find(name), { code: "ETIMEOUT" });
      waiting -= 1;
    });

    const found = await dns.find("hooks.example");

    assert.deepEqual(found, ["192.0.2.1"]);
    assert.equal(waiting, silent.length);
    await Promise.all(failed);
  });

  test("makes the lookup fail, and the system is not asked to wait for it too", async () => {
    await using dns = await lookupBy({ "silent.example": "silent" });

    await assert.rejects(dns.find("silent.example"), { code: "ETIMEOUT" });

    assert.deepEqual(dns.leftToSystem, []);
  });

  test("about IPv6 alone costs a name nothing but a moment", async () => {
    await using dns = await lookupBy({ "half.example": { silentV6: "192.0.2.7" } }, { patienceMs: 1_000 });

    assert.deepEqual(await dns.find("half.example"), ["192.0.2.7"]);
  });
});

test("a name server that fails makes the lookup fail", async () => {
  await using dns = await lookupBy({ "broken.example": "broken" });

  await assert.rejects(dns.find("broken.example"), { code: "ESERVFAIL" });
  assert.deepEqual(dns.leftToSystem, []);
});

describe("the system is asked", () => {
  test("for a name without a dot, and no server is", async () => {
    await using dns = await lookupBy({});

    assert.deepEqual(await dns.find("localhost"), ["192.0.2.99"]);
    assert.deepEqual(dns.server.asked, []);
  });

  test("for names in the hosts file, whatever DNS says of them", async () => {
    await using temp = await tempDir();
    const hostsFile = join(temp.path, "hosts");
    await writeFile(
      hostsFile,
      "127.0.0.1 localhost\n10.0.0.5\tShop.Example alias.example # not.example\n#10.0.0.6 off.example\n",
    );
    const everywhere = ["192.0.2.1"];
    const names = ["shop.example", "alias.example", "not.example", "off.example"];
    const records = Object.fromEntries(names.map((name) => [name, everywhere]));
    await using dns = await lookupBy(records, { hostsFile });

    for (const name of names) await dns.find(name);

    assert.deepEqual(dns.leftToSystem, ["shop.example", "alias.example"]);
  });

  test("for what DNS does not know: a search domain may", async () => {
    await using dns = await lookupBy({ "empty.example": [] });

    assert.deepEqual(await dns.find("shop.svc"), ["192.0.2.99"]);
    assert.deepEqual(await dns.find("empty.example"), ["192.0.2.99"]);
    assert.deepEqual(dns.leftToSystem, ["shop.svc", "empty.example"]);
  });
});
