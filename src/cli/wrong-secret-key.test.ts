import assert from "node:assert/strict";
import { test } from "node:test";
import { commandLine } from "../../test/command-line.ts";

test("serve and worker refuse a SECRET_KEY that does not decrypt the stored secrets", async () => {
  await using home = await commandLine();
  await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
  const env = { ...home.env, SECRET_KEY: "another key for tests, long enough as well" };

  for (const command of ["serve", "worker"]) {
    const { status, talk } = await home.run([command], { env });

    assert.notEqual(status, 0);
    assert.match(talk, /SECRET_KEY is not the key that the stored secrets were encrypted with/, command);
  }
});
