/**
 * Reads a feed from a file or an address without a database. It keeps the catalog in memory, because groups may be
 * scattered over a file: some two gigabytes for a million items.
 */
import type { Rejection } from "../../catalog/finding.ts";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { AppError } from "../../errors.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import type { Connector, SourceSettings } from "../../sources/source.ts";
import { intake, type Sink } from "../intake.ts";
import { balance, Ledger } from "../sync/ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { groupsOf } from "../render/item-groups.ts";
import { withSpool } from "../sync/spool.ts";

export type OfflineRead = {
  readonly connector: Connector;
  readonly url: string;
  /** Other settings of the source, such as `columns`. */
  readonly file?: SourceSettings;
  readonly settings: CatalogSettings;
  readonly http: HttpClient;
  readonly spoolRoot: string;
  readonly signal: AbortSignal;
};

export type OfflineCatalog = { readonly groups: readonly ItemGroup[]; readonly stats: SyncStats };

export async function readOffline(read: OfflineRead): Promise<OfflineCatalog> {
  const ledger = new Ledger();
  const items = new Map<string, Item>();
  const end = await withSpool(read.spoolRoot, async (spoolDir) => {
    const { connector, url, file = {}, settings, http, signal } = read;
    const { currency, language } = settings;
    const base = { http, signal, spoolDir, previous: null, currency, language } as const;
    const context = { ...base, extent: "whole", callerWaitMs: () => 0 } as const;
    const events = connector.read({ url, format: "auto", ...file }, context);
    return intake({ events, settings, signal }, memorySink(items, ledger));
  });
  if (end === null) throw new AppError("source_incomplete", "The feed ended before its list was complete.");
  const stats = ledger.stats({ upserted: items.size, unchanged: 0, removed: 0 });
  balance(stats);
  return { groups: groupsOf(items.values()), stats };
}

function memorySink(items: Map<string, Item>, ledger: Ledger): Sink {
  return {
    add: (row, position) => {
      ledger.seen += 1;
      if (row.kind === "rejected") ledger.reject(row.rejection);
      else if (items.has(row.item.id)) ledger.reject(duplicate(row.item.id, position));
      else {
        items.set(row.item.id, row.item);
        for (const warning of row.warnings) ledger.warn(warning);
      }
      return undefined;
    },
    warn: (warning) => ledger.warn(warning),
  };
}

function duplicate(itemId: string, position: number): Rejection {
  const message = `The id "${itemId}" is already used by an item of the file; ids must be unique in a catalog.`;
  return { itemId, position, field: "id", code: "duplicate_item_id", message };
}
