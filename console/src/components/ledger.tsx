/** The ledger of a sync, written as a sum: seen = stored + unchanged + rejected. */
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
  return (
    <div class="ledger">
      <dl>
        {(["seen", ...PARTS] as const).map((name) => (
          <div key={name} class={`${name} ${stats[name] === 0 ? "none" : ""}`}>
            <dt class="small muted">{text[name]}</dt>
            <dd class="stat-value">{formatNumber(stats[name])}</dd>
          </div>
        ))}
      </dl>
      <p class="small muted">
        {isPartial ? text.partial : text.others(formatNumber(stats.removed), formatNumber(stats.warnings))}
      </p>
    </div>
  );
}
