/** Rows of the last complete read are skipped, and everything comes out as if they had been read. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { sync } from "../../../test/actions.ts";
import { article, articles, openShop, type Row, type Shop } from "../../../test/fakes/shop.ts";
import { installation, type TestCatalog } from "../../../test/installation.ts";
import { updateCatalog } from "../../setup/catalogs.ts";
import { KnownHashes } from "../../lib/known-hashes.ts";
import { hashText, rowText } from "./row-batch.ts";
import { cases } from "../../../test/long.ts";

let home: Awaited<ReturnType<typeof installation>>;
before(async () => {
  home = await installation({ hasRenders: false });
});
after(() => home[Symbol.asyncDispose]());

type Connected = { readonly catalog: TestCatalog; readonly source: string };

async function connect(shop: Shop): Promise<Connected> {
  const catalog = await home.createCatalog();
  const source = await home.addFeed(catalog.id, shop.url);
  const text =
    "update sources set next_sync_at = now() + interval '1 hour', max_removed_ratio = 1 where id = $1";
  await home.db.execute({ text, values: [source] });
  return { catalog, source };
}

/** A source of the shop with these rows, which has been read once. */
async function connectAndRead(shop: Shop, rows: readonly Row[]) {
  shop.stock(rows);
  const connected = await connect(shop);
  return { connected, first: await outcome(connected) };
}

const forget = async ({ source }: Connected): Promise<unknown> =>
  home.db.execute({ text: "update sources set row_context = null where id = $1", values: [source] });

/** What a sync says and leaves, without what differs between two catalogs. */
async function outcome({ catalog, source }: Connected) {
  const { status, data, code, detail } = await sync(home, catalog, source);
  const rows = await home.db.query({
    text: `select id, source_id is null as is_pushed, fingerprint, sort_key, group_id, body, row_key
             from items where catalog_id = $1 order by id`,
    values: [catalog.id],
  });
  return { status, code, detail, stats: data?.stats, rows };
}

const rowKeys = async ({ catalog }: Connected) =>
  home.db.query<{ id: string; key: string | null; version: string }>({
    text: "select id, encode(row_key, 'hex') as key, xmin::text as version from items where catalog_id = $1 order by id",
    values: [catalog.id],
  });

describe("a sync that skips known rows", () => {
  const anyRow = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
    title: fc.constantFrom("Lamp", "Chair", ""),
    link: fc.constantFrom("https://shop.example/p", "https://shop.example/q"),
    price: fc.constantFrom("1.00 USD", "2.00 USD", "3.00", "cheap"),
    item_group_id: fc.constantFrom("", "one", "two"),
    // A code that is none is a warning, and the item is kept.
    gtin: fc.constantFrom("", "4006381333931", "123"),
    brand: fc.constant("Acme"),
  });
  const anyPull = fc.record({
    rows: fc.array(anyRow, { maxLength: 10 }),
    /** A column more makes other bytes of the same rows. */
    hasColumnMore: fc.boolean(),
    currency: fc.constantFrom("USD", "USD", "USD", "EUR"),
    isRepeated: fc.boolean(),
  });

  test("counts, rejects, warns, removes and stores the same as one that reads every row, whatever changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyPull, { minLength: 2, maxLength: 4 }), async (pulls) => {
        await using shop = await openShop();
        const [skipping, reading] = [await connect(shop), await connect(shop)];
        let previous: readonly Row[] = [];
        for (const { rows, hasColumnMore, currency, isRepeated } of pulls) {
          const next: readonly Row[] = isRepeated ? [...previous.slice(1), ...rows.slice(0, 2)] : rows;
          previous = next;
          shop.stock(hasColumnMore ? next.map((row) => ({ ...row, unused: "1" })) : next);
          for (const { catalog } of [skipping, reading])
            await updateCatalog(home.db, catalog, { set: { currency }, unset: [] });
          await forget(reading);

          assert.deepEqual(await outcome(skipping), await outcome(reading));
        }
      }),
      { numRuns: cases(6) },
    );
  });

  test("does not normalize a row of the last read again, and writes no item", async () => {
    await using shop = await openShop();
    const { connected } = await connectAndRead(shop, articles(20));
    // As if another normalizer had made this item from the same row.
    await home.db.execute({
      text: `update items set fingerprint = '\\\\x00112233445566778899aabbccddeeff',
                    row_key = substr(row_key, 1, 16) || '\\\\x0011223344556677'
              where catalog_id = $1 and id = 'a7'`,
      values: [connected.catalog.id],
    });
    const before = await rowKeys(connected);
    shop.stock(articles(20, { unused: "1" }));

    const { stats } = await outcome(connected);

    assert.deepEqual([stats?.seen, stats?.unchanged, stats?.upserted], [20, 20, 0]);
    assert.deepEqual(await rowKeys(connected), before);
  });

  test("reads a row again that gave a warning, and gives the warning again", async () => {
    await using shop = await openShop();
    const rows = [...articles(3), article("odd", { gtin: "123" })];
    const { connected, first } = await connectAndRead(shop, rows);
    shop.stock(rows.map((row) => ({ ...row, unused: "1" })));

    const second = await outcome(connected);

    assert.ok((first.stats?.warnings ?? 0) > 0);
    assert.deepEqual(second.stats?.warning_examples[0], first.stats?.warning_examples[0]);
    assert.equal(second.stats?.warning_codes["invalid_gtin"], 1);
    assert.deepEqual(
      (await rowKeys(connected)).map(({ id, key }) => [id, key === null]),
      [
        ["a1", false],
        ["a2", false],
        ["a3", false],
        ["odd", true],
      ],
    );
  });

  test("reads a row again if the prices of other rows show another decimal mark", async () => {
    await using shop = await openShop();
    const odd = article("odd", { price: "1.299 USD" });
    const { connected } = await connectAndRead(shop, [odd, ...articles(3, { price: "5.00 USD" })]);
    shop.stock([odd, ...articles(3, { price: "5,00 USD" })]);

    await outcome(connected);

    const [item] = await home.db.query<{ amount: string }>({
      text: "select body::json -> 'price' ->> 'amount' as amount from items where catalog_id = $1 and id = 'odd'",
      values: [connected.catalog.id],
    });
    assert.equal(item?.amount, "1299.00");
  });

  test("reads a row again whose item was changed by a version that knows no row keys", async () => {
    await using shop = await openShop();
    const { connected } = await connectAndRead(shop, articles(3));
    await home.db.execute({
      text: "update items set fingerprint = '\\x00112233445566778899aabbccddeeff', body = '{}' where catalog_id = $1 and id = 'a2'",
      values: [connected.catalog.id],
    });
    shop.stock(articles(3, { unused: "1" }));

    const { stats } = await outcome(connected);

    assert.deepEqual([stats?.upserted, stats?.unchanged], [1, 2]);
  });

  test("rejects the later of two rows with one id, whichever of them is known", async () => {
    const [known, other] = [article("a1"), article("a1", { price: "11.00 USD" })];
    for (const rows of [
      [known, other],
      [other, known],
      [known, known],
      [other, known, other, known],
    ]) {
      await using shop = await openShop();
      shop.stock([known, ...articles(3)]);
      const [skipping, reading] = [await connect(shop), await connect(shop)];
      await outcome(skipping);
      await outcome(reading);
      await forget(reading);
      shop.stock([...rows, article("a2"), article("a3")]);

      const skipped = await outcome(skipping);

      assert.equal(skipped.stats?.rejection_codes["duplicate_item_id"], rows.length - 1);
      assert.deepEqual(skipped, await outcome(reading));
    }
  });

  test("refuses a collapse as before, with the same sentence", async () => {
    await using shop = await openShop();
    shop.stock(articles(40));
    const [skipping, reading] = [await connect(shop), await connect(shop)];
    for (const connected of [skipping, reading]) {
      await outcome(connected);
      const text = "update sources set max_removed_ratio = 0.5 where id = $1";
      await home.db.execute({ text, values: [connected.source] });
    }
    await forget(reading);
    shop.stock(articles(5));

    const refused = await outcome(skipping);

    assert.equal(refused.status, 422);
    assert.deepEqual(refused, await outcome(reading));
  });

  test("fails if the rows do not fit the items, and the next one reads every row", async () => {
    await using shop = await openShop();
    const { connected } = await connectAndRead(shop, articles(5));
    await home.db.execute({
      text: "update sources set item_count = item_count + 1 where id = $1",
      values: [connected.source],
    });
    shop.stock([...articles(5), article("new")]);

    assert.equal((await outcome(connected)).code, "ledger_mismatch");
    await home.db.execute({
      text: "update sources set item_count = item_count - 1 where id = $1",
      values: [connected.source],
    });

    const { stats } = await outcome(connected);
    assert.deepEqual([stats?.upserted, stats?.unchanged], [1, 5]);
  });
});

test("the table of known rows finds exactly the rows that were added, once each", () => {
  const rowOf = (n: number) => hash("sha256", String(n), "buffer").subarray(0, 16);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(500), { maxLength: 300 }),
      fc.array(fc.nat(500), { maxLength: 300 }),
      (added, looked) => {
        const known = new KnownHashes(added.length);
        for (const n of added) known.add(rowOf(n));
        const seen = new Map<number, number>();
        for (const [i, n] of looked.entries()) {
          const isNew = added.includes(n) && !seen.has(n);
          assert.equal(known.see(rowOf(n).toString("hex"), i + 1), isNew);
          if (isNew) seen.set(n, i + 1);
        }
        for (const n of added) assert.equal(known.positionOf(rowOf(n)), seen.get(n) ?? null);
        assert.deepEqual(
          [...known.unseen()]
            .flat()
            .map((row) => row.toString("hex"))
            .sort(),
          added
            .filter((n) => !seen.has(n))
            .map((n) => rowOf(n).toString("hex"))
            .sort(),
        );
      },
    ),
  );
});

test("rows with different cells have different hashes, and so have different decimal marks", () => {
  const drafts = [{ id: "a" }, { id: "a", title: "" }, { title: "a" }, { id: "a", categories: ["x"] }];
  const hashes = drafts.flatMap((draft) =>
    [undefined, "," as const, "." as const].map((mark) => hashText(rowText({ draft, decimalMark: mark }))),
  );
  assert.equal(new Set(hashes).size, hashes.length);
});
