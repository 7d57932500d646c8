/**
 * Formulas of the action calculate: `round_up(price * 1.1, 5)`. They have numbers, fields, `+ - * /`, brackets and a few
 * functions. A percentage after + or - is a part of what stands before it, as on a calculator: `price + 10%`. Everything is
 * computed exactly.
 */
import type { Item } from "../../catalog/item.ts";
import { ownValue } from "../../lib/own-value.ts";
import { requiredField } from "./field-names.ts";
import type { RuleField, RuleSource } from "./fields.ts";
import {
  add,
  type Direction,
  divide,
  type Fraction,
  fractionOf,
  isLess,
  multiply,
  negated,
  roundTo,
  subtract,
  whole,
} from "./fraction.ts";
import { RuleError } from "./problem.ts";
import { isRefusal, type Refusal } from "./write.ts";

/** Undefined if a field of the formula has no value. */
export type Computed = Fraction | Refusal | undefined;
type Evaluate = (item: Item, source: RuleSource) => Computed;

export type Formula = {
  readonly fields: ReadonlySet<RuleField>;
  /** The field, if the formula is nothing but its value. */
  readonly only: RuleField | undefined;
  readonly evaluate: Evaluate;
};

/** For docs/rules.md. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  round: "`round(price, 5)`: the nearest multiple, of 1 unless a step is given",
  round_up: "`round_up(price, 0.05)`: the next higher multiple",
  round_down: "`round_down(price)`: the next lower multiple",
  ending:
    "`ending(price, 0.99)`: the nearest number that ends like this. `9.99` stands for 9.99, 19.99, 29.99 …",
  ending_up: "`ending_up(price, 0.99)`: the next higher one",
  ending_down: "`ending_down(price, 0.99)`: the next lower one",
  min: "`min(price, list_price)`: the lowest of several numbers",
  max: "`max(price, cost + 20%)`: the highest of several numbers",
};

type Token =
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "sign"; readonly text: string };

/** A number, a name, a name in braces, or a sign. */
const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([\p{L}_][\p{L}\p{N}_.]*)|\{([^{}]*)\}|([-+*/(),%]))/uy;
const SIGNS: Readonly<Record<string, string>> = { "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-" };
const MAX_DEPTH = 20;

export function compileFormula(text: string, pointer: string): Formula {
  return new Parser(tokensOf(text, pointer), pointer).formula();
}

function tokensOf(written: string, pointer: string): readonly Token[] {
  const text = written.replaceAll(/[×·÷−–]/g, (sign) => SIGNS[sign] ?? sign);
  // `max(price, 9,99)` would have three values, and publish 99.
  if (/\d,\d/.test(text)) {
    const message = "Write decimals with a point, as in 0.99, and a space after a comma.";
    throw new RuleError("invalid_formula", pointer, message);
  }
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  for (let at = 0; at < end; at = pattern.lastIndex) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) throw unreadable(text.slice(at).trim(), pointer);
    const [, number, name, inBraces, sign = ""] = found;
    const field = name ?? inBraces?.trim();
    if (number !== undefined) tokens.push({ kind: "number", text: number });
    else tokens.push(field === undefined ? { kind: "sign", text: sign } : { kind: "name", text: field });
  }
  return tokens;
}

const unreadable = (rest: string, pointer: string): RuleError =>
  new RuleError(
    "invalid_formula",
    pointer,
    rest === ""
      ? "The formula ends too early. An example: round_up(price * 1.1, 5)"
      : `The formula cannot be read from ${JSON.stringify(rest.slice(0, 40))} on. An example: round_up(price * 1.1, 5)`,
  );

type Node = {
  readonly evaluate: Evaluate;
  /** A percentage that stands alone, such as `10%`. */
  readonly isPercentage?: boolean;
  readonly number?: Fraction;
  readonly only?: RuleField;
};

const PERCENT: Fraction = { numerator: 1n, denominator: 100n };
const isValue = (computed: Computed): computed is Fraction => computed !== undefined && !isRefusal(computed);

function combined(a: Node, b: Node, combine: (a: Fraction, b: Fraction) => Computed): Node {
  return {
    evaluate: (item, source) => {
      const left = a.evaluate(item, source);
      if (!isValue(left)) return left;
      const right = b.evaluate(item, source);
      return isValue(right) ? combine(left, right) : right;
    },
  };
}

const constant = (number: Fraction): Node => ({ evaluate: () => number, number });
const changed = (node: Node, change: (value: Fraction) => Fraction): Evaluate => {
  return (item, source) => {
    const value = node.evaluate(item, source);
    return isValue(value) ? change(value) : value;
  };
};
const quotient = (a: Fraction, b: Fraction): Computed =>
  divide(a, b) ?? { refused: "The formula divides by zero." };

class Parser {
  private at = 0;
  private depth = 0;
  private readonly fields = new Set<RuleField>();
  private readonly tokens: readonly Token[];
  private readonly pointer: string;

  constructor(tokens: readonly Token[], pointer: string) {
    this.tokens = tokens;
    this.pointer = pointer;
  }

  formula(): Formula {
    const { evaluate, only } = this.sum();
    if (this.at < this.tokens.length) throw this.unreadable();
    if (this.fields.size === 0)
      throw this.problem("The formula has no field. Use the action set for a fixed value.");
    return { fields: this.fields, only, evaluate };
  }

  private sum(): Node {
    let left = this.product();
    for (let sign = this.takeSign("+", "-"); sign !== undefined; sign = this.takeSign("+", "-")) {
      const right = this.product();
      const combine = sign === "+" ? add : subtract;
      const isPart = right.isPercentage === true;
      left = combined(left, right, (a, b) => combine(a, isPart ? multiply(a, b) : b));
    }
    return left;
  }

  private product(): Node {
    let left = this.factor();
    for (let sign = this.takeSign("*", "/"); sign !== undefined; sign = this.takeSign("*", "/"))
      left = combined(left, this.factor(), sign === "*" ? multiply : quotient);
    return left;
  }

  private factor(): Node {
    if (this.takeSign("-") !== undefined) return { evaluate: changed(this.factor(), negated) };
    const value = this.value();
    if (this.takeSign("%") === undefined) return value;
    return { evaluate: changed(value, (number) => multiply(number, PERCENT)), isPercentage: true };
  }

  private value(): Node {
    const token = this.tokens[this.at];
    if (token === undefined) throw this.unreadable();
    this.at += 1;
    if (token.kind === "number") return constant(fractionOf(token.text) ?? whole(0n));
    if (token.kind === "name")
      return this.takeSign("(") === undefined ? this.field(token.text) : this.call(token.text);
    this.at -= token.text === "(" ? 0 : 1;
    if (token.text !== "(") throw this.unreadable();
    return this.bracketed(() => this.sum());
  }

  /** What stands between an opening bracket, which was just taken, and its counterpart. */
  private bracketed<T>(inside: () => T): T {
    if ((this.depth += 1) > MAX_DEPTH)
      throw this.problem(`The formula has brackets more than ${MAX_DEPTH} deep.`);
    const result = inside();
    if (this.takeSign(")") === undefined) throw this.unreadable();
    this.depth -= 1;
    return result;
  }

  private field(name: string): Node {
    const field = requiredField(name, this.pointer);
    const read = READERS[ENTRY.test(field.name) ? "number" : field.kind];
    if (read === undefined) throw this.problem(`${field.name} is neither a number nor an amount.`);
    this.fields.add(field);
    return { evaluate: (item, source) => read(field, item, source), only: field };
  }

  private call(name: string): Node {
    const make = ownValue(CALLS, name);
    if (make === undefined) {
      const known = Object.keys(FUNCTIONS).join(", ");
      throw this.problem(`There is no function ${JSON.stringify(name.slice(0, 40))}. Use ${known}.`);
    }
    const values = this.bracketed(() => {
      const list = [this.sum()];
      while (this.takeSign(",") !== undefined) list.push(this.sum());
      return list;
    });
    const made = make(values);
    if (typeof made === "string") throw this.problem(`${name} ${made}`);
    return { evaluate: made };
  }

  private takeSign(...signs: readonly string[]): string | undefined {
    const token = this.tokens[this.at];
    if (token?.kind !== "sign" || !signs.includes(token.text)) return undefined;
    this.at += 1;
    return token.text;
  }

  private unreadable(): RuleError {
    const rest = this.tokens.slice(this.at).map(({ text }) => text);
    return unreadable(rest.join(" "), this.pointer);
  }

  private problem(message: string): RuleError {
    return new RuleError("invalid_formula", this.pointer, message);
  }
}

/** Returns how the call is computed, or what is wrong with its values: the end of a sentence that begins with its name. */
type Call = (values: readonly Node[]) => Evaluate | string;

const CALLS: Readonly<Record<keyof typeof FUNCTIONS, Call>> = {
  round: rounding("nearest"),
  round_up: rounding("up"),
  round_down: rounding("down"),
  ending: endingIn("nearest"),
  ending_up: endingIn("up"),
  ending_down: endingIn("down"),
  min: choice((a, b) => (isLess(b, a) ? b : a)),
  max: choice((a, b) => (isLess(a, b) ? b : a)),
};

const ZERO = whole(0n);

function rounding(direction: Direction): Call {
  return ([value, by = constant(whole(1n)), ...more]) => {
    const step = by.number;
    if (value === undefined || more.length > 0 || step === undefined || !isLess(ZERO, step))
      return "takes a number and a step above zero, as in round(price, 0.05).";
    return changed(value, (number) => roundTo(number, { step, ending: ZERO, direction }));
  };
}

function endingIn(direction: Direction): Call {
  return ([value, end, ...more]) => {
    const ending = end?.number;
    if (value === undefined || more.length > 0 || ending === undefined)
      return "takes a number and its ending, as in ending(price, 0.99).";
    let step = whole(1n);
    while (!isLess(ending, step)) step = multiply(step, whole(10n));
    return changed(value, (number) => roundTo(number, { step, ending, direction }));
  };
}

function choice(better: (a: Fraction, b: Fraction) => Fraction): Call {
  return ([first, ...others]) => {
    if (first === undefined || others.length === 0)
      return "takes several numbers, as in min(price, list_price).";
    return others.reduce((one, other) => combined(one, other, better), first).evaluate;
  };
}

/** Their values are texts, of which a formula uses those that are numbers. */
const ENTRY = /^(?:options|details)\./;

type Reader = (field: RuleField, item: Item, source: RuleSource) => Computed;

const READERS: Readonly<Partial<Record<RuleField["kind"], Reader>>> = {
  number: ({ read }, item, source) => numberIn(read(item, source)),
  money: ({ name, read }, item, source) => {
    const [amount, currency] = String(read(item, source) ?? "").split(" ");
    if (currency === undefined || currency === item.price.currency) return numberIn(amount);
    return { refused: `${name} is not in ${item.price.currency}.` };
  },
};

const numberIn = (text: unknown): Computed => (typeof text === "string" ? fractionOf(text) : undefined);
