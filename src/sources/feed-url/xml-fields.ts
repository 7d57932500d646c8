/**
 * One XML record to named values. Names in Google's namespace come first, then bare ones; names in any other
 * namespace keep their prefix, so `media:title` is never taken for a title. Repeated elements become lists, nested
 * ones groups. An element without text speaks through its `href` (Atom's links).
 */
import type { XmlElement, XmlRecord } from "../../lib/formats/xml-elements.ts";
import { localName } from "../../lib/formats/xml-elements.ts";
import type { SetField } from "../product-record/dynamic-columns.ts";
import { fold } from "../product-record/header.ts";
import type { Group, Value } from "../product-record/value.ts";

const GOOGLE_NAMESPACE = "base.google.com/ns/1.0";

export type SetXmlFields = (record: XmlRecord, set: SetField) => void;

/** The field an element name stands for. Google's own names outrank bare ones. */
type Field = { readonly name: string; readonly isGoogle: boolean };
type FieldParts = { readonly isGoogle: boolean; readonly parts: (string | Group)[] };

/** A file uses few names and every record uses them again, so each name is looked at once. */
const MAX_CACHED_NAMES = 2_000;

export function xmlFieldReader(): SetXmlFields {
  const fields = new Map<string, Field>();

  function fieldOf(elementName: string, namespaces: ReadonlyMap<string, string>): Field {
    const known = fields.get(elementName);
    if (known !== undefined) return known;
    const field = readFieldName(elementName, namespaces);
    if (fields.size < MAX_CACHED_NAMES) fields.set(elementName, field);
    return field;
  }

  return ({ element, namespaces }, set) => {
    const values = new Map<string, FieldParts>();
    for (const child of element.children) {
      const part = partOf(child);
      if (part !== null) add(values, fieldOf(child.name, namespaces), part);
    }
    for (const [name, { parts }] of values) set(name, simplest(parts));
    // The record's own attributes (`<offer id="7">`), where no element says the same.
    for (const [name, value] of Object.entries(element.attributes)) {
      if (!values.has(name) && !name.startsWith("xmlns")) set(name, value);
    }
  };
}

function readFieldName(elementName: string, namespaces: ReadonlyMap<string, string>): Field {
  const prefix = elementName.slice(0, Math.max(0, elementName.indexOf(":")));
  if (prefix === "") return { name: elementName, isGoogle: false };
  const address = namespaces.get(prefix);
  const isGoogle = address === undefined ? prefix === "g" : address.includes(GOOGLE_NAMESPACE);
  return { name: isGoogle ? localName(elementName) : elementName.replace(":", "_"), isGoogle };
}

function add(values: Map<string, FieldParts>, { name, isGoogle }: Field, part: string | Group): void {
  const before = values.get(name);
  if (before === undefined || (isGoogle && !before.isGoogle)) values.set(name, { isGoogle, parts: [part] });
  else if (isGoogle === before.isGoogle) before.parts.push(part);
}

function simplest(parts: readonly (string | Group)[]): Value {
  const [only] = parts;
  return typeof only === "string" && parts.length === 1 ? only : parts;
}

function partOf(element: XmlElement): string | Group | null {
  if (element.children.length > 0) return isProse(element) ? proseOf(element) : groupOf(element);
  const text = element.text.trim();
  const { href, rel, currency } = element.attributes;
  if (text !== "") return currency === undefined ? text : `${text} ${currency}`;
  if (href === undefined) return null;
  return rel === undefined || rel === "alternate" ? href : null;
}

/** Markup that was not escaped: text and elements side by side, or the elements of HTML. */
function isProse(element: XmlElement): boolean {
  return (
    element.text.trim() !== "" ||
    element.children.every(({ name }) => /^(?:\w+:)?(?:p|div|span|ul|ol|br|b|i|h\d)$/i.test(name))
  );
}

function proseOf(element: XmlElement): string {
  return [element.text, ...element.children.map(proseOf)].join(" ").replace(/\s+/g, " ").trim();
}

function groupOf(element: XmlElement): Group {
  const group: Record<string, string> = {};
  for (const child of element.children) {
    const name = fold(localName(child.name));
    const text = child.children.length > 0 ? proseOf(child) : child.text.trim();
    if (text !== "") group[name] ??= text;
  }
  return group;
}
