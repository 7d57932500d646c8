import assert from "node:assert/strict";
import { test } from "node:test";
import { type Hop, isRedirect, nextHop } from "./redirect.ts";

const get: Hop = {
  method: "GET",
  url: "https://shop.example/feeds/all.csv?page=1",
  headers: {
    accept: "*/*",
    "accept-encoding": "gzip",
    "user-agent": "test",
    "if-none-match": '"a"',
    "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT",
    authorization: "Bearer secret",
    cookie: "session=secret",
    "x-auth-token": "secret",
    "x-shopify-access-token": "secret",
    "x-anything-else": "secret",
  },
  body: null,
};
const post: Hop = {
  ...get,
  method: "POST",
  headers: { ...get.headers, "content-type": "application/json", "content-length": "2" },
  body: "{}",
};

function follow(from: Hop, status: number, location: string): Hop {
  const next = nextHop(from, status, location);
  assert.ok("hop" in next, location);
  return next.hop;
}

test("only a redirect status with a Location is a redirect", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    assert.ok(isRedirect(status, "/elsewhere"));
    assert.ok(!isRedirect(status, undefined));
  }
  for (const status of [200, 201, 300, 304, 305, 306, 404]) assert.ok(!isRedirect(status, "/elsewhere"));
});

test("a Location is resolved against the URL of the response", () => {
  assert.equal(follow(get, 302, "b.csv").url, "https://shop.example/feeds/b.csv");
  assert.equal(follow(get, 302, "/b.csv").url, "https://shop.example/b.csv");
  assert.equal(follow(get, 302, "//cdn.example/b.csv").url, "https://cdn.example/b.csv");
});

test("within the origin every header is sent", () => {
  assert.deepEqual(follow(get, 301, "https://SHOP.example:443/b.csv").headers, get.headers);
});

test("to another origin only harmless headers are sent", () => {
  const harmless = ["accept", "accept-encoding", "if-modified-since", "if-none-match", "user-agent"];
  for (const elsewhere of [
    "https://cdn.example/",
    "https://shop.example:8443/",
    "https://www.shop.example/",
  ]) {
    assert.deepEqual(Object.keys(follow(get, 302, elsewhere).headers).sort(), harmless, elsewhere);
  }
});

test("a redirect from https to http is refused, from http to https it is not", () => {
  assert.ok("refusal" in nextHop(get, 302, "http://shop.example/feeds/all.csv"));
  assert.ok("refusal" in nextHop(get, 302, "http://cdn.example/"));
  assert.equal(
    follow({ ...get, url: "http://shop.example/" }, 302, "https://shop.example/").url,
    "https://shop.example/",
  );
});

test("a POST becomes a GET without body, unless the status says to repeat it", () => {
  for (const status of [301, 302, 303]) {
    const hop = follow(post, status, "/done");
    assert.equal(hop.method, "GET");
    assert.equal(hop.body, null);
    assert.deepEqual(hop.headers, get.headers);
  }
  for (const status of [307, 308]) {
    assert.deepEqual(follow(post, status, "/again"), { ...post, url: "https://shop.example/again" });
  }
});

test("a request body never goes to another origin", () => {
  assert.ok("refusal" in nextHop(post, 307, "https://cdn.example/"));
  assert.ok("refusal" in nextHop(post, 308, "https://cdn.example/"));
  assert.equal(follow(post, 303, "https://cdn.example/").body, null);
});

test("a Location that is not a URL is refused", () => {
  assert.ok("refusal" in nextHop(get, 302, "http://[::1"));
});
