/** Undoes a decision: what it changed is as it was before, unless it was decided on again since then. */
import { AppError } from "../../errors.ts";
import { advanceEffects } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findDecision, markUndone } from "../../store/decisions.ts";
import { undoProposals } from "../../store/proposal-decisions.ts";
import { queueEffects } from "./rules.ts";

export type Decided = {
  readonly decided: number;
  readonly unchanged: number;
  readonly runId: string | null;
  /** To undo it; null if nothing was decided. */
  readonly decisionId: string | null;
};

/** The caller has the lock of the catalog and that of its proposals. Undoing it twice changes nothing more. */
export async function undo(tx: Queries, catalogId: string, id: string): Promise<Decided> {
  const found = await findDecision(tx, catalogId, id);
  if (!found)
    throw new AppError(
      "not_found",
      "There is no such decision about proposals, or it is too old to be undone. Nothing was changed.",
    );
  const { changes, isUndone } = found;
  if (isUndone) return { decided: 0, unchanged: changes, runId: null, decisionId: null };
  const version = found.version === null ? null : await advanceEffects(tx, catalogId, "values");
  const decided = Math.min(changes, await undoProposals(tx, catalogId, { decisionId: id, version }));
  if (decided === 0)
    throw new AppError(
      "conflict",
      "All of these proposals were decided on again since then. Nothing was changed.",
    );
  await markUndone(tx, { id, version });
  const runId = version === null ? null : await queueEffects(tx, catalogId, "approval");
  return { decided, unchanged: changes - decided, runId, decisionId: null };
}
