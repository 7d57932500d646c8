/** Rules while they are edited: a list with keys that stay when rules move, and values as texts. */
import type { ReadyMadeRule, Rule, RuleAction, RuleCondition, RuleWhen } from "../../src/contract/rules.ts";
import { rulesText as t } from "./messages/rules.ts";

/** Of the places of a rule that are to be filled in, by JSON pointer, as texts. */
export type ExampleTexts = Readonly<Record<string, string>>;
export type DraftRule = { readonly key: number; readonly rule: Rule; readonly examples?: ExampleTexts };
export type RuleSetDraft = readonly DraftRule[];

let lastKey = 0;
export const draftOf = (rule: Rule, examples: ExampleTexts = {}): DraftRule => ({
  key: (lastKey += 1),
  rule,
  examples,
});
export const draftsOf = (rules: readonly Rule[]): RuleSetDraft => rules.map((rule) => draftOf(rule));
export const rulesOf = (draft: RuleSetDraft): readonly Rule[] => draft.map(({ rule }) => rule);

export function moved(draft: RuleSetDraft, at: number, by: -1 | 1): RuleSetDraft {
  const [one, other] = [draft[at], draft[at + by]];
  if (!one || !other) return draft;
  return draft.with(at, other).with(at + by, one);
}

export const isOn = ({ enabled = true }: Rule): boolean => enabled;

export type FieldInfo = { readonly name: string; readonly kind: string; readonly values: readonly string[] };

export type RuleFormProps = {
  readonly rule: Rule;
  /** The place of the rule in the body of the call: `/rules/3`. */
  readonly pointer: string;
  readonly fields: readonly FieldInfo[];
  readonly onChange: (rule: Rule) => void;
  readonly examples?: ExampleTexts | undefined;
};

/** "Default condition", "Default condition 2". */
export function freeName(name: string, rules: readonly Rule[]): string {
  const taken = new Set(rules.map((rule) => rule.name.toLowerCase()));
  for (let number = 1; ; number++) {
    const next = number === 1 ? name : `${name} ${number}`;
    if (!taken.has(next.toLowerCase())) return next;
  }
}

type Scalar = string | number | boolean;
export type ConditionValue = RuleCondition["value"];

export const hasList = (operator: RuleCondition["operator"]): boolean =>
  operator === "one_of" || operator === "not_one_of";
export const hasValue = (operator: RuleCondition["operator"]): boolean =>
  operator !== "is_empty" && operator !== "is_not_empty";

export const valueText = (value: ConditionValue): string =>
  Array.isArray(value) ? value.map(String).join("\n") : value === undefined ? "" : String(value);

const NUMBER = /^-?\d+(\.\d+)?$/;

function scalarOf(text: string, kind: string | undefined): Scalar {
  const trimmed = text.trim();
  if ((kind === "number" || kind === "money") && NUMBER.test(trimmed)) return Number(trimmed);
  if (kind === "flag" && /^(yes|true)$/i.test(trimmed)) return true;
  if (kind === "flag" && /^(no|false)$/i.test(trimmed)) return false;
  return trimmed;
}

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line.trim() !== "");

export const valueOf = (text: string, isList: boolean, kind: string | undefined): Scalar | Scalar[] =>
  isList ? linesOf(text).map((line) => scalarOf(line, kind)) : scalarOf(text, kind);

export const tableText = (table: RuleAction["table"] | RuleAction["parameters"] = {}): string =>
  Object.entries(table)
    .map(([name, value]) => `${name} = ${String(value)}`)
    .join("\n");

/** Lines without "=" are kept as names without a text, so that the API says what is wrong with them. */
export const tableOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.lastIndexOf("=");
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );

/** The rule with empty values where another shop's are, and these as examples. */
export function withoutExamples({ rule, parameters }: Pick<ReadyMadeRule, "rule" | "parameters">): {
  readonly rule: Rule;
  readonly examples: ExampleTexts;
} {
  const empty = structuredClone(rule);
  const examples: Record<string, string> = {};
  for (const { pointer, is_example: isExample } of parameters) {
    if (!isExample) continue;
    const names = pointer.split("/").slice(1);
    const last = names.pop() ?? "";
    const place = names.reduce<Part>((part, name) => part[name] as Part, empty as unknown as Part);
    const example = place[last];
    const isTable = typeof example === "object" && example !== null && !Array.isArray(example);
    examples[pointer] = isTable
      ? tableText(example as Record<string, string>)
      : valueText(example as ConditionValue);
    place[last] = isTable ? {} : Array.isArray(example) ? [] : "";
  }
  return { rule: empty, examples };
}

type Part = { [name: string]: unknown };

export type WhenMatch = "always" | "all" | "any";
type Entry = NonNullable<RuleWhen["all"]>[number];

export const isSimple = (entry: Entry): entry is RuleCondition => "operator" in entry;

export const matchOf = (when: RuleWhen | undefined): WhenMatch =>
  !when ? "always" : when.all ? "all" : "any";
export const entriesOf = (when: RuleWhen | undefined): readonly Entry[] => when?.all ?? when?.any ?? [];
/** The form shows conditions, but not groups of them. */
export const isShownByForm = ({ when }: Rule): boolean => entriesOf(when).every(isSimple);

export const whenOf = (match: WhenMatch, conditions: readonly RuleCondition[]): RuleWhen | undefined =>
  match === "always" ? undefined : match === "all" ? { all: [...conditions] } : { any: [...conditions] };

type Channel = "google" | "openai" | "schema_org";

export const channelsOf = ({ channel }: Rule): readonly Channel[] =>
  channel === undefined ? [] : typeof channel === "string" ? [channel] : channel;

/** A rule with a part changed; a part that is undefined is left out. */
export function withPart<Whole extends object>(
  whole: Whole,
  changes: { readonly [Part in keyof Whole]?: Whole[Part] | undefined },
): Whole {
  const all = { ...whole, ...changes } as Record<string, unknown>;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Whole;
}

/** What the rule does, in a line. */
export function summaryOf(rule: Rule): string {
  const { when, action } = rule;
  const conditions = entriesOf(when).map((entry) =>
    isSimple(entry)
      ? [entry.field, t.operators[entry.operator], valueText(entry.value).replaceAll("\n", ", ")]
          .join(" ")
          .trim()
      : t.group,
  );
  const does = t.does[action.type](action);
  return conditions.length === 0 ? does : `${t.ifText(conditions, when?.all ? "all" : "any")} ${does}`;
}
