/**
 * Templates: `{brand} {title} {color}`. A value that is missing disappears together with the signs and spaces that
 * separate it from its neighbors, and brackets around nothing disappear too. `[ … ]` is a part that appears only if
 * all its values are there. `{{`, `}}`, `[[` and `]]` are the characters themselves.
 */
import { mentions } from "../../catalog/mentions.ts";
import { clamp } from "../../catalog/text.ts";
import type { Item } from "../../catalog/item.ts";
import { publishableField } from "./field-names.ts";
import type { RuleField, RuleSource } from "./fields.ts";
import { lower, sentenceCase, titleCase, upper } from "./letter-case.ts";
import { RuleError } from "./problem.ts";
import { ownValue } from "../../lib/own-value.ts";

type Filter = (text: string, item: Item, source: RuleSource) => string;

type Node =
  /** Stays only between two things that are there. */
  | { readonly kind: "separator"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly field: RuleField; readonly filters: readonly Filter[] }
  | Part;
type Part = {
  readonly kind: "part";
  /** `(`: brackets that are shown. `[`: an optional part. Empty: the whole template. */
  readonly bracket: "" | "(" | "[";
  readonly nodes: Node[];
};

export type Template = {
  /** How many values the template has. */
  readonly fieldCount: number;
  readonly fields: ReadonlySet<string>;
  /** The names of the fields, of unfiltered values only. */
  readonly plainFields: ReadonlySet<string>;
  readonly render: (item: Item, source: RuleSource) => string;
};

/** Text, escaped characters, values, and brackets. */
const TOKEN = /\{\{|\}\}|\[\[|\]\]|\{([^{}]*)\}|[[\](){}]|[^[\](){}]+/g;
const MAX_DEPTH = 4;

export function compileTemplate(text: string, pointer: string): Template {
  const root: Part = { kind: "part", bracket: "", nodes: [] };
  const open: [Part, ...Part[]] = [root];
  const plainFields = new Set<string>();
  const fields = new Set<string>();
  let fieldCount = 0;
  for (const [token, placeholder] of text.matchAll(TOKEN)) {
    if (placeholder === undefined) addToken(open, token, pointer);
    else {
      innermost(open).nodes.push(valueNode(placeholder, pointer, { fields, plainFields }));
      fieldCount += 1;
    }
  }
  if (open.length > 1) throw unbalanced(innermost(open).bracket, pointer);
  return { fieldCount, fields, plainFields, render: (item, source) => rendered(root, item, source) };
}

const CLOSING: Readonly<Record<Part["bracket"], string>> = { "": "", "(": ")", "[": "]" };
const UNPAIRED: ReadonlySet<string> = new Set(["]", "{", "}"]);

const innermost = (open: readonly [Part, ...Part[]]): Part => open.at(-1) ?? open[0];

function addToken(open: [Part, ...Part[]], token: string, pointer: string): void {
  const current = innermost(open);
  if (token === "(" || token === "[") open.push(openPart(token, open.length, pointer));
  else if (token === CLOSING[current.bracket]) {
    open.pop();
    innermost(open).nodes.push(current);
  } else if (UNPAIRED.has(token)) throw unbalanced(token, pointer);
  else addLiteral(current.nodes, isEscape(token) ? token.slice(1) : token);
}

const isEscape = (token: string): boolean => /^(?:\{\{|\}\}|\[\[|\]\])$/.test(token);

function unbalanced(bracket: string, pointer: string): RuleError {
  const escape = bracket === "(" ? "" : ` Write ${bracket}${bracket} for the character itself.`;
  const message = `The template has a ${bracket} without its counterpart.${escape}`;
  return new RuleError("invalid_template", pointer, message);
}

function openPart(bracket: "(" | "[", depth: number, pointer: string): Part {
  if (depth <= MAX_DEPTH) return { kind: "part", bracket, nodes: [] };
  const message = `The template has brackets more than ${MAX_DEPTH} deep.`;
  throw new RuleError("invalid_template", pointer, message);
}

/** From the first letter or digit to the last one. */
const WORDS = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** Letters and digits are text; the signs and spaces around them separate. */
function addLiteral(nodes: Node[], literal: string): void {
  const words = WORDS.exec(literal);
  const before = words === null ? literal : literal.slice(0, words.index);
  addSeparator(nodes, before);
  if (words === null) return;
  nodes.push({ kind: "text", text: words[0] });
  addSeparator(nodes, literal.slice(before.length + words[0].length));
}

/** Signs in a row are one separator. */
function addSeparator(nodes: Node[], text: string): void {
  const last = nodes.at(-1);
  if (last?.kind === "separator") nodes.splice(-1, 1, { kind: "separator", text: last.text + text });
  else if (text !== "") nodes.push({ kind: "separator", text });
}

const FILTERS: Readonly<Record<string, (argument: string, pointer: string) => Filter>> = {
  lower: () => lower,
  upper: () => upper,
  title: () => titleCase,
  sentence: () => sentenceCase,
  truncate: (argument, pointer) => {
    const length = Number(argument);
    if (!/^\d{1,5}$/.test(argument) || length === 0)
      throw new RuleError(
        "invalid_template",
        pointer,
        "truncate needs a number, as in {title|truncate:150}.",
      );
    return (text) => clamp(text, length);
  },
  unless_in: (argument, pointer) => {
    const field = publishableField(argument, pointer);
    return (text, item, source) => {
      const other = field.read(item, source);
      const texts = other === undefined ? [] : typeof other === "string" ? [other] : other;
      return texts.some((each) => mentions(each.toLowerCase(), text.toLowerCase())) ? "" : text;
    };
  },
};
export const FILTER_NAMES = Object.keys(FILTERS);

function valueNode(
  placeholder: string,
  pointer: string,
  { fields, plainFields }: { readonly fields: Set<string>; readonly plainFields: Set<string> },
): Node {
  const [name = "", ...written] = placeholder.split("|").map((part) => part.trim());
  const field = publishableField(name, pointer);
  fields.add(field.name);
  if (written.length === 0) plainFields.add(field.name);
  const filters = written.map((filter) => {
    const [known = "", argument = ""] = filter.split(":").map((part) => part.trim());
    const make = ownValue(FILTERS, known);
    if (make !== undefined) return make(argument, pointer);
    const message = `There is no filter ${JSON.stringify(known.slice(0, 40))}. Use ${FILTER_NAMES.join(", ")}.`;
    throw new RuleError("invalid_template", pointer, message);
  });
  return { kind: "value", field, filters };
}

function valueText(
  { field, filters }: Extract<Node, { kind: "value" }>,
  item: Item,
  source: RuleSource,
): string {
  const read = field.read(item, source);
  if (read === undefined) return "";
  let text = typeof read === "string" ? read : field.name === "source" ? (read[0] ?? "") : read.join(", ");
  for (const filter of filters) text = filter(text, item, source);
  return text;
}

type Piece = { readonly kind: Node["kind"]; readonly text: string };

/** The text of a part; empty if it disappears. */
function rendered({ bracket, nodes }: Part, item: Item, source: RuleSource): string {
  const pieces = nodes.map((node): Piece => ({ kind: node.kind, text: textOf(node, item, source) }));
  const values = pieces.filter(({ kind }) => kind === "value" || kind === "part");
  const missing = values.filter(({ text }) => text === "").length;
  const isShown = missing === 0 || (bracket !== "[" && missing < values.length);
  if (!isShown) return "";
  return bracket === "(" ? `(${joined(pieces)})` : joined(pieces);
}

function textOf(node: Node, item: Item, source: RuleSource): string {
  if (node.kind === "value") return valueText(node, item, source);
  return node.kind === "part" ? rendered(node, item, source) : node.text;
}

/** A separator stays between two things that are there, and at either end next to one. */
function joined(pieces: readonly Piece[]): string {
  let [text, separator] = ["", ""];
  let [isFirst, isLastThere] = [true, true];
  for (const piece of pieces) {
    if (piece.kind === "separator") {
      // Of those around a missing value the first one stays.
      separator ||= piece.text;
      continue;
    }
    isLastThere = piece.text !== "";
    if (isLastThere) {
      text += (isFirst || text !== "" ? separator : "") + piece.text;
      separator = "";
    }
    isFirst = false;
  }
  return isLastThere ? text + separator : text;
}
