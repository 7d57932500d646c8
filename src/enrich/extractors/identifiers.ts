/**
 * GTIN and MPN. A number is a GTIN only with a right check digit. One in ten numbers has that by chance, so a SKU counts
 * only in a catalog whose SKUs are GTINs nearly without exception. Numbers that a spreadsheet has rounded are not restored.
 */
import { checkGtin } from "../../catalog/gtin.ts";
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { isPlaceholder } from "../../catalog/filler-words.ts";
import { type CodeCounts, publicGtin } from "./catalog-facts.ts";
import { quote } from "./evidence.ts";
import {
  CONFIDENCE,
  draftOf,
  type Extractor,
  type ExtractorContext,
  type Finding,
  type ProposalDraft,
} from "./extractor.ts";
import { statedValues } from "./stated-values.ts";

type Find = (item: Item, context: ExtractorContext) => Finding | undefined;

/** An identifier names one variant: what several of a group would get is that of the product, or of none. */
function identifierExtractor(
  extractor: Pick<Extractor, "id" | "version" | "evidence">,
  field: "gtin" | "mpn",
  find: Find,
): Extractor {
  return {
    ...extractor,
    fields: [field],
    *propose({ items }: ItemGroup, context): Iterable<ProposalDraft> {
      const findings = items.map((item) => (item[field] === undefined ? find(item, context) : undefined));
      const values = Map.groupBy(
        [...items.map((item) => item[field]), ...findings.map((finding) => finding?.value)],
        (value) => value,
      );
      for (const [at, item] of items.entries()) {
        const finding = findings[at];
        if (finding === undefined || values.get(finding.value)?.length !== 1) continue;
        const draft = draftOf(extractor, item, field, finding);
        if (draft !== undefined) yield draft;
      }
    },
  };
}

export const GTIN = identifierExtractor(
  {
    id: "gtin",
    version: 2,
    evidence:
      "a barcode that has lost its zero; an attribute, an option or a line of the description named EAN, UPC, ISBN, barcode or the like; the SKU or MPN in catalogs where these are GTINs",
  },
  "gtin",
  (item, context) => statedGtin(item) ?? codeAsGtin(item, "mpn", context) ?? codeAsGtin(item, "sku", context),
);

function statedGtin(item: Item): Finding | undefined {
  for (const { meaning, value: written, evidence, source } of statedValues(item)) {
    if (meaning !== "gtin") continue;
    const gtin = publicGtin(written);
    const value = gtin ?? withLostZero(written);
    if (value === undefined) continue;
    const stated = source === "description" ? CONFIDENCE.labeled : CONFIDENCE.stated;
    // The number is the same without spaces and dashes, and with its zeros. One from an ISBN-10 is not.
    const isClosed = significantDigits(written) === significantDigits(value);
    return {
      value,
      evidence: [evidence],
      confidence: gtin === undefined ? CONFIDENCE.confirmed : stated,
      isClosed,
    };
  }
  return undefined;
}

function significantDigits(text: string): string {
  return text.replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** Eleven digits with the right check digit: a UPC whose zero a spreadsheet has removed. */
function withLostZero(value: string): string | undefined {
  const checked = checkGtin(value);
  if (checked.kind === "valid" || checked.reason !== "lost_zero") return undefined;
  return publicGtin(`0${value.replace(/\D/g, "")}`);
}

const FEWEST_CODES = 10;
const GTIN_SHARE = 0.95;

function codeAsGtin(item: Item, field: "sku" | "mpn", { facts }: ExtractorContext): Finding | undefined {
  const code = item[field];
  const counts = field === "sku" ? facts.skus : facts.mpns;
  if (code === undefined || !/^\d{12,14}$/.test(code) || !areGtins(counts)) return undefined;
  const gtin = publicGtin(code);
  return gtin === undefined
    ? undefined
    : { value: gtin, evidence: [quote(item, field)], confidence: CONFIDENCE.separate };
}

function areGtins({ digits, gtins }: CodeCounts): boolean {
  return digits >= FEWEST_CODES && gtins >= digits * GTIN_SHARE;
}

export const MPN = identifierExtractor(
  {
    id: "mpn",
    version: 2,
    evidence:
      "an attribute, an option or a line of the description named part number or the like; a barcode that is no GTIN",
  },
  "mpn",
  (item) => statedMpn(item),
);

/** A code without spaces and with a digit; a word or a sentence is no part number. */
const PART_NUMBER = /^(?=.*\d)[A-Za-z\d][A-Za-z\d._/-]{2,39}$/;

function statedMpn(item: Item): Finding | undefined {
  for (const { meaning, value, evidence, source } of statedValues(item)) {
    if (!PART_NUMBER.test(value) || isPlaceholder(value) || value === item.sku) continue;
    if (meaning === "mpn") {
      const confidence = source === "description" ? CONFIDENCE.labeled : CONFIDENCE.stated;
      return { value, evidence: [evidence], confidence };
    }
    if (meaning === "gtin" && isClearlyNoGtin(value))
      return { value, evidence: [evidence], confidence: CONFIDENCE.uncertain };
  }
  return undefined;
}

/** With letters: digits alone may be a damaged GTIN. */
function isClearlyNoGtin(value: string): boolean {
  const checked = checkGtin(value);
  return checked.kind === "invalid" && checked.reason === "not_digits" && /[A-Za-z]/.test(value);
}
