/** What each operator means, and which kinds of fields it fits. */
import type { RuleCondition } from "../../contract/rules.ts";
import type { FieldKind } from "./fields.ts";
import { areComparable, type Quantity } from "./quantity.ts";

export type Operator = RuleCondition["operator"];

/** Whether a value of the item, folded, satisfies the condition. */
export type TextTest = (text: string) => boolean;
export type QuantityTest = (quantity: Quantity) => boolean;

export const TEXT_KINDS: ReadonlySet<FieldKind> = new Set(["text", "list", "paths"]);
const WORD_KINDS: ReadonlySet<FieldKind> = new Set([...TEXT_KINDS, "word", "flag"]);
export const QUANTITY_KINDS: ReadonlySet<FieldKind> = new Set(["number", "money", "measure", "time"]);
const VALUE_KINDS: ReadonlySet<FieldKind> = new Set([...WORD_KINDS, ...QUANTITY_KINDS]);
const ALL_KINDS: ReadonlySet<FieldKind> = new Set([...VALUE_KINDS, "parts"]);

type OperatorEntry = {
  readonly kinds: ReadonlySet<FieldKind>;
  readonly takes: "one value" | "a list" | "no value";
  /** Matches when no value satisfies the test, so also when there is none. */
  readonly isNegative: boolean;
  /** For docs/rules.md. */
  readonly meaning: string;
};

const entry = (
  kinds: ReadonlySet<FieldKind>,
  takes: OperatorEntry["takes"],
  meaning: string,
  isNegative = false,
): OperatorEntry => ({ kinds, takes, meaning, isNegative });

export const OPERATORS: Readonly<Record<Operator, OperatorEntry>> = {
  is: entry(
    VALUE_KINDS,
    "one value",
    "The value is this one. A category path also matches everything below it.",
  ),
  is_not: entry(VALUE_KINDS, "one value", "The value is another one, or there is none.", true),
  one_of: entry(VALUE_KINDS, "a list", "The value is one of these."),
  not_one_of: entry(VALUE_KINDS, "a list", "The value is none of these, or there is none.", true),
  contains: entry(TEXT_KINDS, "one value", "The text occurs in the value."),
  does_not_contain: entry(TEXT_KINDS, "one value", "The text does not occur, or there is no value.", true),
  starts_with: entry(TEXT_KINDS, "one value", "The value begins with the text."),
  ends_with: entry(TEXT_KINDS, "one value", "The value ends with the text."),
  like: entry(
    TEXT_KINDS,
    "one value",
    "The value has the form of the text, in which `*` stands for any characters or none.",
  ),
  matches: entry(
    TEXT_KINDS,
    "one value",
    "The regular expression, in RE2's syntax, matches a part of the value. `^` and `$` stand for its beginning and end.",
  ),
  does_not_match: entry(
    TEXT_KINDS,
    "one value",
    "The regular expression does not match, or there is no value.",
    true,
  ),
  less_than: entry(
    QUANTITY_KINDS,
    "one value",
    "The number, amount or measure is lower; the time is earlier.",
  ),
  greater_than: entry(
    QUANTITY_KINDS,
    "one value",
    "The number, amount or measure is higher; the time is later.",
  ),
  is_empty: entry(ALL_KINDS, "no value", "The item has no value.", true),
  is_not_empty: entry(ALL_KINDS, "no value", "The item has a value."),
};

const TEXT_TESTS: Readonly<Partial<Record<Operator, (text: string) => TextTest>>> = {
  contains: (part) => (text) => text.includes(part),
  does_not_contain: (part) => (text) => text.includes(part),
  starts_with: (part) => (text) => text.startsWith(part),
  ends_with: (part) => (text) => text.endsWith(part),
  like: likeTest,
};

/** Operators whose value is a regular expression. */
export const MATCHING: ReadonlySet<Operator> = new Set<Operator>(["matches", "does_not_match"]);

/** Operators that look for a text inside the value. */
export const SEARCHING: ReadonlySet<string> = new Set(Object.keys(TEXT_TESTS));

/** `values` are folded; operators with one value have one. Negative operators have the test of their opposite. */
export function textTest(operator: Operator, kind: FieldKind, values: readonly string[]): TextTest {
  const [first = ""] = values;
  const make = TEXT_TESTS[operator];
  if (make !== undefined) return make(first);
  return kind === "paths" ? pathTest(values) : equalTest(values);
}

function equalTest(values: readonly string[]): TextTest {
  const [first] = values;
  if (values.length === 1) return (text) => text === first;
  const known = new Set(values);
  return (text) => known.has(text);
}

const FEW = 8;

/** A path, or one below it. */
function pathTest(values: readonly string[]): TextTest {
  if (values.length <= FEW) return (path) => values.some((value) => isBelow(path, value));
  const known = new Set(values);
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf(" > ", end - 1))
      if (known.has(path.slice(0, end))) return true;
    return false;
  };
}

const isBelow = (path: string, value: string): boolean =>
  path.startsWith(value) && (path.length === value.length || path.startsWith(" > ", value.length));

/** `*` stands for any characters. Takes the first occurrence of each part, so that the time is linear for each part. */
function likeTest(pattern: string): TextTest {
  const parts = pattern.split("*");
  if (parts.length === 1) return (text) => text === pattern;
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  const middle = parts.slice(1, -1).filter((part) => part !== "");
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
      return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

export function quantityTest(operator: Operator, values: readonly Quantity[]): QuantityTest {
  const [bound] = values;
  if (operator === "less_than" && bound !== undefined)
    return (quantity) => areComparable(quantity, bound) && quantity.value < bound.value;
  if (operator === "greater_than" && bound !== undefined)
    return (quantity) => areComparable(quantity, bound) && quantity.value > bound.value;
  return (quantity) =>
    values.some((value) => areComparable(quantity, value) && quantity.value === value.value);
}
