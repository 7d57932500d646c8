/** Compiles the conditions of a rule into one function of an item. */
import type { RuleCondition, RuleWhen } from "../../contract/rules.ts";
import { foldText } from "../../catalog/text.ts";
import { quoted } from "../../catalog/normalize/fields.ts";
import { PROBLEMS } from "../../catalog/checked.ts";
import { parseMoney } from "../../catalog/money.ts";
import type { Item } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import { checkConstant, type Scalar, scalarText } from "./constants.ts";
import type { CompiledCondition, Matches } from "./condition.ts";
import { contradictionIn } from "./contradictions.ts";
import { requiredField } from "./field-names.ts";
import { type FieldText, NO_SOURCE, type RuleField, type RuleSource } from "./fields.ts";
import { fold, foldPath } from "./fold.ts";
import {
  MATCHING,
  OPERATORS,
  SEARCHING,
  QUANTITY_KINDS,
  quantityTest,
  type TextTest,
  textTest,
} from "./operators.ts";
import { compilePattern } from "./pattern.ts";
import { RuleError } from "./problem.ts";
import { type Quantity, quantityOf } from "./quantity.ts";
import { isRefusal } from "./write.ts";

export type RuleContext = {
  readonly settings: CatalogSettings;
  /** Ids and names of the catalog's sources, if conditions on `source` are to be checked. */
  readonly sources?: readonly RuleSource[] | undefined;
  /**
   * Whether Google categories must be in the taxonomy. Rules that are in force are not checked: they would be left out of the feeds
   * because of one entry, or of a newer taxonomy.
   */
  readonly checksCategories?: boolean;
};

export function compileWhen(when: RuleWhen | undefined, context: RuleContext): Matches {
  return when === undefined ? () => true : compileGroup(when, "/when", context).matches;
}

type Group = {
  readonly matches: Matches;
  readonly isAll: boolean;
  readonly conditions: readonly CompiledCondition[];
};
type Entry = CompiledCondition | Group;
const isGroup = (entry: Entry): entry is Group => "isAll" in entry;
const isSingle = (entry: Entry): entry is CompiledCondition => !isGroup(entry);

function compileGroup(group: RuleWhen, pointer: string, context: RuleContext): Group {
  const isAll = group.all !== undefined;
  const list = group.all ?? group.any ?? [];
  if (list.length === 0) throw new RuleError("missing_part", pointer, "The list of conditions is empty.");
  const at = `${pointer}/${isAll ? "all" : "any"}`;
  const entries = list.map(
    (entry, index): Entry =>
      "field" in entry
        ? compileCondition(entry, `${at}/${index}`, context)
        : compileGroup(entry, `${at}/${index}`, context),
  );
  const conditions = entries.filter(isSingle);
  if (isAll) checkAll(conditions, entries.filter(isGroup), at);
  const tests = entries.map(({ matches }) => matches);
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return { matches: only, isAll, conditions };
  const matches: Matches = isAll
    ? (item, source) => tests.every((test) => test(item, source))
    : (item, source) => tests.some((test) => test(item, source));
  return { matches, isAll, conditions };
}

/** Refuses conditions that no item can satisfy together. An inner `any` needs one that fits the others. */
function checkAll(conditions: readonly CompiledCondition[], groups: readonly Group[], pointer: string): void {
  const problem = contradictionIn(conditions);
  if (problem !== undefined) throw new RuleError("never_matches", pointer, problem);
  for (const group of groups) {
    const choices = group.isAll ? [group.conditions] : group.conditions.map((choice) => [choice]);
    const problems = choices.map((choice) => contradictionIn([...conditions, ...choice]));
    const [first] = problems;
    if (first !== undefined && problems.every((each) => each !== undefined))
      throw new RuleError("never_matches", pointer, first);
  }
}

function compileCondition(
  { field: name, operator, value }: RuleCondition,
  pointer: string,
  context: RuleContext,
): CompiledCondition {
  const field = requiredField(name, `${pointer}/field`);
  const { kinds, takes } = OPERATORS[operator];
  if (!kinds.has(field.kind))
    throw new RuleError("operator_not_fitting", `${pointer}/operator`, notFitting(field, operator));
  if (operator === "is_empty" && field.isRequired === true)
    throw new RuleError(
      "never_matches",
      `${pointer}/operator`,
      `No item can match: every item has ${field.name}.`,
    );
  const values = valuesOf(value, takes, { operator, pointer: `${pointer}/value` });
  const isQuantity = QUANTITY_KINDS.has(field.kind);
  const isPattern = MATCHING.has(operator);
  const texts = isPattern
    ? values.map(scalarText)
    : isQuantity
      ? []
      : values.map((each) => textOf(field, each, `${pointer}/value`, context));
  const quantities = isQuantity
    ? values.map((each) => quantityIn(field, each, `${pointer}/value`, context))
    : [];
  checkPart(operator, texts, `${pointer}/value`);
  if (field.name === "source") checkSource(texts, `${pointer}/value`, context);
  const compiled = {
    field,
    operator,
    texts,
    quantities,
    textTest: isPattern ? patternTest(texts, `${pointer}/value`) : textTest(operator, field.kind, texts),
    quantityTest: quantityTest(operator, quantities),
  };
  return { ...compiled, matches: matcher(compiled) };
}

function patternTest([source = ""]: readonly string[], pointer: string): TextTest {
  const pattern = compilePattern(source, pointer, { isFolded: true });
  return (text) => pattern.matcher(text).find();
}

function notFitting({ name, kind }: RuleField, operator: string): string {
  const fitting = Object.entries(OPERATORS).flatMap(([known, { kinds }]) => (kinds.has(kind) ? [known] : []));
  return `${operator} cannot be used with ${name}. Use ${fitting.join(", ")}.`;
}

function valuesOf(
  value: RuleCondition["value"],
  takes: "one value" | "a list" | "no value",
  { operator, pointer }: { readonly operator: string; readonly pointer: string },
): readonly Scalar[] {
  if (takes === "no value") {
    if (value === undefined) return [];
    throw new RuleError("unexpected_part", pointer, `${operator} takes no value. Remove it.`);
  }
  if (value === undefined) throw new RuleError("missing_part", pointer, `${operator} needs a value.`);
  if (takes === "a list") {
    if (!Array.isArray(value))
      throw new RuleError("invalid_value", pointer, `${operator} takes a list of values.`);
    if (value.length === 0)
      throw new RuleError("never_matches", pointer, `${operator} has an empty list. Add values.`);
    return value as readonly Scalar[];
  }
  if (Array.isArray(value))
    throw new RuleError("invalid_value", pointer, `${operator} takes one value. Use one_of for a list.`);
  return [value as Scalar];
}

/** The text in the form in which items have it. */
function textOf(field: RuleField, value: Scalar, pointer: string, { settings }: RuleContext): string {
  const text = fold(scalarText(value));
  if (text === "")
    throw new RuleError("invalid_value", pointer, "The value is empty. Use is_empty or is_not_empty.");
  if (field.kind === "paths") return foldPath(scalarText(value));
  if (field.kind !== "word" && field.kind !== "flag") return text;
  // What cannot be set is compared with the same words as what can.
  const settable = field.target === undefined ? requiredField("is_bundle", pointer) : field;
  const checked = checkConstant(settable, scalarText(value), settings);
  if (isRefusal(checked))
    throw new RuleError("invalid_value", pointer, checked.refused.replace(settable.name, field.name));
  return String(settable.read(checked, NO_SOURCE) ?? "").toLowerCase();
}

function quantityIn(field: RuleField, value: Scalar, pointer: string, { settings }: RuleContext): Quantity {
  const text = foldText(scalarText(value));
  if (field.kind === "number") return numberIn(field, text, pointer);
  if (field.kind === "money") return amountIn(field, text, pointer, settings);
  const checked = checkConstant(field, text, settings);
  if (isRefusal(checked)) throw new RuleError("invalid_value", pointer, checked.refused);
  return quantityOf(field.kind, String(field.read(checked, NO_SOURCE)));
}

function numberIn({ name }: RuleField, text: string, pointer: string): Quantity {
  const number = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number))
    throw new RuleError(
      "invalid_value",
      pointer,
      `${name} is compared with numbers, and ${quoted(text)} is none.`,
    );
  return { value: number, unit: "" };
}

/** Without a currency, in that of the catalog; if it has none, in that of the item. */
function amountIn({ name }: RuleField, text: string, pointer: string, settings: CatalogSettings): Quantity {
  const money = parseMoney(text, { currency: settings.currency, decimalMark: "." });
  const isBare = money.kind === "invalid" && money.reason === "missing_currency";
  const amount = isBare ? parseMoney(text, { currency: "USD", decimalMark: "." }) : money;
  if (amount.kind === "valid" && amount.isRounded !== true)
    return { value: Number(amount.value.amount), unit: isBare ? undefined : amount.value.currency };
  const reason = amount.kind === "valid" ? "too_precise" : amount.reason;
  throw new RuleError("invalid_value", pointer, `${name} ${quoted(text)} ${PROBLEMS[reason]}.`);
}

/** Looking for a long text inside another may take the product of their lengths. */
const LONGEST_PART = 200;

function checkPart(
  operator: RuleCondition["operator"],
  [text = ""]: readonly string[],
  pointer: string,
): void {
  if (!(SEARCHING.has(operator) || MATCHING.has(operator)) || text.length <= LONGEST_PART) return;
  const message = `The text of ${operator} is longer than ${LONGEST_PART} characters. Use a shorter part.`;
  throw new RuleError("invalid_value", pointer, message);
}

function checkSource(texts: readonly string[], pointer: string, { sources }: RuleContext): void {
  if (sources === undefined) return;
  const known = new Set(["pushed", ...sources.flatMap(({ id, name }) => [fold(id ?? ""), fold(name ?? "")])]);
  const unknown = texts.find((text) => !known.has(text));
  if (unknown === undefined) return;
  const names = sources.map(({ name, id }) => JSON.stringify(name ?? id)).slice(0, 10);
  const message = `The catalog has no source ${quoted(unknown)}. Its sources: ${[...names, '"pushed"'].join(", ")}.`;
  throw new RuleError("never_matches", pointer, message);
}

type Uncompiled = Omit<CompiledCondition, "matches">;

function matcher({ field, operator, textTest, quantityTest }: Uncompiled): Matches {
  const { isNegative } = OPERATORS[operator];
  if (operator === "is_empty" || operator === "is_not_empty")
    return (item, source) => (field.read(item, source) === undefined) === isNegative;
  if (QUANTITY_KINDS.has(field.kind)) {
    return (item, source) => {
      const text = field.read(item, source);
      return (text !== undefined && quantityTest(quantityOf(field.kind, String(text)))) !== isNegative;
    };
  }
  const read = foldedReader(field);
  return (item, source) => isMatch(read(item, source), textTest) !== isNegative;
}

function isMatch(text: FieldText, test: TextTest): boolean {
  if (text === undefined) return false;
  return typeof text === "string" ? test(text) : text.some(test);
}

const FOLDED = new WeakMap<RuleField, (item: Item, source: RuleSource) => FieldText>();

/** Folds a value once for all conditions on its field. */
function foldedReader(field: RuleField): (item: Item, source: RuleSource) => FieldText {
  if (field.usesSource === true) return (item, source) => folded(field.read(item, source));
  const known = FOLDED.get(field);
  if (known !== undefined) return known;
  const read = memoizeLast((item: Item) => folded(field.read(item, NO_SOURCE)));
  FOLDED.set(field, read);
  return read;
}

function folded(text: FieldText): FieldText {
  if (text === undefined) return undefined;
  return typeof text === "string" ? text.toLowerCase() : text.map((each) => each.toLowerCase());
}
