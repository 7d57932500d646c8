/**
 * The XML of one price comparison site or marketplace. Like the dialects of delimited files, most of it is a table:
 * which element feeds which field, by the names of the alias tables. What no table can say (parameters, delivery
 * times, images in nested elements) is `complete`, which adds to what the table has read and overwrites nothing.
 */
import type { Draft } from "../../../catalog/draft.ts";
import { localName, type XmlElement } from "../../../lib/formats/xml-elements.ts";
import { attributeFields } from "../../product-record/attribute-fields.ts";
import { readHeader, type ReadName } from "../../product-record/aliases.ts";
import type { RecordResult } from "../../source.ts";
import { trimmedText } from "../../product-record/cells.ts";

export type XmlDialect = {
  /** As messages and the documentation call it. */
  readonly name: string;
  /** Whether a file with this root and this element as its first record is one; both in lower case. */
  readonly matches: (root: string, record: string) => boolean;
  /** The elements that are items, in lower case. */
  readonly records: ReadonlySet<string>;
  /** Elements read before the items, in a pass of their own: `yml_catalog` lists its categories. In lower case. */
  readonly lists?: readonly string[];
  /** Their element names to names of the alias tables. An empty name: read by `complete`, or of no use in a feed. */
  readonly columns: Readonly<Record<string, string>>;
  readonly open: () => OpenXmlDialect;
};

export type OpenXmlDialect = {
  /** An element of `lists`. */
  readonly listed?: (element: XmlElement) => void;
  /** Begins a reading of the items: a file may be read more than once, and each reading counts for itself. */
  readonly begin: () => ItemReading;
};

export type ItemReading = {
  /** The fields that the table cannot read. `draft` is what the table has read. */
  readonly complete: (element: XmlElement, draft: Draft) => Draft;
  readonly notes: () => readonly RecordResult[];
};

/** Names for `columns` that no alias table reads. */
export const withoutAlias = (names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, ""]));

/** Names in the table are read by it, all others by the alias tables. */
export function tableNames(columns: Readonly<Record<string, string>>): ReadName {
  const targets = new Map(Object.entries(columns));
  return (raw) => {
    const header = readHeader(raw);
    return { ...header, name: targets.get(header.name) ?? header.name };
  };
}

export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => localName(child.name).toLowerCase() === name);
}

/** The text of the first child of this name that has one. */
export function childText(element: XmlElement, name: string): string | undefined {
  for (const child of childrenNamed(element, name)) {
    const text = trimmedText(child.text);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Texts of all children of this name. */
export function childTexts(element: XmlElement, name: string): string[] {
  return childrenNamed(element, name).flatMap((child) => trimmedText(child.text) ?? []);
}

export type Parameter = { readonly name: string | undefined; readonly value: string | undefined };

/**
 * Named parameters, each with all its values: those that mean a field of ours fill it, the others are details. The
 * variants of a group differ in their parameters, so there the parameters are options as well.
 */
export function parameterFields(parameters: readonly Parameter[], groupId: string | undefined): Draft {
  const values = new Map<string, string[]>();
  for (const { name, value } of parameters) {
    if (name === undefined || value === undefined) continue;
    const before = values.get(name) ?? [];
    if (!before.includes(value)) values.set(name, [...before, value]);
  }
  const fields = attributeFields([...values].map(([name, all]) => ({ name, values: all })));
  const options = [...values].flatMap(([name, [value, ...more]]) =>
    value === undefined || more.length > 0 ? [] : [{ name, value }],
  );
  return groupId === undefined || options.length === 0 ? fields : { ...fields, options };
}

/** A category path whose levels are separated by `separator`, in the notation of the alias tables. */
export function categoryPath(text: string, separator: string): string {
  return text
    .split(separator)
    .map((level) => level.trim())
    .filter((level) => level !== "")
    .join(" > ");
}
