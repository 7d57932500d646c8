/**
 * Decisions about values of items between two renders. A proposal has its last decision, and those before it as far as
 * they can be undone. So it is not always known whether there was one between two renders: then it is possible.
 */
import type { Queries } from "../../../store/db.ts";
import {
  type DecidedValue,
  type EffectSpan,
  findDecisionVersions,
  listDecidedValues,
} from "../../../store/render-facts.ts";

export type CausingDecision = Pick<DecidedValue, "id" | "itemId" | "field" | "value"> & {
  /** Whether it is known that there was one. */
  readonly isCertain: boolean;
};

/** Of these items, by id. */
export async function loadDecisions(
  db: Queries,
  catalogId: string,
  {
    ids,
    span,
    hasUndone,
  }: {
    readonly ids: readonly string[];
    readonly span: EffectSpan;
    /** Whether decisions between the renders were undone since then. */
    readonly hasUndone: boolean;
  },
): Promise<ReadonlyMap<string, readonly CausingDecision[]>> {
  if (span.after === span.upTo || ids.length === 0) return new Map();
  const values = await listDecidedValues(db, catalogId, { after: span.after, ids });
  const chains = new Map(
    values.filter(({ version }) => version > span.upTo).map((value) => [value.id, chainOf(value)]),
  );
  const versions = await findDecisionVersions(
    db,
    [...chains.values()].flatMap((chain) => chain.ids),
  );
  const decisions = values.flatMap(({ id, itemId, field, value }): readonly CausingDecision[] => {
    const chain = chains.get(id);
    const found = chain ? inSpan(chain, versions, span) : "certain";
    if (found === "none" && !hasUndone) return [];
    return [{ id, itemId, field, value, isCertain: found === "certain" }];
  });
  return Map.groupBy(decisions, ({ itemId }) => itemId);
}

type Chain = {
  /** Of the decisions, the last one first. */
  readonly ids: readonly string[];
  /** Whether these are all there were. */
  readonly isComplete: boolean;
};

function chainOf({ decisionId, before }: DecidedValue): Chain {
  const ids = decisionId === null ? [] : [decisionId];
  let last = before;
  for (let state = before; state; state = state.before ?? null) {
    if (state.decision_id !== undefined) ids.push(state.decision_id);
    last = state;
  }
  const isComplete = last !== null && last.decision_id === undefined && last.decided_at === undefined;
  return { ids, isComplete };
}

function inSpan(
  { ids, isComplete }: Chain,
  versions: ReadonlyMap<string, number | null>,
  { after, upTo }: EffectSpan,
): "certain" | "none" | "possible" {
  const known = ids.map((id) => versions.get(id));
  const isIn = (version: number | null | undefined): boolean =>
    version != null && version > after && version <= upTo;
  if (known.some(isIn)) return "certain";
  return isComplete && known.every((version) => version !== undefined) ? "none" : "possible";
}
