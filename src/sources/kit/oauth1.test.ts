import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { callerOf, type AuthState } from "../../../test/fakes/woocommerce-auth.ts";
import { signedUrl } from "./oauth1.ts";

const keys = { key: "ck_1", secret: "cs_2" };
const auth = (): AuthState => ({
  keys,
  stripsAuthorization: false,
  seesTls: false,
  home: "http://shop.example/store",
  nonces: new Set(),
  clockAheadS: 0,
  permission: "read",
});
const signing = (nonce: string) => ({
  ...keys,
  origin: "http://shop.example",
  nonce,
  timestampS: Math.floor(Date.now() / 1_000),
});

describe("a signed request", () => {
  test("is accepted by a server that knows the secret, whatever its parameters are", () => {
    const anyQuery = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(anyQuery, (query) => {
        const search = new URLSearchParams(query).toString();
        const address = `http://10.0.0.7:8080/store/wp-json/wc/v3/products?${search}`;

        const url = new URL(signedUrl(address, signing("n")));

        assert.equal(url.host, "10.0.0.7:8080");
        assert.equal(callerOf(url, {}, auth()), "user");
      }),
    );
  });

  test("does not contain the secret, and is refused after any change", () => {
    const url = new URL(signedUrl("http://shop.example/wp-json/wc/v3/products?per_page=1", signing("n")));
    const changed = new URL(url);
    changed.searchParams.set("per_page", "2");

    assert.doesNotMatch(url.href, /cs_2/);
    assert.equal(callerOf(changed, {}, auth()), "wrongSignature");
  });

  test("is refused the second time", () => {
    const [url, one] = [new URL(signedUrl("http://shop.example/", signing("n"))), auth()];

    assert.equal(callerOf(url, {}, one), "user");
    assert.equal(callerOf(url, {}, one), "usedNonce");
  });
});
