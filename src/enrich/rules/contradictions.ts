/** Finds conditions that no item can satisfy together. What it finds is certain; it does not find everything. */
import type { CompiledCondition } from "./condition.ts";
import type { FieldKind, RuleField } from "./fields.ts";
import { OPERATORS, QUANTITY_KINDS } from "./operators.ts";
import { areComparable, type Quantity } from "./quantity.ts";

const SEVERAL: ReadonlySet<FieldKind> = new Set(["list", "paths", "parts"]);
const WHOLE_NUMBERS: ReadonlySet<string> = new Set(["quantity", "multipack", "return_days", "rating_count"]);

/** A sentence, or undefined. */
export function contradictionIn(conditions: readonly CompiledCondition[]): string | undefined {
  const byField = Map.groupBy(conditions, ({ field }) => field.name.toLowerCase());
  for (const [name, group] of byField) {
    const pair = excluding(group);
    if (pair.length === 0) continue;
    return pair.length === 1
      ? `No item can match: ${name} ${shown(pair)} is out of the field's range.`
      : `No item can match: the conditions on ${name} exclude each other (${shown(pair)}).`;
  }
  return undefined;
}

function shown(conditions: readonly CompiledCondition[]): string {
  return conditions
    .slice(0, 4)
    .map(({ operator, texts, quantities }) => {
      const values = [...texts, ...quantities.map(({ value }) => String(value))].slice(0, 3);
      return [operator, ...values.map((value) => JSON.stringify(value.slice(0, 40)))].join(" ");
    })
    .join(", ");
}

/** The conditions on one field that exclude each other; empty if none do. */
function excluding(group: readonly CompiledCondition[]): readonly CompiledCondition[] {
  const [first] = group;
  if (first === undefined) return [];
  const needsValue = group.find(({ operator }) => !OPERATORS[operator].isNegative);
  const isEmpty = group.find(({ operator }) => operator === "is_empty");
  if (needsValue !== undefined && isEmpty !== undefined) return [isEmpty, needsValue];
  if (SEVERAL.has(first.field.kind)) return opposites(group);
  return QUANTITY_KINDS.has(first.field.kind)
    ? excludingQuantities(group)
    : excludingTexts(group, needsValue);
}

const OPPOSITES: Readonly<Record<string, string>> = {
  is: "is_not",
  one_of: "not_one_of",
  contains: "does_not_contain",
};

/** A list may have one value for each condition, so only a condition and its opposite exclude each other. */
function opposites(group: readonly CompiledCondition[]): readonly CompiledCondition[] {
  for (const one of group) {
    const other = group.find(
      ({ operator, texts }) =>
        operator === OPPOSITES[one.operator] && texts.join("\n") === one.texts.join("\n"),
    );
    if (other !== undefined) return [one, other];
  }
  return [];
}

const STATES_VALUES: ReadonlySet<string> = new Set(["is", "one_of"]);

const accepts = ({ operator }: CompiledCondition, isTrue: boolean): boolean =>
  operator === "is_not_empty" || isTrue !== OPERATORS[operator].isNegative;
const acceptsText = (condition: CompiledCondition, text: string): boolean =>
  accepts(condition, condition.textTest(text));
const acceptsQuantity = (condition: CompiledCondition, quantity: Quantity): boolean =>
  accepts(condition, condition.quantityTest(quantity));

function excludingTexts(
  group: readonly CompiledCondition[],
  needsValue: CompiledCondition | undefined,
): readonly CompiledCondition[] {
  const stating = group.find(({ operator }) => STATES_VALUES.has(operator));
  const words =
    needsValue === undefined ? undefined : group[0]?.field.values?.map((word) => word.toLowerCase());
  const candidates = stating?.texts ?? words;
  if (candidates !== undefined && !candidates.some((text) => group.every((each) => acceptsText(each, text))))
    return group;
  return stating === undefined ? excludingParts(group) : [];
}

const textOf = ({ texts }: CompiledCondition): string => texts[0] ?? "";

/** Two beginnings, two ends, or a part that must be there and must not. */
function excludingParts(group: readonly CompiledCondition[]): readonly CompiledCondition[] {
  for (const one of group) {
    const [text, { operator }] = [textOf(one), one];
    const other = group.find((each) => {
      if (each.operator === "does_not_contain")
        return /^(?:contains|starts_with|ends_with)$/.test(operator) && text.includes(textOf(each));
      if (each.operator !== operator || textOf(each).length > text.length) return false;
      if (operator === "starts_with") return !text.startsWith(textOf(each));
      return operator === "ends_with" && !text.endsWith(textOf(each));
    });
    if (other !== undefined) return [one, other];
  }
  return [];
}

function excludingQuantities(group: readonly CompiledCondition[]): readonly CompiledCondition[] {
  const stating = group.find(({ operator }) => STATES_VALUES.has(operator));
  if (stating !== undefined) {
    const fits = stating.quantities.some((value) => group.every((each) => acceptsQuantity(each, value)));
    return fits ? [] : group;
  }
  const below = group.filter(({ operator }) => operator === "less_than");
  const belowZero = below.find(({ field, quantities: [high] }) => isBelowZero(field, high));
  if (belowZero !== undefined) return [belowZero];
  const above = group.filter(({ operator }) => operator === "greater_than");
  for (const high of below) {
    const low = above.find((each) => isGapEmpty(each, high));
    if (low !== undefined) return [low, high];
  }
  return [];
}

function isBelowZero({ kind, mayBeNegative }: RuleField, high: Quantity | undefined): boolean {
  return kind !== "time" && mayBeNegative !== true && high !== undefined && high.value <= 0;
}

function isGapEmpty(low: CompiledCondition, high: CompiledCondition): boolean {
  const [[least], [most]] = [low.quantities, high.quantities];
  if (least === undefined || most === undefined || !areComparable(least, most)) return false;
  if (least.value >= most.value) return true;
  return WHOLE_NUMBERS.has(low.field.name) && Math.floor(least.value) + 1 >= most.value;
}
