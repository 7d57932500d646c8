/** Stages one draft, or counts its rejection: the step that every item takes, pulled or pushed. */
import { encodeItem } from "../../catalog/fingerprint.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { SourceEvent } from "../../sources/source.ts";
import type { Staging } from "../../store/staging.ts";
import type { Ledger } from "./ledger.ts";

export type Drafted = Extract<SourceEvent, { kind: "draft" }>;

export type StagingContext = {
  readonly staging: Staging;
  readonly ledger: Ledger;
  readonly settings: CatalogSettings;
};

/** Returns a promise only when staging needs to flush: this runs a million times. */
export function stage(
  { position, draft, decimalMark }: Drafted,
  context: StagingContext,
): Promise<void> | undefined {
  const { settings } = context;
  return stageResult(
    normalize(draft, decimalMark ? { position, settings, decimalMark } : { position, settings }),
    position,
    context,
  );
}

/** Stages a normalized item, or counts its rejection. */
export function stageResult(
  result: Normalized,
  position: number,
  { staging, ledger }: StagingContext,
): Promise<void> | undefined {
  ledger.seen += 1;
  if (result.kind === "rejected") {
    ledger.reject(result.rejection);
    return undefined;
  }
  ledger.accepted += 1;
  for (const warning of result.warnings) ledger.warn(warning);
  const { id, groupId = null } = result.item;
  const { fingerprint, body } = encodeItem(result.item);
  return staging.add({ position, id, groupId, fingerprint, body });
}
