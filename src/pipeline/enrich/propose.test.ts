/** A pass skips groups that have not changed, and gives what a complete pass gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { render, untilRun } from "../../../test/actions.ts";
import { closeAfterTests } from "../../../test/close-after.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import { cases, isLong } from "../../../test/long.ts";
import type { Item } from "../../catalog/item.ts";
import { itemOf } from "../../enrich/extractors/proposals.fixture.ts";
import { newId } from "../../lib/id.ts";
import { enqueueRun } from "../../store/runs.ts";
import { beginPass, eachPassPart, endPass, savePassPart } from "../../store/proposal-passes.ts";
import { sql } from "../../store/sql.ts";
import { MAX_PART } from "../render/item-groups.ts";
import { storeItems } from "../render/stored-items.fixture.ts";
import type { ProposalStats } from "./propose.ts";

const home = closeAfterTests(await installation());
const { db } = home;

const COLORS = ["red", "blue", "green"];

type Product = {
  readonly variants: number;
  readonly color: number;
  readonly price: number;
  readonly isBranded: boolean;
  readonly barcode: number;
};

/** Variants of a product; two products may share a barcode, which changes what the audit finds in both. */
const itemsOf = ({ variants, color, price, isBranded, barcode }: Product, at: number): Item[] =>
  Array.from({ length: variants }, (_, variant) =>
    itemOf({
      id: `p${at}-${variant}`,
      ...(variants > 1 && { groupId: `p${at}` }),
      title: `Acme shirt ${COLORS[(color + variant) % COLORS.length]}`,
      price: `${price}.00 USD`,
      link: `https://shop.example/${at}`,
      ...(isBranded && { brand: "Acme" }),
      ...(barcode > 0 && { gtin: ["4006381333931", "0012345678905"][barcode - 1] as string }),
    }),
  );

const product = fc.record({
  variants: fc.integer({ min: 1, max: 3 }),
  color: fc.nat(2),
  price: fc.integer({ min: 1, max: 9 }),
  isBranded: fc.boolean(),
  barcode: fc.nat(2),
});

async function pass({ id }: TestCatalog, cause: "sync" | "request"): Promise<ProposalStats> {
  const runId = newId();
  await enqueueRun(db, { id: runId, catalogId: id, sourceId: null, kind: "proposals", cause });
  const { state, stats } = await untilRun(db, runId, "succeeded", "failed");
  assert.equal(state, "succeeded");
  return stats as ProposalStats;
}

async function publish(catalog: TestCatalog, products: readonly Product[]): Promise<void> {
  await storeItems(db, catalog.id, products.flatMap(itemsOf));
  const { status } = await render(home, catalog);
  assert.ok(status === 200 || status === 422, String(status));
}

const proposals = async ({ id }: TestCatalog) =>
  db.query(sql`
    select item_id, field, value, state, gain, rule, source_hash from proposals
     where catalog_id = ${id} order by item_id, field, extractor, value`);

test("whatever changes between two passes, what the second one skips would have given the same", async () => {
  const catalog = await home.createCatalog();
  const catalogs = fc.array(product, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(catalogs, fc.array(product, { maxLength: 2 }), async (products, edits) => {
      await publish(catalog, products);
      await pass(catalog, "request");
      await publish(catalog, [...edits, ...products.slice(edits.length)]);
      const { items, skipped } = await pass(catalog, "sync");
      assert.ok(skipped <= items);
      const found = await proposals(catalog);

      assert.equal((await pass(catalog, "request")).skipped, 0);

      assert.deepEqual(await proposals(catalog), found);
    }),
    { numRuns: cases(12) },
  );
});

test("new prices are looked at, and the rest of the catalog is skipped", async () => {
  const catalog = await home.createCatalog();
  const products = Array.from({ length: 20 }, (_, color): Product => {
    return { variants: 1, color, price: 5, isBranded: color % 2 === 0, barcode: 0 };
  });
  await publish(catalog, products);
  const first = await pass(catalog, "sync");
  assert.deepEqual([first.items, first.skipped], [20, 0]);
  assert.ok(first.proposed > 0);
  await publish(
    catalog,
    products.map((one, at) => (at === 3 ? { ...one, price: 6 } : one)),
  );
  const found = await proposals(catalog);

  const second = await pass(catalog, "sync");

  assert.deepEqual([second.items, second.skipped, second.stale], [20, 19, 0]);
  assert.deepEqual(await proposals(catalog), found);
});

test("after a pass that did not end, nothing is skipped", async () => {
  const catalog = await home.createCatalog();
  const products: Product[] = [{ variants: 2, color: 1, price: 5, isBranded: false, barcode: 0 }];
  await publish(catalog, products);
  await pass(catalog, "sync");
  await db.execute(sql`update proposal_passes set context = null where catalog_id = ${catalog.id}`);

  assert.equal((await pass(catalog, "sync")).skipped, 0);
  assert.equal((await pass(catalog, "sync")).skipped, 2);
});

if (isLong)
  test("the first part of a large group is looked at again once it is the whole group", async () => {
    const catalog = await home.createCatalog();
    const lamp = (at: number): Item => ({
      ...itemOf({ id: `v${String(at).padStart(3, "0")}`, groupId: "v", title: "Lamp", price: "5.00 USD" }),
      weight: { value: String(at + 1), unit: "kg" },
    });
    const lamps = Array.from({ length: MAX_PART + 1 }, (_, at) => lamp(at));
    const other = itemOf({ id: "w", title: "Lamp", price: "5.00 USD" });
    await storeItems(db, catalog.id, lamps);
    await render(home, catalog);
    await pass(catalog, "sync");
    await storeItems(db, catalog.id, [...lamps.slice(0, MAX_PART), other]);
    await render(home, catalog);
    await pass(catalog, "sync");
    const found = await proposals(catalog);

    await pass(catalog, "request");

    assert.deepEqual(await proposals(catalog), found);
  });

test("a run that begins again forgets what its first attempt has read", async () => {
  const { id: catalogId } = await home.createCatalog();
  const runId = newId();
  const read = async (...parts: Buffer[]) => {
    await beginPass(db, catalogId, runId);
    for (const [part, hashes] of parts.entries()) await savePassPart(db, { catalogId, runId, part }, hashes);
  };
  await read(Buffer.alloc(16, 1), Buffer.alloc(16, 2));
  await read(Buffer.alloc(16, 3));
  await db.tx(async (tx) => endPass(tx, catalogId, { runId, context: Buffer.alloc(32), groups: 1 }));

  assert.deepEqual(await Array.fromAsync(eachPassPart(db, catalogId, runId)), [Buffer.alloc(16, 3)]);
});
