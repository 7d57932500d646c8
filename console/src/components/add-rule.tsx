/** Ready-made rules to begin with, and an empty one. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { ReadyMadeRule, Rule } from "../../../src/contract/rules.ts";
import { rulesText as t } from "../messages/rules.ts";
import { Button } from "./buttons.tsx";

const EMPTY: Rule = { name: t.newName, action: { type: "default", field: "condition", value: "new" } };

export function AddRule({
  readyMade,
  isFirst,
  onAdd,
}: {
  readonly readyMade: readonly ReadyMadeRule[];
  /** There are no rules yet. */
  readonly isFirst: boolean;
  readonly onAdd: (rule: Rule) => void;
}): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const add = (rule: Rule) => {
    if (details.current) details.current.open = false;
    onAdd(rule);
  };
  const all = [...readyMade, { id: "", title: t.ownRule, description: t.ownRuleHelp, rule: EMPTY }];
  return (
    <details class="card add-rule" ref={details} open={isFirst}>
      <summary>{t.add}</summary>
      <ul class="ready-made">
        {all.map(({ id, title, description, rule }) => (
          <li key={id}>
            <Button scope="write" kind="quiet" onClick={() => add(rule)}>
              {title}
            </Button>
            <p class="small muted">{description}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
