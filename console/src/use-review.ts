/** Decisions about proposals. What was decided since the console was opened can be undone, the last one first. */
import { useState } from "preact/hooks";
import type { DecidedAnswer, Proposal, ProposalGroup, ProposalState } from "../../src/contract/proposals.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import type { Problem } from "./api.ts";
import { useMissingScope, useThisCatalog } from "./catalog.ts";
import { t as shared } from "./messages.ts";
import { fieldName, proposalsText as t } from "./messages/proposals.ts";
import { useAction } from "./use-data.ts";

export type ReviewAction = "approve" | "reject" | "withdraw";

/** Which proposals: all of a group in one state, as many as were seen, or single ones. */
type Chosen =
  | { readonly ids: readonly string[] }
  | { readonly group: string; readonly expected: number; readonly state: ProposalState };

export type ReviewTarget = { readonly label: string; readonly chosen: Chosen };

/** The value, with its name if it is a number of something. */
export const shownValue = ({ value, value_name: name }: Pick<Proposal, "value" | "value_name">): string =>
  name === null ? value : t.named(name, value);

/** All proposals of a group have its value. */
export const groupValue = ({ value, examples }: Pick<ProposalGroup, "value" | "examples">): string =>
  shownValue(examples[0] ?? { value, value_name: null });

const labelOf = ({ field }: Pick<Proposal, "field">, value: string): string =>
  t.group(fieldName(field), value);

export const wholeGroup = (group: ProposalGroup, state: ProposalState): ReviewTarget => ({
  label: labelOf(group, groupValue(group)),
  chosen:
    group.examples.length === group.items
      ? { ids: group.examples.map(({ id }) => id) }
      : { group: group.group, expected: group.items, state },
});

export const single = (proposal: Proposal): ReviewTarget => ({
  label: labelOf(proposal, shownValue(proposal)),
  chosen: { ids: [proposal.id] },
});

type Made = { readonly label: string; readonly count: number; readonly decisionId: string };

/** By catalog. They last as long as the tab. */
const made = new Map<string, readonly Made[]>();

export type Review = {
  readonly decide: (verb: ReviewAction, target: ReviewTarget) => Promise<void>;
  readonly undo: () => Promise<void>;
  readonly canUndo: boolean;
  readonly isWorking: boolean;
  readonly problem: Problem | undefined;
  /** What was done last. */
  readonly message: string;
  readonly say: (message: string) => void;
};

export function useReview(onDecided: () => void): Review {
  const { slug, fetch } = useThisCatalog();
  const [message, say] = useState("");
  const missing = useMissingScope("write");
  const history = made.get(slug) ?? [];
  const send = async (verb: ReviewAction, body: Chosen | { readonly decision_id: string }) =>
    fetch<Wire<typeof DecidedAnswer>>(`/proposals/${verb}`, {
      method: "POST",
      body,
      // The values are applied in the background, while the next ones are looked at.
      headers: { prefer: "respond-async" },
    });
  const { run, isWorking, problem } = useAction(async (act: () => Promise<void>) => {
    // By a key: the buttons say it themselves.
    if (missing !== undefined) return say(shared.form.missingScope(missing));
    await act();
    return onDecided();
  });
  const decide = async (verb: ReviewAction, target: ReviewTarget) =>
    run(async () => {
      const { label, chosen } = target;
      const { decided, decision_id: decisionId } = await send(verb, chosen);
      if (decisionId !== null) made.set(slug, [...history, { label, count: decided, decisionId }]);
      say(t.done[verb](label, decided));
    });
  const undo = async () =>
    run(async () => {
      const last = history.at(-1);
      if (!last) return;
      await send("withdraw", { decision_id: last.decisionId });
      made.set(slug, history.slice(0, -1));
      say(t.done.undone(last.label, last.count));
    });
  return { decide, undo, canUndo: history.length > 0, isWorking, problem, message, say };
}
