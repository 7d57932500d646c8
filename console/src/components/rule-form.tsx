/** The form of one rule: its name, its channels, its conditions and its action. */
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Rule, RuleCondition } from "../../../src/contract/rules.ts";
import { useMissingScope } from "../catalog.ts";
import { t as shared } from "../messages.ts";
import { rulesText as t } from "../messages/rules.ts";
import {
  channelsOf,
  entriesOf,
  hasList,
  hasValue,
  isShownByForm,
  isSimple,
  matchOf,
  valueOf,
  valueText,
  whenOf,
  withPart,
} from "../rule-draft.ts";
import type { FieldInfo, WhenMatch, RuleFormProps } from "../rule-draft.ts";
import { Button } from "./buttons.tsx";
import { Choices, SelectField, TextField } from "./fields.tsx";
import { RuleActionFields } from "./rule-action.tsx";
import { useRefusal } from "./form.tsx";

const CHANNELS = ["google", "openai", "schema_org"] as const;

export function RuleForm(props: RuleFormProps): JSX.Element {
  const { rule, pointer, onChange } = props;
  const missing = useMissingScope("write");
  const id = useId();
  const channels = channelsOf(rule);
  const choose = (value: string) => {
    const next = CHANNELS.filter((one) => (one === value ? !channels.includes(one) : channels.includes(one)));
    onChange(withPart(rule, { channel: next.length === 0 ? undefined : next }));
  };
  return (
    <fieldset
      class="fields rule-form"
      disabled={missing !== undefined}
      {...(missing !== undefined && { "aria-describedby": id })}
    >
      {missing !== undefined && (
        <p id={id} class="small muted">
          {shared.form.disabled(missing)}
        </p>
      )}
      <TextField
        label={t.name}
        help={t.nameHelp}
        pointer={`${pointer}/name`}
        defaultValue={rule.name}
        maxLength={100}
        onValue={(name) => onChange({ ...rule, name })}
      />
      <Choices
        legend={t.channels}
        name={`${pointer}/channel`}
        note={t.channelsNote}
        pointer={`${pointer}/channel`}
        options={CHANNELS.map((channel) => [channel, t.channel[channel]] as const)}
        chosen={channels}
        onChoose={choose}
      />
      {isShownByForm(rule) ? (
        <>
          <Conditions {...props} />
          <RuleActionFields {...props} />
        </>
      ) : (
        <AsJson {...props} />
      )}
    </fieldset>
  );
}

const NEW_CONDITION: RuleCondition = { field: "brand", operator: "is_empty" };

function Conditions({ rule, pointer, fields, examples = {}, onChange }: RuleFormProps): JSX.Element {
  const { when } = rule;
  const match = matchOf(when);
  const conditions = entriesOf(when).filter(isSimple);
  // After a removal the controls are new ones: they keep what was typed, not what they are given.
  const [removals, setRemovals] = useState(0);
  const change = (next: WhenMatch, list: readonly RuleCondition[]) =>
    onChange(withPart(rule, { when: whenOf(next, list) }));
  const error = useRefusal(`${pointer}/when`);
  return (
    <fieldset>
      <legend>{t.when}</legend>
      {error !== undefined && <p class="small field-error">{error}</p>}
      <SelectField
        label={t.match}
        options={(["always", "all", "any"] as const).map((one) => [one, t[one]] as const)}
        value={match}
        onValue={(next) => change(next as WhenMatch, conditions.length === 0 ? [NEW_CONDITION] : conditions)}
      />
      {conditions.map((condition, at) => (
        <Condition
          key={`${removals} ${at}`}
          {...{ condition, at, fields }}
          example={examples[`/when/${match}/${at}/value`]}
          pointer={`${pointer}/when/${match}/${at}`}
          onChange={(next) => change(match, conditions.with(at, next))}
          onRemove={() => {
            setRemovals(removals + 1);
            const rest = conditions.toSpliced(at, 1);
            change(rest.length === 0 ? "always" : match, rest);
          }}
        />
      ))}
      {match !== "always" && (
        <div>
          <Button scope="write" kind="quiet" onClick={() => change(match, [...conditions, NEW_CONDITION])}>
            {t.addCondition}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Condition({
  condition,
  at,
  pointer,
  fields,
  example,
  onChange,
  onRemove,
}: {
  readonly condition: RuleCondition;
  readonly at: number;
  readonly pointer: string;
  readonly fields: readonly FieldInfo[];
  readonly example: string | undefined;
  readonly onChange: (condition: RuleCondition) => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { field, operator, value } = condition;
  const info = fields.find(({ name }) => name === field);
  const setOperator = (next: RuleCondition["operator"]) => {
    const text = valueText(value);
    const kept = hasValue(next) ? valueOf(text, hasList(next), info?.kind) : undefined;
    onChange(withPart({ ...condition, operator: next }, { value: kept }));
  };
  return (
    <div class="condition" role="group" aria-label={t.condition(at + 1)}>
      <TextField
        label={t.field}
        pointer={`${pointer}/field`}
        list="rule-fields"
        defaultValue={field}
        onValue={(next) => onChange({ ...condition, field: next.trim() })}
      />
      <SelectField
        label={t.operator}
        pointer={`${pointer}/operator`}
        options={Object.entries(t.operators)}
        value={operator}
        onValue={(next) => setOperator(next as RuleCondition["operator"])}
      />
      {hasValue(operator) && <ConditionValue {...{ condition, pointer, info, example, onChange }} />}
      <Button scope="write" kind="quiet" about={t.condition(at + 1)} onClick={onRemove}>
        {t.removeCondition}
      </Button>
    </div>
  );
}

function ConditionValue({
  condition,
  pointer,
  info,
  example,
  onChange,
}: {
  readonly condition: RuleCondition;
  readonly pointer: string;
  readonly info: FieldInfo | undefined;
  readonly example: string | undefined;
  readonly onChange: (condition: RuleCondition) => void;
}): JSX.Element {
  const id = useId();
  const isList = hasList(condition.operator);
  return (
    <>
      <TextField
        key={isList ? "list" : "one"}
        label={isList ? t.values : t.value}
        pointer={`${pointer}/value`}
        {...(isList ? { lines: 3 } : { list: id })}
        help={helpOf(isList, example)}
        defaultValue={valueText(condition.value)}
        onValue={(text) => onChange({ ...condition, value: valueOf(text, isList, info?.kind) })}
      />
      <datalist id={id}>
        {info?.values.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}

const helpOf = (isList: boolean, example: string | undefined): string | undefined =>
  [isList && t.valuesHelp, example !== undefined && t.forExample(example)].filter(Boolean).join(" ") ||
  undefined;

/** For rules that the form does not show. */
function AsJson({ rule, pointer, onChange }: RuleFormProps): JSX.Element {
  const [isBad, setIsBad] = useState(false);
  const change = (text: string) => {
    try {
      onChange(JSON.parse(text) as Rule);
      setIsBad(false);
    } catch {
      setIsBad(true);
    }
  };
  return (
    <TextField
      label={t.json}
      help={isBad ? t.badJson : t.jsonHelp}
      pointer={pointer}
      lines={12}
      defaultValue={JSON.stringify(rule, null, 2)}
      onValue={change}
    />
  );
}
