/** The catalog's settings over the API: everything that the command line can set, under the same rules. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { COUNTRY_CODES, CURRENCY_CODES } from "../../src/contract/codes.ts";
import { createKey } from "../../src/setup/keys.ts";
import { listRuns } from "../../src/store/runs.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { ask, runningApi } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi({ hasWorker: false }));
const assertDescribed = await describedBy(api);

type Catalog = {
  readonly name: string;
  readonly slug: string;
  readonly settings: Readonly<Record<string, unknown>>;
};

async function newCatalog() {
  const catalog = await api.createCatalog();
  const input = { catalogId: catalog.id, name: "owner", scopes: ["admin"], expiresAt: null };
  const { key: admin } = await createKey(api.db, input);
  const url = `${api.url}/api/v1/catalog/settings`;
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const read = async () => {
    const answer = await ask(url, { headers: bearer(catalog.readKey) });
    assertDescribed("GET /api/v1/catalog/settings", answer);
    return dataOf<Catalog>(answer);
  };
  const patch = async (body: unknown, key = admin) => {
    const answer = await ask(url, { method: "PATCH", body, headers: bearer(key) });
    assertDescribed("PATCH /api/v1/catalog/settings", answer);
    return answer;
  };
  const renders = async () => (await listRuns(api.db, catalog.id, { kind: "render", limit: 9 })).length;
  return { ...catalog, read, patch, renders };
}

test("settings are read, changed one by one, and cleared by null; each change renders the feeds once", async () => {
  const catalog = await newCatalog();
  const before = await catalog.read();
  assert.deepEqual(
    [before.slug, before.settings["currency"], before.settings["language"]],
    [catalog.slug, "USD", null],
  );

  const answer = await catalog.patch({
    name: "  New name ",
    settings: {
      currency: "EUR",
      country: null,
      accepts_returns: false,
      return_days: 30,
      target_countries: ["DE", "AT"],
    },
  });

  assert.equal(answer.status, 200, answer.text);
  const now = await catalog.read();
  assert.deepEqual(dataOf<Catalog>(answer), now);
  assert.equal(now.name, "New name");
  assert.deepEqual(now.settings, {
    ...before.settings,
    currency: "EUR",
    country: null,
    accepts_returns: false,
    return_days: 30,
    target_countries: ["DE", "AT"],
  });
  assert.equal(await catalog.renders(), 1);
  await catalog.patch({ settings: { currency: "EUR" } });
  assert.equal(await catalog.renders(), 1, "the same again changes nothing");
});

test("an invalid value is refused with its pointer and changes nothing", async () => {
  const catalog = await newCatalog();
  const before = await catalog.read();

  for (const [settings, pointer] of [
    [{ currency: "EURO" }, "/settings/currency"],
    [{ currency: "DEM" }, "/settings/currency"],
    [{ country: "DD" }, "/settings/country"],
    [{ country: "XX" }, "/settings/country"],
    [{ store_url: "ftp://shop" }, "/settings/store_url"],
    [{ target_countries: ["Germany"] }, "/settings/target_countries"],
    [{ return_days: "30" }, "/settings/return_days"],
    [{ curency: "EUR" }, "/settings/curency"],
  ] as const) {
    const problem = assertProblem(await catalog.patch({ name: "Other", settings }), 400, "invalid_request");
    assert.equal(problem.errors?.[0]?.pointer, pointer);
    assert.match(problem.errors[0].detail, /^[A-Z].*\.$/);
  }
  assertProblem(await catalog.patch({}), 400, "invalid_request");
  assertProblem(await catalog.patch({ slug: "other" }), 400, "invalid_request");
  assert.deepEqual(await catalog.read(), before);
});

test("a cleared currency becomes that of the country; without one, or with several, it is refused", async () => {
  const catalog = await newCatalog();
  const clear = async (country: string | null) => catalog.patch({ settings: { country, currency: null } });

  for (const country of [null, "PA"]) {
    const { errors } = assertProblem(await clear(country), 400, "invalid_request");
    assert.equal(errors?.[0]?.pointer, "/settings/currency");
  }
  assert.equal((await catalog.read()).settings["currency"], "USD");
  const answer = await clear("DE");

  const { currency, country } = dataOf<Catalog>(answer).settings;
  assert.deepEqual([currency, country], ["EUR", "DE"]);
});

test("incomplete_items takes channels that refuse items, and the two words", async () => {
  const catalog = await newCatalog();
  for (const wrong of [{}, { schema_org: "leave_out" }, { google: "drop" }, "leave_out", ["google"]])
    assertProblem(await catalog.patch({ settings: { incomplete_items: wrong } }), 400, "invalid_request");

  const answer = await catalog.patch({ settings: { incomplete_items: { google: "leave_out" } } });

  assert.deepEqual(dataOf<Catalog>(answer).settings["incomplete_items"], { google: "leave_out" });
  await catalog.patch({ settings: { incomplete_items: null } });
  assert.equal((await catalog.read()).settings["incomplete_items"], null);
});

test("changing needs the scope admin", async () => {
  const catalog = await newCatalog();
  assertProblem(await catalog.patch({ name: "x" }, catalog.key), 403, "insufficient_scope");
});

test("concurrent changes are all kept", async () => {
  const catalog = await newCatalog();

  await Promise.all(
    [{ language: "de" }, { default_brand: "Kiln" }, { seller_name: "Kiln & Co." }, { return_days: 14 }].map(
      async (settings) => catalog.patch({ settings }),
    ),
  );

  const { language, default_brand, seller_name, return_days } = (await catalog.read()).settings;
  assert.deepEqual([language, default_brand, seller_name, return_days], ["de", "Kiln", "Kiln & Co.", 14]);
});

test("a catalog keeps a code that is no longer taken: it is shown, and can be sent back with other changes", async () => {
  const catalog = await newCatalog();
  const old = { country: "AN", currency: "ANG", targetCountries: ["AN", "CW"] };
  await api.db.execute({
    text: "update catalogs set settings = settings || $2::jsonb where id = $1",
    values: [catalog.id, JSON.stringify(old)],
  });
  const { settings } = await catalog.read();
  assert.equal(settings["country"], "AN");

  const answer = await catalog.patch({ settings: { ...settings, language: "nl" } });

  assert.deepEqual(dataOf<Catalog>(answer).settings, { ...settings, language: "nl" });
  assertProblem(await catalog.patch({ settings: { country: "SU" } }), 400, "invalid_request");
});

test("the lists of codes have current ones only, each with a name", () => {
  for (const code of ["DD", "SU", "YU", "AN", "XK", "EU", "UK", "ZZ"])
    assert.ok(!COUNTRY_CODES.includes(code), code);
  for (const code of ["HRK", "DEM", "BGN", "ANG", "XAU"]) assert.ok(!CURRENCY_CODES.includes(code), code);
  assert.equal(COUNTRY_CODES.length, 249);
  const countries = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  for (const code of COUNTRY_CODES) assert.ok(countries.of(code), code);
});
