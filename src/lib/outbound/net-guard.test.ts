import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { AppError } from "../../errors.ts";
import { parseAllowList } from "./allow-list.ts";
import { httpClient } from "./http-client.ts";
import { HttpFailure } from "./http-failure.ts";
import { type Address, parseAddress, type IpRange, SPECIAL_IPV4, SPECIAL_IPV6 } from "./ip-ranges.ts";
import {
  HOSTILE_ANSWERS,
  HOSTILE_HOSTS,
  HOSTILE_IPV4,
  HOSTILE_URLS,
  ipv4Spellings,
  ipv6Spellings,
  mappedSpellings,
  nat64Spellings,
  PUBLIC_HOSTS,
  tunnelSpellings,
} from "./net-guard.corpus.ts";
import { checkTarget, needsTls, parseHost, parseTarget, vettedAddresses } from "./net-guard.ts";

const nothing = parseAllowList([]);
const { signal } = new AbortController();

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.code === "target_forbidden";
const isForbidden = (error: unknown): boolean => error instanceof HttpFailure && error.kind === "forbidden";

/** Fails the test if a name is resolved that the test did not expect. */
async function noLookup(host: string): Promise<never> {
  assert.fail(`nobody should resolve ${host}`);
}

describe("against a listener on loopback", () => {
  let reached = 0;
  const listener = createServer(({ url = "/" }, response) => {
    if (url.startsWith("/?to=")) {
      response.writeHead(302, { location: decodeURIComponent(url.slice(5)) }).end();
      return;
    }
    reached++;
    response.end("reached");
  });
  let port = 0;
  let connections = 0;

  before(async () => {
    listener.on("connection", () => connections++).listen(0);
    await once(listener, "listening");
    const address = listener.address();
    assert.ok(typeof address === "object" && address !== null);
    port = address.port;
  });
  after(() => listener.close());

  test("the listener is reached when it is allowed, so its count is meaningful", async () => {
    const client = httpClient({ allowPrivate: ["127.0.0.1"], userAgent: "test" });
    const earlier = connections;

    const answer = await client.request({ url: `http://127.0.0.1:${port}/`, signal });

    assert.equal(answer.status, 200);
    assert.equal(connections, earlier + 1);
    assert.equal(reached, 1);
    await client.close();
  });

  const hosts = [
    ...HOSTILE_HOSTS,
    ...HOSTILE_IPV4.flatMap(ipv4Spellings),
    ...HOSTILE_IPV4.flatMap(tunnelSpellings),
    ...HOSTILE_IPV4.flatMap(nat64Spellings),
  ];
  const urls = [
    ...HOSTILE_URLS,
    ...hosts.map((host) => `http://${host}:{port}/`),
    ...HOSTILE_HOSTS.map((host) => `https://${host}/`),
  ];

  test(`none of ${urls.length} hostile addresses opens a connection or asks a resolver`, async () => {
    const client = httpClient({ allowPrivate: [], userAgent: "test", lookup: noLookup });
    const earlier = connections;
    assert.ok(new Set(urls).size >= 200);

    for (const template of urls) {
      const url = template.replaceAll("{port}", String(port));
      await assert.rejects(client.request({ url, signal }), isForbidden, url);
      await assert.rejects(checkTarget(url, { resolve: false, allow: nothing }), isRefusal, url);
    }

    assert.equal(connections, earlier);
    await client.close();
  });

  test("a name is refused if any of its addresses is forbidden", async () => {
    const earlier = connections;

    for (const answers of HOSTILE_ANSWERS) {
      const lookup = async () => answers;
      const client = httpClient({ allowPrivate: [], userAgent: "test", lookup });
      const url = `http://shop.example:${port}/`;
      await assert.rejects(client.request({ url, signal }), isForbidden, answers.join());
      await assert.rejects(checkTarget(url, { resolve: true, allow: nothing, lookup }), isRefusal);
      await client.close();
    }

    assert.equal(connections, earlier);
  });

  test("local names are refused by the addresses that the system resolves", async () => {
    const client = httpClient({ allowPrivate: [], userAgent: "test" });
    const earlier = connections;

    await assert.rejects(client.request({ url: `http://localhost:${port}/`, signal }), isForbidden);
    await assert.rejects(client.request({ url: `http://LOCALHOST:${port}/`, signal }), isForbidden);

    assert.equal(connections, earlier);
    await client.close();
  });

  test("a redirect to a private address is refused, and the message does not say where it led", async () => {
    const client = httpClient({ allowPrivate: ["127.0.0.1"], userAgent: "test", lookup: noLookup });
    const locations = [
      `http://127.0.0.2:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.2]:${port}/`,
      `//127.0.0.3:${port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "http://[fd00:ec2::254]/latest/meta-data/",
      "http://10.0.0.1/",
      "http://0xa9fea9fe/",
      "http://user:secret@shop.example/",
      "http://shop.example:22/",
      "file:///etc/passwd",
      "ftp://127.0.0.1/",
      "gopher://127.0.0.1/_",
      "data:,x",
    ];

    const earlier = reached;

    for (const location of locations) {
      const url = `http://127.0.0.1:${port}/?to=${encodeURIComponent(location)}`;
      await assert.rejects(client.request({ url, signal }), (error) => {
        assert.ok(isForbidden(error), location);
        assert.match(String(error), /: 127\.0\.0\.1 redirects to a target that is not allowed/);
        return true;
      });
    }

    assert.equal(reached, earlier);
    await client.close();
  });

  test("a name that was public when it was checked is checked again on each request", async () => {
    const answers = [["93.184.215.14"], ["127.0.0.1"]];
    const lookup = async () => answers.shift() ?? [];
    const url = `http://rebinding.example:${port}/`;
    const client = httpClient({ allowPrivate: [], userAgent: "test", lookup });
    const earlier = connections;

    await checkTarget(url, { resolve: true, allow: nothing, lookup });
    await assert.rejects(client.request({ url, signal }), isForbidden);

    assert.equal(connections, earlier);
    assert.equal(answers.length, 0);
    await client.close();
  });
});

function isHostile(url: string, allow: ReturnType<typeof parseAllowList>): boolean {
  try {
    parseTarget(url, allow);
    return false;
  } catch {
    return true;
  }
}

test("public addresses pass in every spelling, on web ports and free ones", () => {
  assert.ok(PUBLIC_HOSTS.length >= 20);
  for (const host of PUBLIC_HOSTS) {
    for (const port of ["", ":80", ":443", ":1024", ":8443", ":65535"]) {
      assert.doesNotThrow(() => parseTarget(`https://${host}${port}/feed.csv?a=1`, nothing), host);
    }
  }
});

test("a public name passes with all its addresses, resolved once", async () => {
  const answers = ["93.184.215.14", "2606:4700:4700::1111", "64:ff9b::5db8:d70e"];
  const asked: string[] = [];
  const lookup = async (host: string) => {
    asked.push(host);
    return answers;
  };

  const vetted = await vettedAddresses("shop.example", { allow: nothing, lookup });

  assert.deepEqual(vetted, answers);
  assert.deepEqual(asked, ["shop.example"]);
});

function anyAddressIn(cidr: string): fc.Arbitrary<Address> {
  const { network, bits } = toRange(cidr);
  return fc.array(fc.nat(255), { minLength: network.length, maxLength: network.length }).map((noise) =>
    network.map((byte, index) => {
      const free = 0xff >> Math.min(8, Math.max(0, bits - index * 8));
      return byte | ((noise[index] ?? 0) & free);
    }),
  );
}

function toRange(cidr: string): IpRange {
  const [text = "", bits] = cidr.split("/");
  return { network: parseAddress(text) ?? [], bits: Number(bits) };
}

test("law: a reserved address is refused in every spelling", () => {
  const hosts = fc.oneof(
    fc
      .constantFrom(...SPECIAL_IPV4)
      .chain(anyAddressIn)
      .map((address) => [
        ...ipv4Spellings(address),
        ...tunnelSpellings(address),
        ...nat64Spellings(address),
        ...mappedSpellings(address),
      ]),
    fc
      .constantFrom(...SPECIAL_IPV6)
      .chain(anyAddressIn)
      .map(ipv6Spellings),
  );
  fc.assert(
    fc.property(hosts, (spellings) => {
      for (const host of spellings)
        assert.throws(() => parseTarget(`http://${host}/`, nothing), isRefusal, host);
    }),
    { numRuns: 300 },
  );
});

test("law: an IPv4 address has the same result in every spelling", () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const verdicts = ipv4Spellings(parseAddress(text) ?? []).map((host) =>
        isHostile(`http://${host}/`, nothing),
      );
      assert.equal(new Set(verdicts).size, 1, text);
    }),
  );
});

test("law: a private address is allowed only by an entry that contains it", () => {
  const anyPrivate = anyAddressIn("10.0.0.0/8").map((address) => address.join("."));
  fc.assert(
    fc.property(anyPrivate, anyPrivate, (allowed, called) => {
      const allow = parseAllowList([allowed]);
      assert.equal(isHostile(`http://${called}/`, allow), allowed !== called);
    }),
  );
});

test("a host name allows whatever it resolves to, on any port, and no other name", async () => {
  const allow = parseAllowList(["shop.internal"]);
  const lookup = async () => ["127.0.0.1", "10.0.0.1"];

  await checkTarget("http://shop.internal:22/", { resolve: true, allow, lookup });
  await assert.rejects(checkTarget("http://other.internal/", { resolve: true, allow, lookup }), isRefusal);
});

test("an allowed network allows names all of whose addresses are in it", async () => {
  const allow = parseAllowList(["10.0.0.0/8"]);
  const check = (answers: string[]) =>
    checkTarget("http://shop.internal/", { resolve: true, allow, lookup: async () => answers });

  await check(["10.0.0.1", "10.255.0.1", "8.8.8.8"]);
  await assert.rejects(check(["10.0.0.1", "192.168.0.1"]), isRefusal);
});

test("a refusal names the setting and the typed host, and never what the name resolved to", async () => {
  const lookup = async () => ["10.20.30.40"];

  await assert.rejects(
    checkTarget("http://shop.internal/", { resolve: true, allow: nothing, lookup }),
    (error) => {
      assert.ok(error instanceof AppError);
      assert.match(error.message, /^shop\.internal /);
      assert.match(error.message, /ALLOW_PRIVATE_TARGETS/);
      assert.doesNotMatch(error.message, /10\.20\.30\.40/);
      return true;
    },
  );
});

test("a refusal never contains the password", () => {
  assert.throws(
    () => parseTarget("https://user:hunter2@shop.example/", nothing),
    (error) => error instanceof AppError && !error.message.includes("hunter2"),
  );
});

test("a name that does not resolve is not refused by the guard", async () => {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  };

  await assert.doesNotReject(
    checkTarget("https://not-yet.example/", { resolve: true, allow: nothing, lookup }),
  );

  assert.deepEqual(asked, ["not-yet.example"]);
});

test("plain http is for targets that are named in the allow list", () => {
  const allow = parseAllowList(["10.0.0.0/8", "shop.internal"]);

  assert.ok(!needsTls("https://shop.example/", allow));
  assert.ok(!needsTls("http://10.1.2.3:9000/hook", allow));
  assert.ok(!needsTls("http://0xa010203/hook", allow));
  assert.ok(!needsTls("http://SHOP.internal/hook", allow));
  for (const url of [
    "http://shop.example/",
    "http://8.8.8.8/",
    "http://192.168.0.1/",
    "ftp://10.1.2.3/",
    "?",
  ]) {
    assert.ok(needsTls(url, allow), url);
  }
});

describe("hosts of protocols without URLs", () => {
  const parse = (host: string, port = 22, allow = nothing) => parseHost(host, { port, ownPort: 22, allow });

  test("a name and a public address pass, in the form of a URL", () => {
    assert.equal(parse("SFTP.Example"), "sftp.example");
    assert.equal(parse("2606:4700:4700::1111"), "2606:4700:4700::1111");
    assert.equal(parse("sftp.example", 2_222), "sftp.example");
  });

  test("hostile addresses are refused in any spelling", () => {
    for (const host of HOSTILE_IPV4.flatMap((address) => ipv4Spellings(address))) {
      assert.throws(() => parse(host), isRefusal, host);
    }
  });

  test("only the protocol's own low port is allowed, unless the operator names the host", () => {
    assert.throws(() => parse("sftp.example", 25), isRefusal);
    assert.equal(parse("sftp.example", 25, parseAllowList(["sftp.example"])), "sftp.example");
  });

  test("a text that is more than a host is refused", () => {
    for (const text of ["", "a/b", "user@host", "host:22", "a b", "http://host", "host#", "[::1]:22"]) {
      assert.throws(() => parse(text), isRefusal, text);
    }
  });
});
