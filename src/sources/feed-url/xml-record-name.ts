/**
 * Finds the element that is an item in XML whose items have an unusual name (`<urun>`, `<produto>`): a repeated element
 * with children that feed an id, a title and a price, by general names or by the setting `columns`. If none does, the
 * repeated element with the most fields is named in the error, so that its fields can be mapped.
 */
import { decodeReference } from "../../catalog/html.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { type XmlElement, xmlElements } from "../../lib/formats/xml-elements.ts";
import { type FileColumnSettings, planFile } from "../product-record/column-settings.ts";
import type { FeedLimits } from "./limits.ts";

/** Elements with other names are looked at in the order of the file, outer ones first. */
const MAX_CANDIDATES = 20;
/** An item has more fields than these; lists of images or parameters have fewer. */
const MIN_FIELDS = 2;

export type RecordName = {
  readonly name: string;
  /** How often the beginning of the file has it. */
  readonly count: number;
};

type RecordNameSearch = {
  readonly limits: FeedLimits;
  readonly columns: FileColumnSettings;
  readonly usual: ReadonlySet<string>;
};

/** Null if the items have a usual name, or no element is repeated. */
export function findRecordName(
  head: string,
  { limits, columns, usual }: RecordNameSearch,
): RecordName | null {
  const counts = new Map<string, number>();
  const first = firstElements(head, limits, (name) => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return false;
  });
  if (first === null) return null;
  const names = [...counts].map(([name, count]) => ({ name, count }));
  const isUsual = ({ name }: RecordName): boolean => usual.has(name.toLowerCase());
  const fieldsOf = ({ name }: RecordName) => {
    const [element] = firstElements(head, limits, (other) => other === name) ?? [];
    const fields = element === undefined ? [] : fieldNames(element);
    const { has } = planFile(fields, columns);
    return { count: fields.length, isComplete: (has("id") || has("sku")) && has("title") && has("price") };
  };
  // Each name is one more reading of the beginning, and most files have the usual names.
  const usualNames = names.filter(isUsual);
  if (usualNames.some((name) => fieldsOf(name).isComplete)) return null;
  const others = names
    .filter((name) => name.count > 1 && !isUsual(name))
    .slice(0, MAX_CANDIDATES)
    .map((name) => ({ name, fields: fieldsOf(name) }));
  const complete = others.find(({ fields }) => fields.isComplete)?.name;
  if (complete !== undefined || usualNames.length > 0) return complete ?? null;
  const [richest] = others.toSorted((a, b) => b.fields.count - a.fields.count);
  return richest !== undefined && richest.fields.count >= MIN_FIELDS ? richest.name : null;
}

const fieldNames = ({ children, attributes }: XmlElement): string[] => [
  ...new Set([...children.map(({ name }) => name), ...Object.keys(attributes)]),
];

/** Null if the beginning is no valid XML, which comes up when the file is read. */
function firstElements(
  head: string,
  limits: FeedLimits,
  isRecord: (name: string) => boolean,
): readonly XmlElement[] | null {
  const reader = xmlElements({
    isRecord,
    namedCharacter: decodeReference,
    maxFieldChars: limits.maxFieldChars,
    maxRecordChars: limits.maxRowChars,
    maxDepth: limits.maxDepth,
  });
  try {
    return reader.push(head).map(({ element }) => element);
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}
