/**
 * Whatever happens in whatever order, stored effective items are those that would be computed now, and so are the
 * feeds.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeItem, encodeItem } from "../../src/catalog/item.ts";
import type { Rule } from "../../src/contract/rules.ts";
import { effectiveItem } from "../../src/enrich/effective.ts";
import { loadEffects } from "../../src/pipeline/enrich/effects.ts";
import { verifyRender } from "../../src/pipeline/publication/verify.ts";
import { findCatalog } from "../../src/store/catalogs.ts";
import { findOverlays } from "../../src/store/proposals.ts";
import { untilRun } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";
import { cases } from "../long.ts";

const api = closeAfterTests(await runningApi());

const IDS = ["a", "b", "c", "d"] as const;
const BRANDS = ["Acme", "Kiln", null] as const;

const RULES: readonly Rule[] = [
  { name: "Condition", action: { type: "default", field: "condition", value: "used" } },
  { name: "Title", action: { type: "template", field: "title", text: "{brand|unless_in:title} {title}" } },
  { name: "Google only", channel: "google", action: { type: "set", field: "custom_label0", value: "x" } },
  {
    name: "No cheap ones",
    when: { all: [{ field: "price", operator: "less_than", value: "5 EUR" }] },
    action: { type: "exclude" },
  },
  {
    name: "One variant",
    channel: "openai",
    when: { all: [{ field: "is_cheapest_variant", operator: "is", value: false }] },
    action: { type: "exclude" },
  },
  { name: "From", action: { type: "calculate", field: "custom_label1", formula: "group_min.price" } },
];

type Step =
  | {
      readonly kind: "push";
      readonly id: string;
      readonly price: number;
      readonly brand: string | null;
      readonly group: string | null;
    }
  | { readonly kind: "delete"; readonly id: string }
  | { readonly kind: "rules"; readonly rules: readonly Rule[] }
  | { readonly kind: "map"; readonly category: string | null }
  | { readonly kind: "approve" | "withdraw" };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("push" as const),
    id: fc.constantFrom(...IDS),
    price: fc.constantFrom(3, 7),
    brand: fc.constantFrom(...BRANDS),
    group: fc.constantFrom("g", "h", null),
  }),
  fc.record({ kind: fc.constant("delete" as const), id: fc.constantFrom(...IDS) }),
  fc.record({ kind: fc.constant("rules" as const), rules: fc.subarray([...RULES]) }),
  fc.record({ kind: fc.constant("map" as const), category: fc.constantFrom("2169", null) }),
  fc.record({ kind: fc.constantFrom("approve" as const, "withdraw" as const) }),
);

const product = (id: string, price: number, brand: string | null, group: string | null = "g"): object => ({
  id,
  title: `Acme mug ${id}`,
  link: `https://shop.example/p/${id}`,
  price: `${price}.00 EUR`,
  availability: "in_stock",
  categories: ["Home > Mugs"],
  brand,
  group_id: group,
});

async function call(
  shop: Shop,
  method: "PUT" | "PATCH" | "POST",
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await shop.call(`/api/v1/${path}`, { method, ...(body !== undefined && { body }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.json;
}

async function decide(shop: Shop, verb: "approve" | "withdraw"): Promise<void> {
  const asked = (await call(shop, "POST", "proposals/refresh")) as { data: { run_id: string } };
  await untilRun(api.db, asked.data.run_id, "succeeded");
  const state = verb === "approve" ? "pending" : "approved";
  const { json } = await shop.call(`/api/v1/proposals/items?state=${state}`);
  const { proposals } = (json as { data: { proposals: { id: string; item_id: string; field: string }[] } })
    .data;
  // One of each field: several extractors may propose for the same one.
  const ids = [...new Map(proposals.map(({ id, ...of }) => [`${of.item_id} ${of.field}`, id])).values()];
  // One at a time: those with a low confidence cannot be approved together.
  for (const id of ids) await call(shop, "POST", `proposals/${verb}`, { ids: [id] });
}

async function take(shop: Shop, step: Step): Promise<void> {
  switch (step.kind) {
    case "push":
      return void (await call(shop, "PATCH", "catalog", [
        product(step.id, step.price, step.brand, step.group),
      ]));
    case "delete":
      return void (await call(shop, "PATCH", "catalog", [{ id: step.id, delete: true }]));
    case "rules":
      return void (await call(shop, "PUT", "rules", { rules: step.rules }));
    case "map":
      return void (await call(shop, "PUT", "categories", {
        mappings: [{ path: "Home > Mugs", category: step.category }],
      }));
    case "approve":
    case "withdraw":
      return decide(shop, step.kind);
  }
}

/** Returns the number of items that rules, mappings or decisions change. */
async function checkStored(catalogId: string): Promise<number> {
  const catalog = await findCatalog(api.db, catalogId);
  assert.ok(catalog);
  const effects = await loadEffects(api.db, catalog);
  const rows = await api.db.query<{ id: string; sourceId: string | null; body: string; effective: string }>({
    text: `select id, source_id, body, case when effective_from = fingerprint then effective_body else body end as effective
             from items where catalog_id = $1 order by id`,
    values: [catalogId],
  });
  const all = rows.map(({ body }) => decodeItem(body));
  let changed = 0;
  for (const { id, sourceId, body, effective } of rows) {
    const overlays = await findOverlays(api.db, catalogId, [id]);
    const source = decodeItem(body);
    const { groupId } = source;
    const variants = groupId === undefined ? undefined : all.filter((other) => other.groupId === groupId);
    const { item, states } = effectiveItem(source, effects, { sourceId, overlays, variants });
    assert.equal(effective, encodeItem(item).body, id);
    // A conflict stays one until a person decides.
    assert.deepEqual(
      states.filter(({ state }) => state !== "conflicted"),
      [],
    );
    if (effective !== body) changed += 1;
  }
  return changed;
}

test("after any pushes, rules, mappings and decisions, effective items and feeds are those of the sources", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 8 }), async (steps) => {
      const shop = await api.openShop();
      await call(shop, "PATCH", "catalog", [product("a", 7, "Acme"), product("b", 3, null)]);
      await call(shop, "PUT", "rules", { rules: RULES });
      assert.ok((await checkStored(shop.id)) > 0);
      for (const step of steps) {
        await take(shop, step);
        await checkStored(shop.id);
      }
      await call(shop, "POST", "feeds");
      const runId = (await shop.feeds()).last_render?.run_id ?? "";
      const deps = { db: api.db, folders: api.jobs.folders };
      const { files } = await verifyRender(deps, { catalogId: shop.id, runId });
      assert.deepEqual(
        files.filter(({ stored, rebuilt }) => stored !== "same" || rebuilt !== "same"),
        [],
      );
    }),
    { numRuns: cases(6) },
  );
});
