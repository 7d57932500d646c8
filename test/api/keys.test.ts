/** Managing keys over the API: created with scopes and expiry, listed without their secret, revoked at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Key } from "../../src/contract/keys.ts";
import { createKey } from "../../src/setup/keys.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { ask, runningApi } from "./running-api.ts";
import type { Asked } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi({ hasWorker: false }));
const assertDescribed = await describedBy(api);

type Created = Key & { readonly secret: string };
type Page = { readonly keys: readonly Key[]; readonly next_cursor: string | null };

const as =
  (key: string) =>
  async (path: string, asked: Asked = {}) =>
    ask(`${api.url}/api/v1${path}`, {
      ...asked,
      headers: { authorization: `Bearer ${key}`, ...asked.headers },
    });

async function withAdmin(scopes: readonly string[] = ["admin", "read"]) {
  const catalog = await api.createCatalog();
  const made = await createKey(api.db, { catalogId: catalog.id, name: "owner", scopes, expiresAt: null });
  const call = as(made.key);
  const create = async (body: object) => {
    const answer = await call("/keys", { method: "POST", body });
    assertDescribed("POST /api/v1/keys", answer);
    return answer;
  };
  const revoke = async (body: object) => {
    const answer = await call("/keys", { method: "DELETE", body });
    assertDescribed("DELETE /api/v1/keys", answer);
    return answer;
  };
  return { ...catalog, adminId: made.id, call, create, revoke };
}

test("a key is created with scopes and expiry, works at once, and is shown once", async () => {
  const owner = await withAdmin();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();

  const answer = await owner.create({ name: " export ", scopes: ["write", "read"], expires_at });

  assert.equal(answer.status, 201, answer.text);
  const { secret, ...key } = dataOf<Created>(answer);
  const { name, scopes, state, is_current } = key;
  assert.deepEqual(
    { name, scopes, state, is_current, expires_at: key.expires_at },
    { name: "export", scopes: ["read", "write"], state: "live", is_current: false, expires_at },
  );
  assert.ok(secret.startsWith(key.key.slice(0, -1)));
  const mine = await as(secret)("/keys/current");
  assertDescribed("GET /api/v1/keys/current", mine);
  assert.deepEqual([dataOf<Key>(mine).id, dataOf<Key>(mine).is_current], [key.id, true]);
  const listed = await owner.call("/keys");
  assertDescribed("GET /api/v1/keys", listed);
  assert.ok(!listed.text.includes(secret));
  const { keys } = dataOf<Page>(listed);
  // Keys of the same millisecond have no order.
  assert.deepEqual(keys.map((one) => `${one.name}: ${one.scopes.join()}, ${one.is_current}`).sort(), [
    "export: read,write, false",
    "owner: read,admin, true",
    "test: read, false",
    "test: read,write, false",
  ]);
});

test("keys are listed in pages", async () => {
  const owner = await withAdmin();
  const first = dataOf<Page>(await owner.call("/keys?limit=2"));
  const second = dataOf<Page>(await owner.call(`/keys?limit=2&cursor=${first.next_cursor}`));

  assert.deepEqual([first.keys.length, second.keys.length, second.next_cursor], [2, 1, null]);
  assertProblem(await owner.call("/keys?cursor=x"), 400, "invalid_request");
});

test("keys without the scope admin can neither list, create nor revoke keys", async () => {
  const owner = await withAdmin();
  const body = { name: "x", scopes: ["read"] };

  for (const key of [owner.key, owner.readKey]) {
    const call = as(key);
    assertProblem(await call("/keys"), 403, "insufficient_scope");
    assertProblem(await call("/keys", { method: "POST", body }), 403, "insufficient_scope");
    assertProblem(
      await call("/keys", { method: "DELETE", body: { id: owner.adminId } }),
      403,
      "insufficient_scope",
    );
    assert.equal((await call("/feeds")).status, 200);
  }
});

test("a key with an unknown scope, without one, blank or already expired is refused", async () => {
  const owner = await withAdmin();
  const past = "2020-01-01T00:00:00.000Z";

  for (const body of [
    { name: "x", scopes: ["root"] },
    { name: "x", scopes: [] },
    { name: "  ", scopes: ["read"] },
    { name: "x", scopes: ["read"], expires_at: past },
    { name: "x", scopes: ["read"], expires_at: "tomorrow" },
    { scopes: ["read"] },
  ])
    assertProblem(await owner.create(body), 400, "invalid_request");
});

test("a revoked key answers 401 from then on, stays in the list, and is in the change history", async () => {
  const owner = await withAdmin();
  const { id, secret } = dataOf<Created>(await owner.create({ name: "gone", scopes: ["read"] }));

  assert.equal((await owner.revoke({ id })).status, 200);

  assertProblem(await as(secret)("/feeds"), 401, "unauthorized");
  assertProblem(await owner.revoke({ id }), 404, "not_found");
  const { keys } = dataOf<Page>(await owner.call("/keys"));
  assert.equal(keys.find((key) => key.id === id)?.state, "revoked");
  const { changes } = dataOf<{ changes: { call: string; target: { type: string; id: string } }[] }>(
    await owner.call("/changes"),
  );
  assert.deepEqual(
    changes.map(({ call, target }) => [call, target.type, target.id]),
    [
      ["DELETE /api/v1/keys", "key", id],
      ["POST /api/v1/keys", "key", id],
    ],
  );
});

test("the last key with the scope admin is revoked only with allow_last_admin", async () => {
  const owner = await withAdmin();
  const second = dataOf<Created>(await owner.create({ name: "second", scopes: ["admin"] }));
  assert.equal((await owner.revoke({ id: second.id })).status, 200);

  const refused = assertProblem(await owner.revoke({ id: owner.adminId }), 409, "conflict");
  assert.match(refused.detail, /allow_last_admin/);
  assert.equal((await owner.call("/keys")).status, 200);
  assert.equal((await owner.revoke({ id: owner.adminId, allow_last_admin: true })).status, 200);
  assertProblem(await owner.call("/keys"), 401, "unauthorized");
});

test("of two admin keys that revoke each other concurrently, one stays", async () => {
  for (let round = 0; round < 5; round += 1) {
    const owner = await withAdmin();
    const second = dataOf<Created>(await owner.create({ name: "second", scopes: ["admin"] }));

    const answers = await Promise.all([
      owner.call("/keys", { method: "DELETE", body: { id: second.id } }),
      as(second.secret)("/keys", { method: "DELETE", body: { id: owner.adminId } }),
    ]);

    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
  }
});

test("keys of other catalogs are not found", async () => {
  const [owner, other] = [await withAdmin(), await withAdmin()];

  assertProblem(await owner.revoke({ id: other.adminId }), 404, "not_found");
  assert.equal((await other.call("/keys")).status, 200);
});

test("a catalog has at most 100 active keys", async () => {
  const owner = await withAdmin();
  for (let made = 3; made < 100; made += 1) {
    const input = { catalogId: owner.id, name: "k", scopes: ["read"], expiresAt: null };
    await createKey(api.db, input);
  }

  const refused = assertProblem(await owner.create({ name: "x", scopes: ["read"] }), 409, "conflict");
  assert.match(refused.detail, /100 keys/);
});
