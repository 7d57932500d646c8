/** A source in the API: with its last run, and with the names of its secrets only. */
import type { Source } from "../contract/sources.ts";
import type { Run } from "../store/runs.ts";
import type { SourceRow } from "../store/sources.ts";
import { statsBody, statusBody } from "./run-answer.ts";

export type OpenSecrets = (sealed: Buffer | null) => Readonly<Record<string, string>>;

export function sourceView(source: SourceRow, lastRun: Run | undefined, openSecrets: OpenSecrets): Source {
  const { id, kind, name, settings, enabled, nextSyncAt, createdAt } = source;
  return {
    id,
    kind,
    name,
    settings: { ...settings },
    secrets_set: Object.keys(openSecrets(source.secretsSealed)).sort(),
    enabled,
    interval_s: source.intervalS,
    max_removed_ratio: source.maxRemovedRatio,
    item_count: source.itemCount,
    last_run: lastRun ? runView(lastRun) : null,
    next_run_at: enabled ? nextSyncAt.toISOString() : null,
    created_at: createdAt.toISOString(),
  };
}

function runView({ id, state, stats, error, finishedAt }: Run): NonNullable<Source["last_run"]> {
  return {
    run_id: id,
    status: statusBody(state),
    stats: statsBody(stats),
    error,
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
