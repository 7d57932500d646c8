import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { findCatalog } from "../store/catalogs.ts";
import { listRuns } from "../store/runs.ts";
import { readCatalogSettings, settingProblems } from "./catalog-settings.ts";
import { updateCatalog } from "./catalogs.ts";

test("texts are parsed to settings", () => {
  const { settings, problems } = readCatalogSettings({
    acceptsReturns: "yes",
    eligibleForCheckout: "No",
    returnDays: "30",
    targetCountries: "US, CA",
    defaultBrand: "Fjord & Fern",
  });

  assert.deepEqual(problems, []);
  assert.deepEqual(settings, {
    defaultBrand: "Fjord & Fern",
    acceptsReturns: true,
    returnDays: 30,
    targetCountries: ["US", "CA"],
    eligibleForCheckout: false,
  });
});

test("every invalid text is its own problem", () => {
  const { problems } = readCatalogSettings({
    acceptsReturns: "perhaps",
    returnDays: "thirty",
    eligibleForSearch: "constructor",
    currency: "USD",
  });

  assert.deepEqual(
    problems.map(({ pointer }) => pointer),
    ["acceptsReturns", "returnDays", "eligibleForSearch"],
  );
});

for (const [key, wrong] of [
  ["currency", "EURO"],
  ["currency", "HRK"],
  ["country", "Germany"],
  ["country", "DD"],
  ["country", "SU"],
  ["targetCountries", ["US", "YU"]],
  ["language", "English!"],
  ["storeUrl", "ftp://shop.example"],
  ["returnDays", 0],
  ["targetCountries", ["US", "Canada"]],
  ["sellerName", " "],
] as const) {
  test(`${key} is refused when it is ${JSON.stringify(wrong)}`, () => {
    assert.deepEqual(
      settingProblems({ [key]: wrong }).map(({ pointer }) => pointer),
      [key],
    );
  });
}

test("a change of settings keeps the others, can clear one, and queues a render", async () => {
  await using db = await freshDb();
  const id = await seedCatalog(db);
  const catalog = async () => {
    const found = await findCatalog(db, id);
    assert.ok(found);
    return found;
  };
  await updateCatalog(db, await catalog(), { set: { currency: "EUR", country: "DE" }, unset: [] });
  const before = await catalog();

  await updateCatalog(db, before, { set: { defaultBrand: "Acme" }, unset: ["country"] });

  const after = await catalog();
  assert.deepEqual(after.settings, { currency: "EUR", defaultBrand: "Acme" });
  assert.equal(after.settingsVersion, before.settingsVersion + 1);
  assert.equal((await listRuns(db, id, { kind: "render", limit: 5 })).length, 2);
});

test("a wrong setting changes nothing", async () => {
  await using db = await freshDb();
  const id = await seedCatalog(db);
  const catalog = await findCatalog(db, id);
  assert.ok(catalog);

  await assert.rejects(updateCatalog(db, catalog, { set: { currency: "XXXX" }, unset: [] }), {
    code: "invalid_request",
  });

  assert.deepEqual(await findCatalog(db, id), catalog);
});
