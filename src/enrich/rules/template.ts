/**
 * Templates: `{brand} {title} {color}`. A value that is missing disappears together with the signs and spaces that
 * separate it from its neighbors, and brackets around nothing disappear too. `[ … ]` is a part that appears only if
 * all its values are there. `{{`, `}}`, `[[` and `]]` are the characters themselves.
 */
import { clamp } from "../../catalog/text.ts";
import type { Item } from "../../catalog/item.ts";
import { fieldNamed, unknownField } from "./field-names.ts";
import type { RuleField, RuleSource } from "./fields.ts";
import { RuleError } from "./problem.ts";

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
  /** The names of the fields, of unfiltered values only. */
  readonly plainFields: ReadonlySet<string>;
  readonly render: (item: Item, source: RuleSource) => string;
};

/** Text, escaped characters, values, and brackets. */
const TOKEN = /\{\{|\}\}|\[\[|\]\]|\{([^{}]*)\}|[[\](){}]|[^[\](){}]+/g;
const MAX_DEPTH = 4;

export function compileTemplate(text: string, pointer: string): Template {
  const root: Part = { kind: "part", bracket: "", nodes: [] };
  const open: Part[] = [root];
  const plainFields = new Set<string>();
  let fieldCount = 0;
  for (const [token, placeholder] of text.matchAll(TOKEN)) {
    const current = open.at(-1) ?? root;
    if (placeholder !== undefined) {
      current.nodes.push(valueNode(placeholder, pointer, plainFields));
      fieldCount += 1;
    } else if (token === "(" || token === "[") open.push(openPart(token, open.length, pointer));
    else if (token === CLOSING[current.bracket]) open.at(-2)?.nodes.push(...open.splice(-1));
    else if (token === "]") throw unbalanced(token, pointer);
    else if (token === "{" || token === "}") throw unbalanced(token, pointer);
    else current.nodes.push(...literalNodes(isEscape(token) ? token.slice(1) : token));
  }
  const unclosed = open.length > 1 ? open.at(-1) : undefined;
  if (unclosed !== undefined) throw unbalanced(unclosed.bracket, pointer);
  return { fieldCount, plainFields, render: (item, source) => rendered(root, item, source) };
}

const CLOSING: Readonly<Record<Part["bracket"], string>> = { "": "", "(": ")", "[": "]" };
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

/** Letters and digits are text; the signs and spaces around them separate. */
function literalNodes(text: string): Node[] {
  return [...text.matchAll(/[^\p{L}\p{N}]+|[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/gsu)].map(([part]) => ({
    kind: /^[\p{L}\p{N}]/u.test(part) ? "text" : "separator",
    text: part,
  }));
}

const FILTERS: Readonly<Record<string, (argument: string, pointer: string) => Filter>> = {
  lower: () => (text) => text.toLowerCase(),
  upper: () => (text) => text.toUpperCase(),
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
    const field = fieldOf(argument, pointer);
    return (text, item, source) => {
      const other = field.read(item, source);
      const texts = other === undefined ? [] : typeof other === "string" ? [other] : other;
      return texts.some((each) => each.toLowerCase().includes(text.toLowerCase())) ? "" : text;
    };
  },
};
export const FILTER_NAMES = Object.keys(FILTERS);

function fieldOf(name: string, pointer: string): RuleField {
  const field = fieldNamed(name);
  if (field === undefined) throw new RuleError("unknown_field", pointer, unknownField(name));
  return field;
}

function valueNode(placeholder: string, pointer: string, plainFields: Set<string>): Node {
  const [name = "", ...written] = placeholder.split("|").map((part) => part.trim());
  const field = fieldOf(name, pointer);
  if (written.length === 0) plainFields.add(field.name);
  const filters = written.map((filter) => {
    const [known = "", argument = ""] = filter.split(":").map((part) => part.trim());
    const make = Object.hasOwn(FILTERS, known) ? FILTERS[known] : undefined;
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

/** The text of a part; empty if it disappears. */
function rendered({ bracket, nodes }: Part, item: Item, source: RuleSource): string {
  let [text, separator, isLastThere] = ["", "", true];
  let [found, missing, isFirst] = [0, 0, true];
  for (const node of nodes) {
    if (node.kind === "separator") {
      // Of the separators around missing values the first one stays.
      separator ||= node.text;
      continue;
    }
    const content = contentOf(node, item, source);
    isLastThere = content !== "";
    if (node.kind === "value" || node.kind === "part") isLastThere ? (found += 1) : (missing += 1);
    if (isLastThere) {
      text += (isFirst || text !== "" ? separator : "") + content;
      separator = "";
    }
    isFirst = false;
  }
  // What ends the text belongs to the value before it.
  if (isLastThere) text += separator;
  const isShown = bracket === "[" ? missing === 0 : found > 0 || missing === 0;
  if (!isShown) return "";
  return bracket === "(" ? `(${text})` : text;
}

function contentOf(node: Exclude<Node, { kind: "separator" }>, item: Item, source: RuleSource): string {
  if (node.kind === "value") return valueText(node, item, source);
  return node.kind === "part" ? rendered(node, item, source) : node.text;
}
