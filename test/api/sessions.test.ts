/** Signing in to the console: by a link or by a key, several catalogs in one session, and what ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOperatorKey, createSignInLink } from "../../src/setup/sessions.ts";
import { revokeKey } from "../../src/store/keys.ts";
import { pruneSessions } from "../../src/store/sessions.ts";
import { assertProblem } from "./problem.ts";
import { runningApi } from "./running-api.ts";
import type { Answer } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi({ hasWorker: false }));

type Headers = Readonly<Record<string, string>>;
const CONSOLE: Headers = { "x-shelfwire-console": "1" };

const signIn = async (body: object, headers: Headers = CONSOLE): Promise<Answer> =>
  api.ask("/api/v1/session", { method: "POST", body, headers });

/** The headers that the browser sends after this answer. */
function cookieOf(answer: Answer): Headers {
  assert.equal(answer.status, 201, answer.text);
  const [cookie = ""] = [answer.headers["set-cookie"]].flat();
  return { ...CONSOLE, cookie: cookie.split(";")[0] ?? "" };
}

const catalogs = async (headers: Headers): Promise<readonly string[]> => {
  const answer = await api.ask("/api/v1/catalogs", { headers });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { data: { catalogs: { slug: string }[] } }).data.catalogs.map(({ slug }) => slug);
};

const codeOf = async (): Promise<string> =>
  (await createSignInLink(api.db, "http://console.test")).split("#")[1] ?? "";

test("a key starts a session that can do what the key can do, and nothing more", async () => {
  const shop = await api.createCatalog();

  const answer = await signIn({ key: shop.readKey });
  const session = cookieOf(answer);

  assert.match(String(answer.headers["set-cookie"]), /; HttpOnly; SameSite=Strict$/);
  assert.deepEqual(await catalogs(session), [shop.slug]);
  assert.equal((await api.ask("/api/v1/feeds", { headers: session })).status, 200);
  assertProblem(
    await api.ask("/api/v1/feeds", { method: "POST", headers: session }),
    403,
    "insufficient_scope",
  );
});

test("a request with the cookie but without the header of the console is refused, as from another site's page", async () => {
  const { readKey } = await api.createCatalog();
  const { cookie = "" } = cookieOf(await signIn({ key: readKey }));

  for (const method of ["GET", "POST"] as const)
    assertProblem(await api.ask("/api/v1/feeds", { method, headers: { cookie } }), 401, "unauthorized");
  await api.ask("/api/v1/session", { method: "DELETE", headers: { cookie } });

  const stillOpen = await api.ask("/api/v1/feeds", { headers: { ...CONSOLE, cookie } });
  assert.equal(stillOpen.status, 200);
});

test("a call that the browser marks as coming from another site or subdomain cannot use the session", async () => {
  const { readKey } = await api.createCatalog();
  const session = cookieOf(await signIn({ key: readKey }));
  const from = (site: string) => ({ ...session, "sec-fetch-site": site });

  for (const site of ["cross-site", "same-site", "nonsense"]) {
    const problem = assertProblem(
      await api.ask("/api/v1/feeds", { headers: from(site) }),
      401,
      "unauthorized",
    );
    assert.match(problem.detail, /another site/);
    const signedOut = await api.ask("/api/v1/session", { method: "DELETE", headers: from(site) });
    assertProblem(signedOut, 401, "unauthorized");
    assert.equal(signedOut.headers["set-cookie"], undefined);
  }
  for (const site of ["same-origin", "none"])
    assert.equal((await api.ask("/api/v1/feeds", { headers: from(site) })).status, 200, site);
  const withKey = { authorization: `Bearer ${readKey}`, "sec-fetch-site": "cross-site" };
  assert.equal((await api.ask("/api/v1/feeds", { headers: withKey })).status, 200);
});

test("a sign-in with both a key and a code, or with neither, says that exactly one is needed", async () => {
  const { readKey } = await api.createCatalog();

  for (const [body, got] of [
    [{ key: readKey, code: "abc" }, "key, code"],
    [{}, "none"],
  ] as const) {
    const { detail } = assertProblem(await signIn(body), 400, "invalid_request");
    assert.equal(
      detail,
      `The request's body is invalid. Must have exactly 1 of these fields: key, code. Got ${got}.`,
    );
  }
});

test("a session ends with its key, and with signing out", async () => {
  const shop = await api.createCatalog();
  const first = cookieOf(await signIn({ key: shop.readKey }));
  const second = cookieOf(await signIn({ key: shop.key }));

  await api.ask("/api/v1/session", { method: "DELETE", headers: first });
  const { keyId } = await keyOf(second);
  await revokeKey(api.db, keyId);

  for (const headers of [first, second])
    assertProblem(await api.ask("/api/v1/feeds", { headers }), 401, "unauthorized");
});

async function keyOf({ cookie = "" }: Headers): Promise<{ readonly keyId: string }> {
  const [row] = await api.db.query<{ keyId: string }>({
    text: `select key_id as "keyId" from session_keys
            where token_hash = sha256(convert_to($1, 'UTF8'))`,
    values: [cookie.split("=")[1] ?? ""],
  });
  return row ?? { keyId: "" };
}

test("one session can use several catalogs; each call names its catalog", async () => {
  const [one, two] = [await api.createCatalog(), await api.createCatalog()];
  const first = cookieOf(await signIn({ key: one.readKey }));
  const session = cookieOf(await signIn({ key: two.readKey }, first));

  assert.deepEqual(new Set(await catalogs(session)), new Set([one.slug, two.slug]));
  assertProblem(await api.ask("/api/v1/feeds", { headers: session }), 400, "invalid_request");
  for (const { slug } of [one, two]) {
    const answer = await api.ask("/api/v1/feeds", { headers: { ...session, "shelfwire-catalog": slug } });
    assert.match(answer.text, new RegExp(`/f/${slug}/`));
  }
});

test("signing in gives a new token: one that was known before gets no rights and ends", async () => {
  const [attacker, victim] = [await api.createCatalog(), await api.createCatalog()];
  const planted = cookieOf(await signIn({ key: attacker.readKey }));

  const session = cookieOf(await signIn({ code: await codeOf() }, planted));

  assert.notDeepEqual(session, planted);
  assertProblem(await api.ask("/api/v1/catalogs", { headers: planted }), 401, "unauthorized");
  const scopes = async (slug: string) => {
    const answer = await api.ask("/api/v1/catalogs", { headers: session });
    const { data } = answer.json as { data: { catalogs: { slug: string; scopes: string[] }[] } };
    return data.catalogs.find((catalog) => catalog.slug === slug)?.scopes;
  };
  const all = ["read", "write", "admin", "operator"];
  assert.deepEqual([await scopes(attacker.slug), await scopes(victim.slug)], [all, all]);
});

test("a key cannot use another catalog by naming it", async () => {
  const [own, other] = [await api.createCatalog(), await api.createCatalog()];
  const session = cookieOf(await signIn({ key: own.key }));

  for (const credential of [session, { authorization: `Bearer ${own.key}` }]) {
    const headers = { ...credential, "shelfwire-catalog": other.slug };
    assertProblem(await api.ask("/api/v1/feeds", { headers }), 404, "not_found");
  }
  assert.deepEqual(await catalogs(session), [own.slug]);
});

test("a sign-in link works once, within its time, and opens every catalog", async () => {
  const shop = await api.createCatalog();
  const code = await codeOf();
  const late = await codeOf();

  const answers = await Promise.all(Array.from({ length: 5 }, async () => signIn({ code })));
  const [session] = answers.filter(({ status }) => status === 201).map(cookieOf);
  assert.ok(session);
  assert.equal(answers.filter(({ status }) => status === 401).length, 4);
  await api.db.execute({ text: "update sign_in_codes set expires_at = now()", values: [] });
  assertProblem(await signIn({ code: late }), 401, "unauthorized");
  assertProblem(await signIn({ code: "" }), 401, "unauthorized");

  assert.ok((await catalogs(session)).includes(shop.slug));
  const headers = { ...session, "shelfwire-catalog": shop.slug };
  assert.equal((await api.ask("/api/v1/feeds", { headers })).status, 200);
});

test("an operator key names the catalog of each call", async () => {
  const shop = await api.createCatalog();
  const { key } = await createOperatorKey(api.db, "agency");
  const headers = { authorization: `Bearer ${key}` };

  assert.ok((await catalogs(headers)).includes(shop.slug));
  assertProblem(await api.ask("/api/v1/syncs", { headers }), 400, "invalid_request");
  const named = { ...headers, "shelfwire-catalog": shop.slug };
  assert.equal((await api.ask("/api/v1/syncs", { headers: named })).status, 200);
  const unknown = { ...headers, "shelfwire-catalog": "no-such-shop" };
  assertProblem(await api.ask("/api/v1/syncs", { headers: unknown }), 404, "not_found");
});

test("an operator creates a catalog and uses it at once; others may not", async () => {
  const { key: own } = await api.createCatalog();
  const { key } = await createOperatorKey(api.db, "agency");
  const create = async (by: string, body: object) =>
    api.ask("/api/v1/catalogs", { method: "POST", body, headers: { authorization: `Bearer ${by}` } });
  const settings = { currency: "EUR", country: "DE" };

  const answer = await create(key, { name: " Käse & Brot ", settings });

  assert.equal(answer.status, 201, answer.text);
  const { slug, name } = (answer.json as { data: { slug: string; name: string } }).data;
  assert.deepEqual([slug, name], ["kase-brot", "Käse & Brot"]);
  const headers = { authorization: `Bearer ${key}`, "shelfwire-catalog": slug };
  const stored = await api.ask("/api/v1/catalog/settings", { headers });
  assert.match(stored.text, /"currency":"EUR"/);
  assert.match((await api.ask("/api/v1/changes", { headers })).text, /"POST \/api\/v1\/catalogs"/);
  assertProblem(await create(key, { name: "Other", slug, settings }), 409, "conflict");
  assertProblem(await create(own, { name: "Other" }), 403, "insufficient_scope");
  const { errors } = assertProblem(await create(key, { name: "…", settings }), 400, "invalid_request");
  assert.deepEqual(
    errors?.map(({ pointer }) => pointer),
    ["/slug"],
  );
  for (const wrong of [
    { settings },
    { name: " ", settings },
    { name: "X", slug: "Not a slug", settings },
    { name: "…", settings },
    { name: "X", settings: { currency: "coins" } },
  ])
    assertProblem(await create(key, wrong), 400, "invalid_request");
});

test("a new catalog needs a currency, or a country whose shops have one", async () => {
  const { key } = await createOperatorKey(api.db, "currencies");
  const create = async (settings?: object) =>
    api.ask("/api/v1/catalogs", {
      method: "POST",
      body: { name: "Currencies", ...(settings && { settings }) },
      headers: { authorization: `Bearer ${key}` },
    });

  for (const [settings, detail] of [
    [
      undefined,
      "Must be set, such as USD, or the country, such as US: prices without a currency could not be read.",
    ],
    [{ country: "PA" }, "Must be set: the country PA does not say which one the shop uses."],
  ] as const) {
    const { errors } = assertProblem(await create(settings), 400, "invalid_request");
    assert.deepEqual(errors, [{ pointer: "/settings/currency", detail }]);
  }
  assert.equal((await create({ country: "DE" })).status, 201);
  const headers = { authorization: `Bearer ${key}`, "shelfwire-catalog": "currencies" };
  const stored = await api.ask("/api/v1/catalog/settings", { headers });
  assert.match(stored.text, /"currency":"EUR","country":"DE"/);
});

test("forged cookies are refused, and wrong keys start no session", async () => {
  const invented = { ...CONSOLE, cookie: `shelfwire_session=${"a".repeat(43)}` };
  for (const headers of [invented, { ...CONSOLE, cookie: "shelfwire_session=' or 1=1" }, CONSOLE])
    assertProblem(await api.ask("/api/v1/feeds", { headers }), 401, "unauthorized");
  for (const key of ["", "sw_wrong", `sw_${"a".repeat(12)}_${"b".repeat(43)}`]) {
    const answer = await signIn({ key });
    assertProblem(answer, 401, "unauthorized");
    assert.equal(answer.headers["set-cookie"], undefined);
  }
});

test("an expired session is refused, and deleted by maintenance", async () => {
  const { readKey } = await api.createCatalog();
  const session = cookieOf(await signIn({ key: readKey }));
  await api.db.execute({ text: "update sessions set expires_at = now()", values: [] });

  assertProblem(await api.ask("/api/v1/feeds", { headers: session }), 401, "unauthorized");
  assert.ok((await pruneSessions(api.db)) >= 1);
  const rows = await api.db.query<{ tokenHash: Buffer }>({ text: "select * from session_keys", values: [] });
  assert.deepEqual(rows, []);
});
