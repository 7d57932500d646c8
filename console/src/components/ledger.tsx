/**
 * The ledger of a sync, written as a sum: seen = stored + unchanged + rejected; of a failed one: not stored + rejected.
 */
import type { JSX } from "preact";
import type { SyncStats } from "../../../src/contract/syncs.ts";
import { formatNumber } from "../format.ts";
import { runsText } from "../messages/runs.ts";

const text = runsText.ledger;
const PARTS = ["upserted", "unchanged", "rejected"] as const;

export function Ledger({
  stats,
  isPartial = false,
}: {
  readonly stats: Pick<SyncStats, "seen" | "removed" | "warnings" | (typeof PARTS)[number]>;
  /** The run failed before its end. */
  readonly isPartial?: boolean;
}): JSX.Element {
  const { seen, rejected } = stats;
  const parts: readonly (readonly [name: string, label: string, count: number])[] = isPartial
    ? [
        ["seen", text.seen, seen],
        ["upserted", text.notStored, seen - rejected],
        ["rejected", text.rejected, rejected],
      ]
    : (["seen", ...PARTS] as const).map((name) => [name, text[name], stats[name]]);
  return (
    <div class="ledger">
      <dl>
        {parts.map(([name, label, count]) => (
          <div key={name} class={`${name} ${count === 0 ? "none" : ""}`}>
            <dt class="small muted">{label}</dt>
            <dd class="stat-value">{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      <p class="small muted">
        {isPartial ? text.partial : text.others(formatNumber(stats.removed), formatNumber(stats.warnings))}
      </p>
    </div>
  );
}
