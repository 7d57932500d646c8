import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type NameRecord, nameServer } from "../../../test/fakes/name-server.ts";
import { tempDir } from "../../../test/fresh.ts";
import { nameLookup, type NameLookupOptions } from "./name-lookup.ts";

/** A lookup that asks a server of its own, and a system that knows every name and notes what it was asked for. */
async function lookupBy(records: Readonly<Record<string, NameRecord>>, more: NameLookupOptions = {}) {
  const server = await nameServer(records);
  const leftToSystem: string[] = [];
  const system = async (host: string) => {
    leftToSystem.push(host);
    return ["192.0.2.99"];
  };
  const files = { hostsFile: "/nowhere", resolvFile: "/nowhere" };
  const names = nameLookup({ servers: [server.address], ...files, system, timeoutMs: 400, ...more });
  return {
    ...names,
    server,
    leftToSystem,
    [Symbol.asyncDispose]: async () => {
      names.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A configuration file that can be rewritten. */
async function machineFile(text: string) {
  const folder = await tempDir();
  const path = join(folder.path, "file");
  await writeFile(path, text);
  return {
    path,
    rewrite: async (now: string) => writeFile(path, now),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

test("a name has all its addresses, those of IPv4 first", async () => {
  await using dns = await lookupBy({
    "hooks.example": ["2001:db8:0:0:0:0:0:1", "192.0.2.1", "192.0.2.2"],
    "six.example": ["2001:db8:0:0:0:0:0:6"],
  });

  assert.deepEqual(await dns.find("hooks.example"), ["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
  assert.deepEqual(await dns.find("six.example"), ["2001:db8::6"]);
});

test("concurrent lookups of a name share one query, and the next one queries again", async () => {
  await using dns = await lookupBy({ "hooks.example": ["192.0.2.1"] });

  const found = await Promise.all(Array.from({ length: 20 }, async () => dns.find("hooks.example")));
  await dns.find("hooks.example");

  assert.ok(found.every(([address]) => address === "192.0.2.1"));
  // Each time for both kinds of address.
  assert.equal(dns.server.asked.length, 4);
});

describe("a name server that is silent", () => {
  test("for any number of names delays no other name", async () => {
    const silent = Array.from({ length: 60 }, (_, i) => `silent-${i}.example`);
    const records = Object.fromEntries(silent.map((name) => [name, "silent" as const]));
    await using dns = await lookupBy({ ...records, "hooks.example": ["192.0.2.1"] }, { timeoutMs: 2_000 });
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

  test("is not an answer that the name does not exist: the system is not asked", async () => {
    await using resolv = await machineFile("search example\noptions ndots:2\n");
    const records = { "shop.dev.example": "silent", "shop.dev": ["192.0.2.1"] } as const;
    await using dns = await lookupBy(records, { resolvFile: resolv.path });

    await assert.rejects(dns.find("shop.dev"), { code: "ETIMEOUT" });

    assert.ok(dns.server.asked.every((name) => name === "shop.dev.example"));
  });

  for (const only of ["192.0.2.7", "2001:db8::7"]) {
    test(`about the other address family delays ${only} only briefly`, async () => {
      const full = only.replace("::", ":0:0:0:0:0:");
      await using dns = await lookupBy({ "half.example": { only: full } }, { timeoutMs: 60_000 });

      assert.deepEqual(await dns.find("half.example"), [only]);
    });
  }

  test("is not waited for when the lookup is closed", async () => {
    await using dns = await lookupBy({ "silent.example": "silent" }, { timeoutMs: 60_000 });
    const found = dns.find("silent.example");
    const failed = assert.rejects(found, { code: "ECANCELLED" });
    while (dns.server.asked.length < 2) await delay(1);

    dns.close();

    await failed;
  });
});

test("a name server that fails makes the lookup fail", async () => {
  await using dns = await lookupBy({ "broken.example": "broken" });

  await assert.rejects(dns.find("broken.example"), { code: "ESERVFAIL" });
});

test("a malformed answer for one name does not affect concurrent lookups", async () => {
  await using dns = await lookupBy({ "hooks.example": ["192.0.2.1"], "bad.example": "nonsense" });

  const bad = assert.rejects(dns.find("bad.example"));
  const found = await Promise.all([dns.find("hooks.example"), dns.find("hooks.example.")]);
  await bad;

  assert.deepEqual(found, [["192.0.2.1"], ["192.0.2.1"]]);
});

describe("a search domain whose servers fail", () => {
  for (const failing of ["broken", "nonsense"] as const) {
    test(`(${failing}) does not hide a public name, and is the reason if there is none`, async () => {
      await using resolv = await machineFile("search corp.example\noptions ndots:5\n");
      const records = {
        "shop.test": ["192.0.2.1"],
        "shop.test.corp.example": failing,
        "gone.test.corp.example": failing,
      } as const;
      await using dns = await lookupBy(records, { resolvFile: resolv.path });

      assert.deepEqual(await dns.find("shop.test"), ["192.0.2.1"]);
      await assert.rejects(dns.find("gone.test"), ({ code }: NodeJS.ErrnoException) => code !== "ENOTFOUND");
    });
  }
});

test("a slow answer is waited for, however fast the others were", async () => {
  await using dns = await lookupBy(
    { "fast.example": ["192.0.2.1"], "slow.example": { after: 1_500, addresses: ["192.0.2.2"] } },
    { timeoutMs: 8_000 },
  );
  for (let i = 0; i < 60; i += 1) await dns.find("fast.example");

  assert.deepEqual(await dns.find("slow.example"), ["192.0.2.2"]);
});

test("the server that was silent is not asked first the next time", async () => {
  await using dead = await nameServer({ "hooks.example": "silent" });
  await using alive = await nameServer({ "hooks.example": ["192.0.2.1"] });
  const servers = [dead.address, alive.address];
  await using dns = await lookupBy({}, { servers, timeoutMs: 800 });

  await dns.find("hooks.example");
  const askedOnce = dead.asked.length;
  await dns.find("hooks.example");

  assert.ok(askedOnce > 0);
  assert.equal(dead.asked.length, askedOnce);
});

describe("the hosts file", () => {
  const HOSTS =
    "127.0.0.1 localhost\n10.0.0.5\tShop.Example alias.example # not.example\n#10.0.0.6 off.example\n";

  test("takes precedence for its names, with and without a final dot", async () => {
    await using hosts = await machineFile(`${HOSTS}fd00::5 shop.example\n10.0.0.7 db\n`);
    const records = Object.fromEntries(
      ["shop.example", "not.example", "off.example"].map((name) => [name, ["192.0.2.1"]]),
    );
    await using dns = await lookupBy(records, { hostsFile: hosts.path });

    assert.deepEqual(await dns.find("shop.example"), ["10.0.0.5", "fd00::5"]);
    assert.deepEqual(await dns.find("shop.example."), ["10.0.0.5", "fd00::5"]);
    assert.deepEqual(await dns.find("alias.example"), ["10.0.0.5"]);
    assert.deepEqual(await dns.find("db"), ["10.0.0.7"]);
    assert.deepEqual(await dns.find("not.example"), ["192.0.2.1"]);
    assert.deepEqual(await dns.find("off.example"), ["192.0.2.1"]);
    assert.deepEqual(dns.leftToSystem, []);
  });

  test("is read again when it has changed, also if it was empty for a moment", async () => {
    await using hosts = await machineFile(HOSTS);
    await using dns = await lookupBy({ "shop.example": ["192.0.2.1"] }, { hostsFile: hosts.path });
    assert.deepEqual(await dns.find("shop.example"), ["10.0.0.5"]);

    await hosts.rewrite("");
    assert.deepEqual(await dns.find("shop.example"), ["192.0.2.1"]);
    await hosts.rewrite(HOSTS.replace("10.0.0.5", "10.0.0.55"));
    assert.deepEqual(await dns.find("shop.example"), ["10.0.0.55"]);
  });
});

describe("a short name", () => {
  test("is tried with the search domains first, as by the system", async () => {
    await using resolv = await machineFile(
      "nameserver 192.0.2.53\nsearch prod.svc.cluster.local svc.cluster.local\noptions ndots:5\n",
    );
    const records = { "pub.dev.svc.cluster.local": ["10.0.0.1"], "pub.dev": ["192.0.2.1"] };
    await using dns = await lookupBy(records, { resolvFile: resolv.path });

    assert.deepEqual(await dns.find("pub.dev"), ["10.0.0.1"]);
    assert.deepEqual(await dns.find("pub.dev."), ["192.0.2.1"]);
  });

  test("is tried as it is first if it has enough dots", async () => {
    await using resolv = await machineFile("search corp.example\n");
    const records = { "shop.example": ["192.0.2.1"], "shop.example.corp.example": ["10.0.0.1"] };
    await using dns = await lookupBy(
      { ...records, "wiki.corp.example": ["10.0.0.2"] },
      { resolvFile: resolv.path },
    );

    assert.deepEqual(await dns.find("shop.example"), ["192.0.2.1"]);
    assert.deepEqual(await dns.find("wiki"), ["10.0.0.2"]);
  });
});

test("a local name is left to the system if DNS fails for it", async () => {
  await using dns = await lookupBy({ "nas.local": "broken", "mute.local": "silent" });

  assert.deepEqual(await dns.find("nas.local"), ["192.0.2.99"]);
  assert.deepEqual(await dns.find("mute.local"), ["192.0.2.99"]);
});

describe("a name that DNS does not know", () => {
  test("does not exist, and the system is not asked", async () => {
    await using dns = await lookupBy({ "empty.example": [] });

    for (const name of ["gone.example", "empty.example"]) {
      await assert.rejects(dns.find(name), { code: "ENOTFOUND" });
    }
    assert.deepEqual(dns.leftToSystem, []);
  });

  test("is left to the system, one at a time, if it is local", async () => {
    let atOnce = 0;
    let mostAtOnce = 0;
    const system = async (host: string) => {
      mostAtOnce = Math.max(mostAtOnce, (atOnce += 1));
      await delay(5);
      atOnce -= 1;
      if (host === "nobody") throw new Error("nobody");
      return ["10.0.0.9"];
    };
    await using dns = await lookupBy({}, { system });

    const nobody = assert.rejects(dns.find("nobody"));
    const found = await Promise.all(["printer.local", "db", "shop.local."].map(dns.find));
    await nobody;

    assert.deepEqual(found, [["10.0.0.9"], ["10.0.0.9"], ["10.0.0.9"]]);
    assert.equal(mostAtOnce, 1);
  });
});

test("localhost is always this machine", async () => {
  await using dns = await lookupBy({ localhost: ["192.0.2.1"], "shop.localhost": ["192.0.2.1"] });

  for (const name of ["localhost", "shop.localhost", "localhost."]) {
    assert.deepEqual(await dns.find(name), ["127.0.0.1", "::1"]);
  }
  assert.deepEqual(dns.server.asked, []);
});
