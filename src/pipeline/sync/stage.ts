/** The sink of syncs and pushes: items go into staging, rejections and warnings into the ledger. */
import { encodeItem } from "../../catalog/fingerprint.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { Staging } from "../../store/staging.ts";
import type { Sink } from "../intake.ts";
import type { Ledger } from "./ledger.ts";

export type StagingContext = {
  readonly staging: Staging;
  readonly ledger: Ledger;
  readonly settings: CatalogSettings;
};

export function stagingSink(context: StagingContext): Sink {
  return {
    add: (row, position) => stage(row, position, context),
    warn: (warning) => context.ledger.warn(warning),
  };
}

/** Returns a promise only when staging must catch up: this runs a million times. */
export function stage(
  row: Normalized,
  position: number,
  { staging, ledger }: Omit<StagingContext, "settings">,
): Promise<void> | undefined {
  ledger.seen += 1;
  if (row.kind === "rejected") {
    ledger.reject(row.rejection);
    return undefined;
  }
  ledger.accepted += 1;
  for (const warning of row.warnings) ledger.warn(warning);
  const { id, groupId = null } = row.item;
  const { fingerprint, body } = encodeItem(row.item);
  return staging.add({ position, id, groupId, fingerprint, body });
}
