/** Where an item was read: its source, the newest successful run, and what was said about it then. */
import type { ItemExplanation } from "../../contract/explain.ts";
import type { SyncIssue } from "../../contract/runs.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { fieldNamed } from "../../enrich/rules/field-names.ts";
import type { Queries } from "../../store/db.ts";
import { pageRuns } from "../../store/run-history.ts";
import { findIssues } from "../../store/run-issues.ts";
import type { Run } from "../../store/runs.ts";
import { findSource } from "../../store/sources.ts";

export type NotedField = {
  /** Null: a warning that is about no field of an item. */
  readonly field: string | null;
  readonly note: ItemExplanation["notes"][number];
};

export type SourceOrigin = Pick<ItemExplanation, "source" | "run"> & {
  readonly notes: readonly NotedField[];
};

/** Of so many runs all warnings are kept. */
const RECENT_RUNS = 3;

export async function loadOrigin(
  db: Queries,
  catalogId: string,
  { id, sourceId }: { readonly id: string; readonly sourceId: string | null },
): Promise<SourceOrigin> {
  const source = sourceId === null ? undefined : await findSource(db, sourceId);
  const runs = await pageRuns(
    db,
    catalogId,
    { kind: "sync", states: ["succeeded"], sourceId },
    { before: null, limit: RECENT_RUNS },
  );
  const [run] = runs;
  return {
    source: source ? { id: source.id, kind: source.kind, name: source.name } : null,
    run: run?.finishedAt ? { run_id: run.id, finished_at: run.finishedAt.toISOString() } : null,
    notes: await loadNotes(db, runs, id),
  };
}

/** Of the newest run that has any: a run of a source that reads only what changed says nothing about other items. */
async function loadNotes(db: Queries, runs: readonly Run[], itemId: string): Promise<readonly NotedField[]> {
  for (const run of runs) {
    const issues = await warningsOf(db, run);
    const notes = issues.filter((issue) => issue.item_id === itemId).map((issue) => noted(issue, run.id));
    if (notes.length > 0 || isComplete(run)) return notes;
  }
  return [];
}

/** A push may be a change of some items only. */
const isComplete = ({ sourceId, reads }: Run): boolean => sourceId !== null && reads === "all";

type Issue = Omit<SyncIssue, "kind">;

async function warningsOf(db: Queries, { id, stats }: Run): Promise<readonly Issue[]> {
  const stored = await findIssues(db, id);
  if (stored) return stored.filter(({ kind }) => kind === "warning");
  return (stats as Partial<SyncStats>).warning_examples ?? [];
}

function noted({ field, code, message, position }: Issue, runId: string): NotedField {
  const known = field === null ? undefined : fieldNamed(field);
  return { field: known?.name ?? null, note: { code, message, run_id: runId, position } };
}
