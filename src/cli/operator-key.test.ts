import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const home = closeAfterTests(await commandLine());

test("an operator key is created, listed separately from catalog keys, and revoked", async () => {
  await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  const made = await home.data<{ id: string; key: string; scopes: string[] }>("key", "create", "--operator");
  const keysOf = async (...whose: string[]) =>
    (await home.data<{ keys: { id: string; state: string }[] }>("key", "list", ...whose)).keys;

  assert.deepEqual(made.scopes, ["read", "write", "admin", "operator"]);
  assert.deepEqual(await keysOf("--catalog", "shop"), []);
  await home.data("key", "revoke", made.id);
  assert.deepEqual(
    (await keysOf("--operator")).map(({ id, state }) => [id, state]),
    [[made.id, "revoked"]],
  );
});

test("a key is either a catalog's or an operator's, and a catalog's has scopes", async () => {
  for (const options of [
    [],
    ["--catalog", "shop", "--operator"],
    ["--catalog", "shop"],
    ["--operator", "--scopes", "read"],
  ]) {
    const { status, talk } = await home.run(["key", "create", ...options]);
    assert.equal(status, 2, talk);
  }
  const { out } = await home.run(["key", "create", "--help"]);
  assert.match(out.replaceAll(/\s+/g, " "), /required with --catalog, refused with --operator/);
});
