import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../errors.ts";
import { MAX_WRONG_KEYS, wrongKeyLimit } from "./wrong-keys.ts";

const VALID = "Bearer valid";

function setUp() {
  const clock = { ms: 0 };
  const queries = { count: 0 };
  const limit = wrongKeyLimit(() => clock.ms);
  const call = async (credential: string, address = "192.0.2.1") =>
    limit({ ip: address, headers: { authorization: credential } }, async () => {
      queries.count += 1;
      if (credential !== VALID) throw new AppError("unauthorized", "This API key is unknown.");
      return "caller";
    });
  const code = async (credential: string, address?: string) =>
    call(credential, address).catch((error: unknown) => (error instanceof AppError ? error.code : error));
  return { clock, queries, code };
}

test("after thirty wrong keys in a minute an address is rejected without a query", async () => {
  const { clock, queries, code } = setUp();
  for (let i = 0; i < MAX_WRONG_KEYS; i += 1) assert.equal(await code(`Bearer ${i}`), "unauthorized");

  assert.equal(await code("Bearer one more"), "too_many_wrong_keys");
  assert.equal(queries.count, MAX_WRONG_KEYS);
  assert.equal(await code("Bearer other", "192.0.2.2"), "unauthorized");
  clock.ms += 60_000;
  assert.equal(await code("Bearer later"), "unauthorized");
});

test("a key that was valid before passes from a rejected address", async () => {
  const { code } = setUp();
  assert.equal(await code(VALID), "caller");
  for (let i = 0; i <= MAX_WRONG_KEYS; i += 1) await code(`Bearer ${i}`);

  assert.equal(await code("Bearer guess"), "too_many_wrong_keys");
  assert.equal(await code(VALID), "caller");
});
