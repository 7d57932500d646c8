/** The rules as they are edited, and what they would do. */
import { useEffect, useState } from "preact/hooks";
import type { Plan } from "../../src/contract/plans.ts";
import type { RulesAnswer, SavedRulesAnswer } from "../../src/contract/rule-sets.ts";
import type { Rule } from "../../src/contract/rules.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { useThisCatalog } from "./catalog.ts";
import { draftsOf, rulesOf } from "./rule-draft.ts";
import type { RuleSetDraft } from "./rule-draft.ts";
import { useAction } from "./use-data.ts";

export type StoredRules = Wire<typeof RulesAnswer>["data"];

/** Equal for equal rules: the API may have their parts in another order. */
const sameText = (rules: readonly Rule[]): string =>
  JSON.stringify(rules, (_name, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/** The list as it is edited. It begins again when another version is in force and nothing was changed here. */
export function useEditedRules(stored: StoredRules) {
  const [state, setState] = useState(() => ({ draft: draftsOf(stored.rules), of: stored }));
  const [open, setOpen] = useState<number | null>(null);
  const { draft, of } = state;
  const isSame = (rules: readonly Rule[]) => sameText(rules) === sameText(rulesOf(draft));
  const isChanged = !isSame(stored.rules);
  useEffect(() => {
    if (of !== stored && (isSame(of.rules) || isSame(stored.rules))) discard();
  }, [stored]);
  const discard = () => {
    setState({ draft: draftsOf(stored.rules), of: stored });
    setOpen(null);
  };
  const change = (next: RuleSetDraft) => setState({ draft: next, of });
  return { draft, isChanged, open, setOpen, change, discard };
}

export type Trial = ReturnType<typeof useTrial>;

/** A dry run of the whole list. If a rule is refused, its form opens. */
export function useTrial(draft: RuleSetDraft, onRefused: (key: number | null) => void) {
  const { fetch } = useThisCatalog();
  const [plan, setPlan] = useState<Plan>();
  const { run, isWorking, problem, clear } = useAction(async () => {
    setPlan(undefined);
    const body = { rules: rulesOf(draft), dry_run: true };
    setPlan(
      (await fetch<Wire<typeof SavedRulesAnswer>>("/rules", { method: "PUT", body })).plan ?? undefined,
    );
  });
  useEffect(() => {
    const at = /^\/rules\/(\d+)/.exec(problem?.fields[0]?.pointer ?? "")?.[1];
    const refused = draft[Number(at ?? Number.NaN)];
    if (refused) onRefused(refused.key);
  }, [problem]);
  return {
    run,
    isWorking,
    problem,
    plan,
    clear: () => {
      setPlan(undefined);
      clear();
    },
  };
}
