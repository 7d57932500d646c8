/** The rules in their order: switched on and off, moved, opened and removed. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Rule } from "../../../src/contract/rules.ts";
import { useMissingScope } from "../catalog.ts";
import { rulesText as t } from "../messages/rules.ts";
import { channelsOf, isOn, moved, summaryOf, withPart } from "../rule-draft.ts";
import type { RuleSetDraft, DraftRule, FieldInfo } from "../rule-draft.ts";
import { Button } from "./buttons.tsx";
import { RuleForm } from "./rule-form.tsx";
import { Badge } from "./ui.tsx";

type ListProps = {
  readonly draft: RuleSetDraft;
  readonly fields: readonly FieldInfo[];
  /** The key of the rule whose form is open. */
  readonly open: number | null;
  readonly onOpen: (key: number | null) => void;
  readonly onChange: (draft: RuleSetDraft) => void;
};

export function RuleList({ draft, fields, open, onOpen, onChange }: ListProps): JSX.Element {
  const [message, setMessage] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef<string | undefined>(undefined);
  // A rule that moves in the document loses the focus.
  useLayoutEffect(() => {
    if (focus.current !== undefined) list.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = undefined;
  }, [draft]);
  const move = (at: number, by: -1 | 1) => {
    const next = moved(draft, at, by);
    const one = draft[at];
    if (next === draft || !one) return;
    focus.current = `[data-rule="${one.key}"] .move-${by < 0 ? "up" : "down"} button`;
    setMessage(t.moved(one.rule.name, at + by + 1, draft.length));
    onChange(next);
  };
  const remove = (at: number, { rule }: DraftRule) => {
    setMessage(t.removed(rule.name));
    onChange(draft.toSpliced(at, 1));
  };
  return (
    <>
      <ol class="rules" ref={list} aria-label={t.list}>
        {draft.map((one, at) => (
          <RuleCard
            key={one.key}
            {...{ one, at, fields }}
            isOpen={open === one.key}
            onToggle={() => onOpen(open === one.key ? null : one.key)}
            onChange={(rule) => onChange(draft.with(at, { ...one, rule }))}
            onMove={(by) => move(at, by)}
            onRemove={() => remove(at, one)}
          />
        ))}
      </ol>
      <p role="status" class="visually-hidden">
        {message}
      </p>
      <datalist id="rule-fields">
        {fields.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

type CardProps = {
  readonly one: DraftRule;
  readonly at: number;
  readonly fields: readonly FieldInfo[];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: (rule: Rule) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
};

function RuleCard({ one, at, fields, isOpen, onToggle, onChange, onMove, onRemove }: CardProps): JSX.Element {
  const { rule, key } = one;
  const isReadOnly = useMissingScope("write") !== undefined;
  const channels = channelsOf(rule).map((channel) => t.channel[channel]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || isReadOnly || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    onMove(event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <li class={`card rule${isOn(rule) ? "" : " off"}`} data-rule={key} onKeyDown={onKeyDown}>
      <div class="rule-head">
        <span class="rule-number muted" aria-hidden="true">
          {at + 1}
        </span>
        <div class="rule-text">
          <h2 class="anywhere">{rule.name}</h2>
          <p class="small anywhere">
            {summaryOf(rule)}
            {channels.length > 0 && <span class="muted"> · {t.forChannels(channels)}</span>}
          </p>
        </div>
        <OnOff rule={rule} onChange={onChange} />
        <div class="row-actions">
          <span class="move-up">
            <Button scope="write" kind="quiet" about={rule.name} onClick={() => onMove(-1)}>
              <span aria-hidden="true">↑</span>
              <span class="visually-hidden">{t.up}</span>
            </Button>
          </span>
          <span class="move-down">
            <Button scope="write" kind="quiet" about={rule.name} onClick={() => onMove(1)}>
              <span aria-hidden="true">↓</span>
              <span class="visually-hidden">{t.down}</span>
            </Button>
          </span>
          <Button kind="quiet" about={rule.name} onClick={onToggle}>
            {isOpen ? t.close : isReadOnly ? t.view : t.edit}
          </Button>
          <Button scope="write" kind="quiet" about={rule.name} onClick={onRemove}>
            {t.remove}
          </Button>
        </div>
      </div>
      {isOpen && (
        <RuleForm {...{ rule, fields, onChange }} pointer={`/rules/${at}`} examples={one.examples} />
      )}
    </li>
  );
}

function OnOff({
  rule,
  onChange,
}: {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}): JSX.Element {
  const missing = useMissingScope("write");
  if (missing !== undefined)
    return <Badge tone={isOn(rule) ? "ok" : "neutral"}>{isOn(rule) ? t.enabled : t.off}</Badge>;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn(rule)}
        onChange={({ currentTarget: { checked } }) =>
          onChange(withPart(rule, { enabled: checked ? undefined : false }))
        }
      />
      <span>
        {t.enabled}
        <span class="visually-hidden">: {rule.name}</span>
      </span>
    </label>
  );
}
