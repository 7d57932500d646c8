/** What a rule does: the fields of its action, by type. */
import type { JSX } from "preact";
import type { RuleAction } from "../../../src/contract/rules.ts";
import { rulesText as t } from "../messages/rules.ts";
import { tableOf, tableText, valueOf, valueText, withPart } from "../rule-draft.ts";
import type { RuleFormProps } from "../rule-draft.ts";
import { SelectField, TextField } from "./fields.tsx";

type Part = Exclude<keyof RuleAction, "type">;

/** The parts that each type of action has, in the order of the form. */
const PARTS: Readonly<Record<RuleAction["type"], readonly Part[]>> = {
  set: ["field", "value"],
  default: ["field", "value"],
  copy: ["field", "from"],
  template: ["field", "text"],
  replace: ["field", "find", "pattern", "with"],
  map: ["field", "from", "table", "otherwise"],
  calculate: ["field", "formula"],
  clear: ["field"],
  add_parameters: ["parameters"],
  exclude: [],
};

/** An empty text is a value of these; other parts are then left out. */
const MAY_BE_EMPTY: ReadonlySet<Part> = new Set(["with", "text", "value", "formula"]);

const LABELS: Readonly<
  Record<Part, { readonly label: string; readonly help?: string; readonly lines?: number }>
> = {
  field: { label: t.target },
  value: { label: t.value },
  from: { label: t.from, help: t.fieldHelp },
  text: { label: t.template, help: t.templateHelp },
  find: { label: t.find },
  pattern: { label: t.pattern, help: t.patternHelp },
  with: { label: t.replaceWith, help: t.replaceHelp },
  table: { label: t.table, help: t.tableHelp, lines: 4 },
  otherwise: { label: t.otherwise },
  formula: { label: t.formula, help: t.formulaHelp },
  parameters: { label: t.parameters, help: t.parametersHelp, lines: 4 },
};

/** Of find and pattern, a rule has one. */
const MAY_BE_MISSING: ReadonlySet<Part> = new Set(["otherwise", "find", "pattern"]);
const NEEDS_TABLE: ReadonlySet<Part> = new Set(["table", "parameters"]);
const NAMES_FIELD: ReadonlySet<Part> = new Set(["field", "from"]);

function textOf(action: RuleAction, part: Part): string {
  if (part === "table") return tableText(action.table);
  if (part === "parameters") return tableText(action.parameters);
  return valueText(action[part]);
}

function helpOf(part: Part, isList: boolean, example: string | undefined): string | undefined {
  const help = part === "value" && isList ? t.valuesHelp : LABELS[part].help;
  return example === undefined ? help : [help, t.forExample(example)].filter(Boolean).join(" ");
}

export function RuleActionFields({
  rule,
  pointer,
  fields,
  examples = {},
  onChange,
}: RuleFormProps): JSX.Element {
  const { action } = rule;
  const kind = fields.find(({ name }) => name === action.field)?.kind;
  const isList = kind === "list" || Array.isArray(action.value);
  const read = (part: Part, text: string) => {
    if (NEEDS_TABLE.has(part)) return tableOf(text);
    if (text === "" && !MAY_BE_EMPTY.has(part)) return undefined;
    if (NAMES_FIELD.has(part)) return text.trim();
    return part === "value" ? valueOf(text, isList, kind) : text;
  };
  const setPart = (part: Part, text: string) =>
    onChange({ ...rule, action: withPart(action, { [part]: read(part, text) }) });
  const setType = (type: RuleAction["type"]) => {
    const kept = PARTS[type].flatMap((part) => (action[part] === undefined ? [] : [[part, action[part]]]));
    onChange({ ...rule, action: { type, ...(Object.fromEntries(kept) as Partial<RuleAction>) } });
  };
  return (
    <fieldset>
      <legend>{t.action}</legend>
      <SelectField
        label={t.actionType}
        pointer={`${pointer}/action/type`}
        options={Object.entries(t.actions)}
        value={action.type}
        onValue={(type) => setType(type as RuleAction["type"])}
      />
      {PARTS[action.type].map((part) => (
        <TextField
          key={`${action.type} ${part}`}
          {...LABELS[part]}
          isOptional={MAY_BE_MISSING.has(part)}
          pointer={`${pointer}/action/${part}`}
          {...(NAMES_FIELD.has(part) && { list: "rule-fields" })}
          {...(part === "value" && isList && { lines: 3 })}
          help={helpOf(part, isList, examples[`/action/${part}`])}
          defaultValue={textOf(action, part)}
          onValue={(text) => setPart(part, text)}
        />
      ))}
    </fieldset>
  );
}
