import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkSettings, CONNECTORS, isSourceKind } from "./registry.ts";

function problemsOf(input: Record<string, unknown>): string[] {
  const checked = checkSettings("feed_url", input);
  return checked.kind === "valid"
    ? []
    : checked.problems.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

describe("the registry", () => {
  test("every connector is listed under its own kind", () => {
    for (const [kind, connector] of Object.entries(CONNECTORS)) assert.equal(connector.kind, kind);
  });

  test("every setting has a unique name, a label and a help sentence", () => {
    for (const { fields } of Object.values(CONNECTORS)) {
      assert.equal(new Set(fields.map(({ name }) => name)).size, fields.length);
      for (const { name, label, help } of fields) {
        assert.match(name, /^[a-z][a-z_]*$/);
        assert.ok(label !== "" && help.endsWith("."), name);
      }
    }
  });

  test("names of built-in object properties are no kinds", () => {
    assert.ok(isSourceKind("feed_url"));
    assert.ok(!isSourceKind("constructor") && !isSourceKind("ftp"));
  });
});

describe("checkSettings", () => {
  test("settings and secrets are separated, trimmed, with defaults and without empty ones", () => {
    const checked = checkSettings("feed_url", {
      url: " https://shop.example/feed.csv ",
      username: "me",
      password: "s3cret",
      headers: "",
      store_url: null,
    });

    assert.deepEqual(checked, {
      kind: "valid",
      settings: { url: "https://shop.example/feed.csv", format: "auto", username: "me" },
      secrets: { password: "s3cret" },
    });
  });

  test("all problems are reported at once, each with its pointer", () => {
    assert.deepEqual(problemsOf({ format: "pdf", username: 5, colour: "red" }), [
      `/settings/colour There is no such setting. Settings: ${CONNECTORS.feed_url.fields.map(({ name }) => name).join(", ")}.`,
      "/settings/url Is required.",
      "/settings/format Must be one of: auto, csv, tsv, json, jsonl, xml.",
      "/settings/username Must be a text.",
    ]);
  });

  test("an address must be complete and contain no credentials", () => {
    for (const url of ["shop.example/feed", "ftp://shop.example/feed", "https://", "file:///etc/passwd"]) {
      assert.match(problemsOf({ url })[0] ?? "", /^\/settings\/url Must be a full address/, url);
    }
    assert.match(
      problemsOf({ url: "https://me:secret@shop.example/" })[0] ?? "",
      /use the settings username/,
    );
    assert.match(
      problemsOf({ url: "https://a.example", store_url: "shop" })[0] ?? "",
      /^\/settings\/store_url/,
    );
  });

  test("headers must be valid, and not those that the client sets", () => {
    const url = "https://shop.example/";

    assert.deepEqual(problemsOf({ url, headers: "X-Key: 1\r\nAccept: text/csv\n" }), []);
    for (const headers of [
      "no colon",
      "Bad Name: x",
      "X-Key: caf\u00e9",
      "Host: other",
      "range: bytes=0-1",
    ]) {
      assert.match(problemsOf({ url, headers })[0] ?? "", /^\/settings\/headers/, headers);
    }
  });

  test("a password needs a user name, and a user name has no colon", () => {
    const url = "https://shop.example/";

    assert.match(problemsOf({ url, password: "x" })[0] ?? "", /^\/settings\/username Is required/);
    assert.match(problemsOf({ url, username: "a:b" })[0] ?? "", /colon/);
  });

  test("a setting that is too long is refused", () => {
    assert.match(problemsOf({ url: `https://a.example/${"x".repeat(9_000)}` })[0] ?? "", /longer than/);
  });
});
