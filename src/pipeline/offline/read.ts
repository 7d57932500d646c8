/**
 * A feed read straight from a file or an address, without any database: for a first look, and for checks in a
 * build. Unlike a sync it keeps the catalog in memory, because groups may be scattered over a file and there is no
 * database to sort them; that is some two gigabytes for a million items.
 */
import type { Item } from "../../catalog/item.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { AppError } from "../../errors.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import type { Connector } from "../../sources/source.ts";
import { balance, Ledger } from "../sync/ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { groupsOf } from "../render/group-items.ts";
import { withSpool } from "../sync/spool.ts";

export type OfflineRead = {
  readonly connector: Connector;
  readonly url: string;
  readonly settings: CatalogSettings;
  readonly http: HttpClient;
  readonly spoolRoot: string;
  readonly signal: AbortSignal;
};

export type OfflineCatalog = { readonly groups: readonly ItemGroup[]; readonly stats: SyncStats };

export async function readOffline(read: OfflineRead): Promise<OfflineCatalog> {
  const ledger = new Ledger();
  const items = new Map<string, Item>();
  let isWhole = false;
  await withSpool(read.spoolRoot, async (spoolDir) => {
    const { connector, url, settings, http, signal } = read;
    const context = { http, signal, spoolDir, previous: null, extent: "whole" } as const;
    for await (const event of connector.read({ url, format: "auto" }, context)) {
      if (event.kind === "draft") take(event, { ledger, items, settings });
      else if (event.kind === "rejected") {
        ledger.seen += 1;
        ledger.reject(event.rejection);
      } else if (event.kind === "warning") ledger.warn(event.warning);
      else isWhole = true;
    }
  });
  if (!isWhole) throw new AppError("source_incomplete", "The feed ended before its list was complete.");
  const stats = ledger.stats({ upserted: items.size, unchanged: 0, removed: 0 });
  balance(stats);
  return { groups: groupsOf(items.values()), stats };
}

type Drafted = Parameters<typeof normalize>[0];
type Desk = {
  readonly ledger: Ledger;
  readonly items: Map<string, Item>;
  readonly settings: CatalogSettings;
};

function take(
  { position, draft, decimalMark }: { position: number; draft: Drafted; decimalMark?: "." | "," },
  { ledger, items, settings }: Desk,
): void {
  ledger.seen += 1;
  const result = normalize(draft, { position, settings, decimalMark });
  if (result.kind === "rejected") return ledger.reject(result.rejection);
  const { item, warnings } = result;
  if (items.has(item.id)) {
    return ledger.reject({
      itemId: item.id,
      position,
      field: "id",
      code: "duplicate_item_id",
      message: `The id "${item.id}" is taken already by an item of the file; ids must be unique in a catalog.`,
    });
  }
  items.set(item.id, item);
  for (const warning of warnings) ledger.warn(warning);
}
