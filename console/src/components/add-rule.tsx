/** Ready-made rules to begin with, and an empty one. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { ReadyMadeRule } from "../../../src/contract/rules.ts";
import { rulesText as t } from "../messages/rules.ts";
import { Button } from "./buttons.tsx";

const EMPTY: ReadyMadeRule = {
  id: "",
  title: t.ownRule,
  description: t.ownRuleHelp,
  rule: { name: t.newName, action: { type: "default", field: "condition", value: "new" } },
  parameters: [],
};

export function AddRule({
  readyMade,
  isFirst,
  onAdd,
}: {
  readonly readyMade: readonly ReadyMadeRule[];
  /** There are no rules yet. */
  readonly isFirst: boolean;
  readonly onAdd: (rule: ReadyMadeRule) => void;
}): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const add = (rule: ReadyMadeRule) => {
    if (details.current) details.current.open = false;
    onAdd(rule);
  };
  return (
    <details class="card add-rule" ref={details} open={isFirst}>
      <summary>{t.add}</summary>
      <ul class="ready-made">
        {[...readyMade, EMPTY].map((rule) => (
          <li key={rule.id}>
            <Button scope="write" kind="quiet" onClick={() => add(rule)}>
              {rule.title}
            </Button>
            <p class="small muted">{rule.description}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
