/** Every known kind of product XML beside Google's; the first that matches the head of a file reads it. */
import { decodeReference } from "../../../catalog/entities.ts";
import { FormatError } from "../../../lib/formats/format-error.ts";
import { localName, xmlElements } from "../../../lib/formats/xml-elements.ts";
import type { FeedLimits } from "../limits.ts";
import { ceneo } from "./ceneo.ts";
import { heureka } from "./heureka.ts";
import type { XmlDialect } from "./xml-dialect.ts";
import { yandex } from "./yandex.ts";

const XML_DIALECTS: readonly XmlDialect[] = [heureka, ceneo, yandex];

export function xmlDialectOf(head: string, limits: FeedLimits): XmlDialect | undefined {
  const reader = xmlElements({
    isRecord: (name) => XML_DIALECTS.some(({ records }) => records.has(name.toLowerCase())),
    namedCharacter: decodeReference,
    maxFieldChars: limits.maxFieldChars,
    maxRecordChars: limits.maxRowChars,
    maxDepth: limits.maxDepth,
  });
  try {
    const [first] = reader.push(head);
    if (first === undefined) return undefined;
    const root = localName(reader.rootName() ?? "").toLowerCase();
    const record = localName(first.element.name).toLowerCase();
    return XML_DIALECTS.find(({ matches }) => matches(root, record));
  } catch (error) {
    // What is wrong with the file comes up when it is read.
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
