/** Decisions about proposals. An approved value is applied by a run; the feeds change with the next render. */
import { BULK_CONFIDENCE, type Decide, type ProposalState } from "../../contract/proposals.ts";
import { AppError } from "../../errors.ts";
import { counted, plural } from "../../lib/counted.ts";
import { newId } from "../../lib/id.ts";
import { advanceEffects, type Catalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import { addToDecision, insertDecision } from "../../store/decisions.ts";
import {
  type Chosen,
  type ChosenCount,
  countChosen,
  decideProposals,
  hasRivals,
  inSteps,
  listChosen,
  retireReplaced,
} from "../../store/proposal-decisions.ts";
import { lockProposals } from "../../store/proposals.ts";
import { type Computed, computeDecided, type OnItems } from "./compute.ts";
import { loadEffects } from "./effects.ts";
import { lockedCatalog, queueEffects } from "./rules.ts";
import { type Decided, undo } from "./undo.ts";

export type DecisionAction = "approve" | "reject" | "withdraw";

/** What each decision changes. */
const DECISIONS: Readonly<Record<DecisionAction, { from: readonly ProposalState[]; to: ProposalState }>> = {
  approve: { from: ["pending", "conflicted"], to: "approved" },
  reject: { from: ["pending", "conflicted"], to: "rejected" },
  withdraw: { from: ["approved", "conflicted", "rejected"], to: "pending" },
};

type Deciding = Decide & { readonly action: DecisionAction; readonly keyId: string | null };

/**
 * Decides all that are chosen, if the checks pass. The same decision again changes nothing. All checks and the choice are made at
 * once; many proposals are then written in steps, so that other calls need not wait for all of them. If the server stops in
 * between, the rest stays as it was, and what was decided can be undone.
 */
export async function decide(db: Db, catalogId: string, decision: Deciding): Promise<Decided> {
  const { action, keyId, reason = null } = decision;
  if (decision.decision_id !== undefined) return undo(db, catalogId, undoneBy(action, decision));
  const which = chosenBy(decision);
  const written = { action, keyId, reason, decisionId: newId() };
  const { decided, rest, ...begun } = await db.tx(async (tx) => {
    const counts = await locked(tx, catalogId, async () =>
      checkedCounts(tx, catalogId, { which, action, expected: decision.expected }),
    );
    const unchanged = sum(counts, [DECISIONS[action].to]);
    const isInForce = action === "approve" || sum(counts, ["approved", "conflicted"]) > 0;
    if (sum(counts, DECISIONS[action].from) === 0)
      return { decided: 0, unchanged, isInForce, rest: [], runId: null, decisionId: null };
    // One step at a time becomes text: a million ids would take more memory than everything else.
    const rest = inSteps(await listChosen(tx, catalogId, which, DECISIONS[action].from));
    const first = rest.next().value ?? [];
    await insertDecision(tx, catalogId, { id: written.decisionId, action, changes: 0, version: null });
    const step = await writeStep(tx, catalogId, first, { ...written, isInForce });
    return { ...step, unchanged, isInForce, rest, decisionId: written.decisionId };
  });
  let [total, { runId }] = [decided, begun];
  for (const ids of rest) {
    // A session of its own: the change is logged once.
    const step = await db.session(async (session) =>
      session.tx(async (tx) =>
        locked(tx, catalogId, async () =>
          writeStep(tx, catalogId, ids, { ...written, isInForce: begun.isInForce }),
        ),
      ),
    );
    total += step.decided;
    runId = step.runId ?? runId;
  }
  return { decided: total, unchanged: begun.unchanged, runId, decisionId: begun.decisionId };
}

async function locked<T>(tx: Queries, catalogId: string, work: () => Promise<T>): Promise<T> {
  await lockedCatalog(tx, catalogId);
  await lockProposals(tx, catalogId);
  return work();
}

async function checkedCounts(tx: Queries, catalogId: string, check: Check): Promise<readonly ChosenCount[]> {
  const counts = await checkChosen(tx, catalogId, check);
  if (check.action === "approve") checkBulk(check.which, counts);
  return counts;
}

type Written = {
  readonly action: DecisionAction;
  readonly decisionId: string;
  readonly keyId: string | null;
  readonly reason: string | null;
};

/** Each step has its own version, so that a run between two of them leaves nothing out. */
async function writeStep(
  tx: Queries,
  catalogId: string,
  ids: readonly string[],
  { isInForce, ...written }: Written & { readonly isInForce: boolean },
): Promise<{ readonly decided: number; readonly runId: string | null }> {
  const version = isInForce ? await advanceEffects(tx, catalogId, "values") : null;
  const decided = await write(tx, catalogId, ids, { ...written, version });
  await addToDecision(tx, { id: written.decisionId, changes: decided, version });
  return { decided, runId: isInForce ? await queueEffects(tx, catalogId, "approval") : null };
}

async function write(
  tx: Queries,
  catalogId: string,
  ids: readonly string[],
  { action, version, ...written }: Written & { readonly version: number | null },
): Promise<number> {
  const { decisionId } = written;
  if (action === "approve" && version !== null)
    await retireReplaced(tx, catalogId, ids, { decisionId, version });
  return decideProposals(tx, catalogId, ids, { ...DECISIONS[action], ...written, version });
}

function undoneBy(action: DecisionAction, { decision_id: id, ids, group }: Decide): string {
  if (id !== undefined && action === "withdraw" && ids === undefined && group === undefined) return id;
  throw new AppError(
    "invalid_request",
    "Only POST /proposals/withdraw takes a decision_id, and no ids or group beside it.",
  );
}

export function chosenBy({ ids, group, state, expected }: Decide): Chosen {
  if (ids !== undefined && group === undefined) return { ids };
  if (group !== undefined && ids === undefined && expected !== undefined) return { group, state };
  throw new AppError("invalid_request", "Send either ids, or a group with the number of proposals expected.");
}

type Check = {
  readonly which: Chosen;
  readonly action: DecisionAction;
  readonly expected?: number | undefined;
};

/** Refuses if a group has more or fewer than the caller saw, or if an id cannot be decided on. */
async function checkChosen(tx: Queries, catalogId: string, { which, action, expected }: Check) {
  const counts = await countChosen(tx, catalogId, which);
  if ("group" in which && which.state === undefined && counts.length === 0)
    throw new AppError("not_found", "There is no such group of proposals. Nothing was decided.");
  if ("ids" in which) checkStates(counts, which.ids.length, action);
  else checkCount(sum(counts, DECISIONS[action].from), action, expected);
  if (action === "approve" && (await hasRivals(tx, catalogId, which)))
    throw new AppError(
      "conflict",
      "Two of these proposals are for the same field of an item. Nothing was decided; choose one of them.",
    );
  return counts;
}

function checkCount(open: number, action: DecisionAction, expected: number | undefined): void {
  if (open === expected || open === 0) return;
  throw new AppError(
    "conflict",
    `The group has ${counted(open, "proposal")} to ${action}, not ${expected ?? 0}. Nothing was decided; look at it again.`,
  );
}

/** A value that is not in the evidence or is not sure is approved alone, by somebody who has looked at it. */
function checkBulk(which: Chosen, counts: readonly ChosenCount[]): void {
  if ("ids" in which && which.ids.length === 1) return;
  const open = counts.filter(({ state }) => DECISIONS.approve.from.includes(state));
  const total = (of: "ungrounded" | "unsure") => open.reduce((sum, one) => sum + one[of], 0);
  if (total("ungrounded") > 0) throw notInBulk(total("ungrounded"), "words that are not in the evidence");
  if (total("unsure") > 0) throw notInBulk(total("unsure"), `a confidence below ${BULK_CONFIDENCE}`);
}

function notInBulk(count: number, why: string): AppError {
  return new AppError(
    "conflict",
    `${counted(count, "value")} of these ${count === 1 ? "has" : "have"} ${why}. Nothing was decided; approve such values one at a time, each by its id.`,
  );
}

function checkStates(counts: readonly ChosenCount[], asked: number, action: DecisionAction): void {
  const { from, to } = DECISIONS[action];
  const states = counts.map(({ state }) => state);
  const known = sum(counts, states);
  if (known < asked) {
    const missing = counted(asked - known, "of these proposals does", "of these proposals do");
    throw new AppError("not_found", `${missing} not exist. Nothing was decided.`);
  }
  const other = known - sum(counts, from) - sum(counts, [to]);
  if (other > 0)
    throw new AppError(
      "conflict",
      `${counted(other, "proposal")} of these cannot be decided this way: ${plural(other, "it is", "they are")} ${states.filter((state) => state !== to && !from.includes(state)).join(" or ")}. Nothing was decided.`,
    );
}

const sum = (counts: readonly ChosenCount[], states: readonly ProposalState[]): number =>
  counts.reduce((total, { state, count }) => total + (states.includes(state) ? count : 0), 0);

/** What an approval would do, in a transaction that is rolled back. */
export async function tryApproval(
  tx: Queries,
  catalog: Catalog,
  decision: Decide,
  onItems?: OnItems,
): Promise<Computed> {
  const { version, rules, applied } = catalog.effects;
  const which = chosenBy(decision);
  await checkChosen(tx, catalog.id, { which, action: "approve", expected: decision.expected });
  const next = version + 1;
  const written = { decisionId: newId(), version: next, keyId: null, reason: null };
  for (const ids of inSteps(await listChosen(tx, catalog.id, which, DECISIONS.approve.from)))
    await write(tx, catalog.id, ids, { action: "approve", ...written });
  const effects = await loadEffects(tx, catalog);
  const of = { catalog: { id: catalog.id, effects: { version: next, rules, applied } }, effects };
  return computeDecided(tx, of, onItems);
}
