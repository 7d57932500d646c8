/**
 * The audit of a catalog, in the same single pass that renders it: group by group, in catalog order, constant in
 * memory. The same catalog, settings and moment give the same report and the same verdicts on any machine. Items
 * without a finding give no verdict: that is the verdict.
 */
import { reportOf } from "./build-report.ts";
import { withDefaults } from "../catalog/defaults.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { wholeCatalog } from "./neighborhood.ts";
import { FINE } from "./outcome.ts";
import type { AuditReport } from "./report.ts";
import { Sheet } from "./sheet.ts";
import type { AuditContext } from "./shop.ts";
import { Tally } from "./tally.ts";
import { Earliest, noteStaleSync } from "./until.ts";
import { shownScore } from "./verdict.ts";

export type ItemVerdict = {
  readonly itemId: string;
  /** For display: cut to a whole number. */
  readonly score: number;
  readonly encoded: Uint8Array;
};

export type Audit = {
  /** Judges a group, and hands out the verdicts on those of its items that have findings. */
  readonly group: (group: ItemGroup) => readonly ItemVerdict[];
  readonly finish: () => AuditReport;
  /** The moment from which time alone may change the verdicts so far; null: never. */
  readonly sameUntil: () => string | null;
};

const NONE: readonly ItemVerdict[] = [];

export function openAudit(context: AuditContext): Audit {
  const neighborhood = wholeCatalog(context);
  const sheet = new Sheet();
  const tally = new Tally();
  const earliest = new Earliest(neighborhood.shop.now);
  noteStaleSync(earliest, context, neighborhood.shop);
  return {
    group: (given) => {
      let verdicts: ItemVerdict[] | undefined;
      const group = filled(given, context.settings);
      neighborhood.enter(group);
      for (const item of group.items) {
        const place = neighborhood.look(item);
        sheet.fill(item, place);
        tally.add(sheet, item, place);
        earliest.noteItem(item);
        if (sheet.faults === 0) continue;
        const score = shownScore(sheet.stake, sheet.missed);
        (verdicts ??= []).push({ itemId: item.id, score, encoded: encodeSheet(sheet) });
      }
      return verdicts ?? NONE;
    },
    finish: () => reportOf(tally, neighborhood.shop, context.rejected),
    sameUntil: () => earliest.at,
  };
}

/** As the feeds will show it. Most shops have no defaults, and this runs a million times. */
function filled(group: ItemGroup, settings: CatalogSettings): ItemGroup {
  if (settings.defaultBrand === undefined) return group;
  return { ...group, items: group.items.map((item) => withDefaults(item, settings)) };
}

/** As `encodeVerdict` does, without an object for every finding. */
function encodeSheet({ stake, faults, lines }: Sheet): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * faults);
  bytes[0] = stake;
  let at = 1;
  for (const { outcome, rule, points } of lines) {
    if (outcome < 0 || outcome === FINE) continue;
    bytes[at++] = rule.number;
    bytes[at++] = (points << 4) | outcome;
  }
  return bytes;
}
