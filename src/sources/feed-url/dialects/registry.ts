/**
 * The known product exports of shop systems and price comparison sites. The first dialect that matches reads the file.
 */
import { decodeReference } from "../../../catalog/html.ts";
import { FormatError } from "../../../lib/formats/format-error.ts";
import { localName, xmlElements } from "../../../lib/formats/xml-elements.ts";
import { readHeader } from "../../product-record/aliases.ts";
import type { FeedLimits } from "../limits.ts";
import { bigcommerce, bigcommerceLegacy } from "./bigcommerce.ts";
import { ceneo } from "./ceneo.ts";
import type { Dialect, FileHead } from "./dialect.ts";
import { heureka } from "./heureka.ts";
import { kaspi } from "./kaspi.ts";
import { magento } from "./magento.ts";
import { medusa } from "./medusa.ts";
import { opencart } from "./opencart.ts";
import { prestashop } from "./prestashop.ts";
import { shopify } from "./shopify.ts";
import { shopware5 } from "./shopware5.ts";
import { shopware6 } from "./shopware6.ts";
import { systemDialects } from "./systems.ts";
import { vendure } from "./vendure.ts";
import { wooCommerce } from "./woocommerce.ts";
import type { XmlDialect } from "./xml-dialect.ts";
import { hotline, yandex } from "./yandex.ts";

export const DIALECTS: readonly Dialect[] = [
  shopify,
  wooCommerce,
  magento,
  bigcommerce,
  bigcommerceLegacy,
  prestashop,
  opencart,
  medusa,
  vendure,
  shopware6,
  shopware5,
  ...systemDialects,
];

/** The dialect of a file that begins like this. */
export function dialectOf(head: FileHead): Dialect | undefined {
  const names = new Set(head.header.map((raw) => readHeader(raw).name));
  const own = DIALECTS.find(({ matches }) => matches(names));
  if (own !== undefined) return own;
  for (const dialect of DIALECTS) {
    const translation = dialect.translate?.(head);
    if (translation !== undefined) return { ...dialect, translation };
  }
  return undefined;
}

const XML_DIALECTS: readonly XmlDialect[] = [heureka, ceneo, kaspi, yandex, hotline];

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
