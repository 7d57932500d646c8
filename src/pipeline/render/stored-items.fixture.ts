/** Items that are stored without a sync, for tests of renders. */
import { encodeItem, type Item } from "../../catalog/item.ts";
import type { Db } from "../../store/db.ts";
import { advanceSnapshot } from "../../store/item-changes.ts";

/** Makes these the items of the catalog. */
export async function storeItems(db: Db, catalogId: string, items: readonly Item[]): Promise<void> {
  const rows = items.map((item) => ({ item, ...encodeItem(item) }));
  await db.tx(async (tx) => {
    const before = await tx.query<StoredKey>({
      text: "select id, sort_key, encode(fingerprint, 'hex') as fingerprint from items where catalog_id = $1",
      values: [catalogId],
    });
    await tx.execute({ text: "delete from items where catalog_id = $1", values: [catalogId] });
    await tx.execute({
      text: `insert into items (catalog_id, id, fingerprint, sort_key, group_id, body)
             select $1, id, decode(fingerprint, 'hex'), coalesce(group_id, id), group_id, body
               from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as t (id, fingerprint, group_id, body)`,
      values: [
        catalogId,
        rows.map(({ item }) => item.id),
        rows.map(({ fingerprint }) => fingerprint),
        rows.map(({ item }) => item.groupId ?? null),
        rows.map(({ body }) => body),
      ],
    });
    const after = rows.map(({ item: { id, groupId = id }, fingerprint }) => ({
      id,
      sortKey: groupId,
      fingerprint,
    }));
    const changed = differences(before, after);
    const [catalog] = await tx.query<{ snapshotAt: Date }>({
      text: "select snapshot_at from catalogs where id = $1",
      values: [catalogId],
    });
    await advanceSnapshot(tx, catalogId, { itemDelta: items.length - before.length, changed });
    // The files have this time. Equal items give equal files.
    if (changed.length === 0)
      await tx.execute({
        text: "update catalogs set snapshot_at = $2 where id = $1",
        values: [catalogId, catalog?.snapshotAt],
      });
  });
}

type StoredKey = { readonly id: string; readonly sortKey: string; readonly fingerprint: string };

function differences(before: readonly StoredKey[], after: readonly StoredKey[]): readonly string[] {
  const textOf = ({ id, sortKey, fingerprint }: StoredKey): string =>
    JSON.stringify([id, sortKey, fingerprint]);
  const [old, fresh] = [new Set(before.map(textOf)), new Set(after.map(textOf))];
  const changed = [
    ...before.filter((key) => !fresh.has(textOf(key))),
    ...after.filter((key) => !old.has(textOf(key))),
  ];
  return changed.map(({ sortKey }) => sortKey);
}

/** A catalog that takes several segments. */
export const wideItems = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `w${String(at).padStart(5, "0")}`,
    ...(at % 7 < 3 && { groupId: `g${String(at - (at % 7)).padStart(5, "0")}` }),
    title: `Lamp ${at}`,
    description: `What there is to say about lamp ${at}. `.repeat(12),
    link: `https://shop.example/lamps/${at}`,
    images: [`https://shop.example/${at}.jpg`],
    price: { amount: `${10 + (at % 90)}.00`, currency: "USD" },
    availability: "in_stock",
    ...(at % 11 !== 0 && { brand: "Acme" }),
  }));
