/** Undoes a decision: what it changed is as it was before, unless it was decided on again since then. */
import { AppError } from "../../errors.ts";
import { advanceEffects } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { type DecisionRow, findDecision, markUndone } from "../../store/decisions.ts";
import { undoStep } from "../../store/proposal-decisions.ts";
import { lockProposals } from "../../store/proposals.ts";
import { lockedCatalog, queueEffects } from "./rules.ts";

export type Decided = {
  readonly decided: number;
  readonly unchanged: number;
  readonly runId: string | null;
  /** To undo it; null if nothing was decided. */
  readonly decisionId: string | null;
};

/** Undoing it twice changes nothing more. Many proposals are undone in steps, so that other calls need not wait for all of them. */
export async function undo(db: Db, catalogId: string, id: string): Promise<Decided> {
  const { found, ...first } = await db.tx(async (tx) => {
    await lockedCatalog(tx, catalogId);
    const found = await findDecision(tx, catalogId, id);
    if (!found)
      throw new AppError(
        "not_found",
        "There is no such decision about proposals, or it is too old to be undone. Nothing was changed.",
      );
    if (found.isUndone) return { found, decided: 0, isLast: true, runId: null };
    const step = await oneStep(tx, catalogId, found);
    if (step.decided === 0)
      throw new AppError(
        "conflict",
        "All of these proposals were decided on again since then. Nothing was changed.",
      );
    return { found, ...step };
  });
  const { changes, isUndone } = found;
  if (isUndone) return { decided: 0, unchanged: changes, runId: null, decisionId: null };
  let { decided: total, runId, isLast } = first;
  while (!isLast) {
    // A session of its own: the change is logged once.
    const step = await db.session(async (session) =>
      session.tx(async (tx) => {
        await lockedCatalog(tx, catalogId);
        return oneStep(tx, catalogId, found);
      }),
    );
    total += step.decided;
    ({ runId, isLast } = step);
  }
  // Values that it replaced are in force again; they were no decisions of it.
  const decided = Math.min(changes, total);
  return { decided, unchanged: changes - decided, runId, decisionId: null };
}

async function oneStep(tx: Queries, catalogId: string, { id, version: decidedIn }: DecisionRow) {
  await lockProposals(tx, catalogId);
  const version = decidedIn === null ? null : await advanceEffects(tx, catalogId, "values");
  const { undone: decided, isLast } = await undoStep(tx, catalogId, { decisionId: id, version });
  if (isLast) await markUndone(tx, { id, version });
  const runId = version === null ? null : await queueEffects(tx, catalogId, "approval");
  return { decided, isLast, runId };
}
