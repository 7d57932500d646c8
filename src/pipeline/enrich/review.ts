/** Decisions about proposals. An approved value is applied by a run; the feeds change with the next render. */
import type { Decide, ProposalState } from "../../contract/proposals.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { advanceEffects, type Catalog } from "../../store/catalogs.ts";
import type { Db, Queries } from "../../store/db.ts";
import {
  type Chosen,
  countChosen,
  copyProposals,
  countUngrounded,
  decideProposals,
  hasRivals,
  rebindConflicted,
  retireReplaced,
} from "../../store/proposal-decisions.ts";
import { type Computed, type OnItems, tryEffects } from "./compute.ts";
import { loadEffects } from "./effects.ts";
import { lockedCatalog, queueEffects } from "./rules.ts";

export type Verb = "approve" | "reject" | "withdraw";

/** What each decision changes, and whether it changes effective items. */
const DECISIONS: Readonly<Record<Verb, { from: readonly ProposalState[]; to: ProposalState }>> = {
  approve: { from: ["pending", "conflicted"], to: "approved" },
  reject: { from: ["pending", "conflicted"], to: "rejected" },
  withdraw: { from: ["approved", "conflicted", "rejected"], to: "pending" },
};

export type Decided = { readonly decided: number; readonly unchanged: number; readonly runId: string | null };

/** Decides all that are chosen, or none. The same decision again changes nothing. */
export async function decide(
  db: Db,
  catalogId: string,
  { verb, keyId, ...decision }: Decide & { readonly verb: Verb; readonly keyId: string | null },
): Promise<Decided> {
  return db.tx(async (tx) => {
    await lockedCatalog(tx, catalogId);
    const which = chosenBy(decision);
    const { from, to } = DECISIONS[verb];
    const counts = await checkChosen(tx, catalogId, { which, verb, expected: decision.expected });
    const open = sum(counts, from);
    const unchanged = counts.get(to) ?? 0;
    if (open === 0) return { decided: 0, unchanged, runId: null };
    const isInForce =
      verb === "approve" || (counts.get("approved") ?? 0) + (counts.get("conflicted") ?? 0) > 0;
    const version = isInForce ? await advanceEffects(tx, catalogId, "values") : null;
    const reason = decision.reason ?? null;
    const decided = await write(tx, catalogId, which, { verb, version, keyId, reason });
    return { decided, unchanged, runId: isInForce ? await queueEffects(tx, catalogId, "approval") : null };
  });
}

type Written = {
  readonly verb: Verb;
  readonly version: number | null;
  readonly keyId: string | null;
  readonly reason: string | null;
};

async function write(
  tx: Queries,
  catalogId: string,
  which: Chosen,
  { verb, version, keyId, reason }: Written,
): Promise<number> {
  if (verb === "approve" && version !== null) {
    await retireReplaced(tx, catalogId, which, version);
    await rebindConflicted(tx, catalogId, which);
  }
  return decideProposals(tx, catalogId, which, { ...DECISIONS[verb], keyId, reason, version });
}

function chosenBy({ ids, group, state, expected }: Decide): Chosen {
  if (ids !== undefined && group === undefined) return { ids };
  if (group !== undefined && ids === undefined && expected !== undefined) return { group, state };
  throw new AppError("invalid_request", "Send either ids, or a group with the number of proposals expected.");
}

type Check = { readonly which: Chosen; readonly verb: Verb; readonly expected?: number | undefined };

/** Refuses if a group has more or fewer than the caller saw, or if an id cannot be decided on. */
async function checkChosen(tx: Queries, catalogId: string, { which, verb, expected }: Check) {
  const counts = await countChosen(tx, catalogId, which);
  if ("group" in which && which.state === undefined && counts.size === 0)
    throw new AppError("not_found", "There is no such group of proposals. Nothing was decided.");
  if ("ids" in which) checkStates(counts, which.ids.length, verb);
  else checkCount(sum(counts, DECISIONS[verb].from), verb, expected);
  if (verb === "approve") await checkValues(tx, catalogId, which);
  return counts;
}

function checkCount(open: number, verb: Verb, expected: number | undefined): void {
  if (open === expected || open === 0) return;
  throw new AppError(
    "conflict",
    `The group has ${counted(open, "proposal")} to ${verb}, not ${expected ?? 0}. Nothing was decided; look at it again.`,
  );
}

async function checkValues(tx: Queries, catalogId: string, which: Chosen): Promise<void> {
  if ("group" in which && (await countUngrounded(tx, catalogId, which)) > 0)
    throw new AppError(
      "conflict",
      "Some values of this group have words that are not in the item. Approve them one by one, by their ids.",
    );
  if (await hasRivals(tx, catalogId, which))
    throw new AppError(
      "conflict",
      "Two of these proposals are for the same field of an item. Nothing was decided; choose one of them.",
    );
}

function checkStates(counts: ReadonlyMap<ProposalState, number>, asked: number, verb: Verb): void {
  const { from, to } = DECISIONS[verb];
  const known = sum(counts, [...counts.keys()]);
  if (known < asked)
    throw new AppError("not_found", `${asked - known} of these proposals do not exist. Nothing was decided.`);
  const other = known - sum(counts, from) - (counts.get(to) ?? 0);
  if (other > 0)
    throw new AppError(
      "conflict",
      `${counted(other, "proposal")} of these cannot be decided this way: they are ${[...counts.keys()].filter((state) => state !== to && !from.includes(state)).join(" or ")}. Nothing was decided.`,
    );
}

const sum = (counts: ReadonlyMap<ProposalState, number>, states: readonly ProposalState[]): number =>
  states.reduce((total, state) => total + (counts.get(state) ?? 0), 0);

/** What an approval would do, in a transaction that is rolled back. */
export async function tryApproval(
  tx: Queries,
  catalog: Catalog,
  decision: Decide,
  onItems?: OnItems,
): Promise<Computed> {
  const { version, rules, applied } = catalog.effects;
  const which = chosenBy(decision);
  await copyProposals(tx, catalog.id, which);
  await checkChosen(tx, catalog.id, { which, verb: "approve", expected: decision.expected });
  const next = version + 1;
  await write(tx, catalog.id, which, { verb: "approve", version: next, keyId: null, reason: null });
  const effects = await loadEffects(tx, catalog);
  const of = { catalog: { id: catalog.id, effects: { version: next, rules, applied } }, effects };
  return tryEffects(tx, of, onItems);
}
