/** Checks of a product and of a group of variants: what Google's merchant listings require and recommend. */
import { hash } from "node:crypto";
import { isGarbled } from "../../../catalog/garbled-text.ts";
import { checkGtin, GTIN_PROBLEMS } from "../../../catalog/gtin.ts";
import { addressFault, PRIVATE_HOST } from "../../kit/validate/checks/url.ts";
import type { Findings } from "../../kit/validate/findings.ts";
import { SCHEMA_ORG_FIELD_TABLE } from "../fields.ts";
import {
  bareTerm,
  has,
  linksOf,
  nameOf,
  type Node,
  nodesOf,
  termsOf,
  textOf,
  typesOf,
  valuesOf,
} from "./node.ts";
import type { SchemaOrgRule } from "./rules.ts";
import { AXES } from "./vocabulary.ts";

export type SchemaOrgFindings = Findings<SchemaOrgRule>;
type ProductCheck = (node: Node, findings: SchemaOrgFindings, group: Node | null) => void;

const GTINS = ["gtin", "gtin8", "gtin12", "gtin13", "gtin14"] as const;
const IDENTIFIERS = [...GTINS, "mpn", "isbn"] as const;

const MAX_CERTIFICATIONS =
  SCHEMA_ORG_FIELD_TABLE.types.Product.hasCertification.most ?? Number.POSITIVE_INFINITY;

const checkRequired: ProductCheck = (node, findings) => {
  if (textOf(node, "name") === undefined) findings.add("jsonld.name.missing", { field: "name" });
  const isOffered = has(node, "offers");
  const isReviewed = has(node, "review") || has(node, "aggregateRating");
  if (!isOffered) findings.add("jsonld.offers.missing", { field: "offers", isMild: isReviewed });
  if (!has(node, "image") && (isOffered || !isReviewed))
    findings.add("jsonld.image.missing", { field: "image" });
  for (const offer of nodesOf(node, "offers"))
    if (typesOf(offer).includes("AggregateOffer"))
      findings.add("jsonld.offers.aggregate", { field: "offers" });
};

const checkEncoding: ProductCheck = (node, findings) => {
  for (const field of ["name", "description"]) {
    const value = textOf(node, field);
    if (value !== undefined && isGarbled(value)) findings.add("jsonld.text.encoding", { field, value });
  }
};

const checkRecommended: ProductCheck = (node, findings) => {
  if (!IDENTIFIERS.some((name) => has(node, name)))
    findings.add("jsonld.identifier.missing", { field: "gtin" });
  if (!has(node, "sku")) findings.add("jsonld.sku.missing", { field: "sku" });
  if (!has(node, "url") && !nodesOf(node, "offers").some((offer) => has(offer, "url")))
    findings.add("jsonld.url.missing", { field: "url" });
};

const checkIsbn: ProductCheck = (node, findings) => {
  const field = "isbn";
  if (has(node, field) && !typesOf(node).includes("Book"))
    findings.add("jsonld.isbn.type", { field, value: textOf(node, field) });
};

const checkSku: ProductCheck = (node, findings) => {
  const value = textOf(node, "sku");
  if (value !== undefined && /\s/.test(value)) findings.add("jsonld.sku.whitespace", { field: "sku", value });
};

const checkGtins: ProductCheck = (node, findings) => {
  for (const field of GTINS) {
    const value = textOf(node, field);
    if (value === undefined) continue;
    const checked = checkGtin(value);
    const length = field.slice("gtin".length);
    if (checked.kind === "invalid" && checked.reason === "wrong_check_digit")
      findings.add("jsonld.gtin.checksum", { field, value });
    else if (checked.kind === "invalid")
      findings.add("jsonld.gtin.length", {
        field,
        value,
        detail: `The GTIN ${GTIN_PROBLEMS[checked.reason]}.`,
      });
    else if (length !== "" && String(value.length) !== length)
      findings.add("jsonld.gtin.length", { field, value });
  }
};

const checkImages: ProductCheck = (node, findings) => {
  const images = linksOf(node, "image");
  if (images.length === 1) findings.add("jsonld.image.one", { field: "image" });
  for (const [at, value] of images.entries()) {
    const fault = addressFault(value);
    const detail = `The address ${fault}.`;
    if (fault === PRIVATE_HOST)
      findings.add("jsonld.image.private", { field: "image", value, detail, isMild: at > 0 });
    else if (fault !== undefined) findings.add("jsonld.image.invalid", { field: "image", value, detail });
  }
};

const checkCertifications: ProductCheck = (node, findings) => {
  const field = "hasCertification";
  const { length } = nodesOf(node, field);
  if (length > MAX_CERTIFICATIONS)
    findings.add("jsonld.certification.many", { field, value: String(length) });
};

/** The address of the page, of a product, a group or an offer. */
export function checkPage(node: Node, findings: SchemaOrgFindings): void {
  for (const value of linksOf(node, "url")) {
    const fault = addressFault(value);
    const detail = `The address ${fault}.`;
    if (fault === PRIVATE_HOST)
      findings.add("jsonld.url.private", {
        field: "url",
        value,
        detail,
        isMild: typesOf(node).includes("ProductGroup"),
      });
    else if (fault !== undefined) findings.add("jsonld.url.relative", { field: "url", value, detail });
    else if (!value.startsWith("https:")) findings.add("jsonld.url.http", { field: "url", value });
  }
}

const checkGroupName: ProductCheck = (node, findings, group) => {
  const own = textOf(node, "inProductGroupWithID");
  const groups = group === null ? nodesOf(node, "isVariantOf") : [group];
  for (const one of groups) {
    const named = textOf(one, "productGroupID");
    if (own === undefined || named === undefined || own === named) continue;
    const detail = `The group calls itself "${named}".`;
    findings.add("jsonld.group.id", { field: "inProductGroupWithID", value: own, detail });
  }
};

const CHECKS: readonly ProductCheck[] = [
  checkRequired,
  checkEncoding,
  checkRecommended,
  checkIsbn,
  checkSku,
  checkGtins,
  checkImages,
  checkCertifications,
  checkGroupName,
];

export function checkProduct(node: Node, findings: SchemaOrgFindings, group: Node | null): void {
  for (const check of CHECKS) check(node, findings, group);
}

export function checkRating(node: Node, findings: SchemaOrgFindings): void {
  const count = textOf(node, "ratingCount") ?? textOf(node, "reviewCount");
  if (count === undefined || !/^[1-9]\d*$/.test(count))
    findings.add("jsonld.rating.count", { field: "aggregateRating", value: count });
  const value = textOf(node, "ratingValue");
  const least = Number(textOf(node, "worstRating") ?? 1);
  const most = Number(textOf(node, "bestRating") ?? 5);
  const stars = value === undefined ? Number.NaN : Number(value);
  if (!(stars >= least && stars <= most))
    findings.add("jsonld.rating.range", { field: "aggregateRating", value });
}

const LONGEST_AUTHOR = 100;

export function checkReview(node: Node, findings: SchemaOrgFindings): void {
  const author = nodesOf(node, "author")[0];
  const name = author === undefined ? textOf(node, "author") : textOf(author, "name");
  if (name === undefined || name.length >= LONGEST_AUTHOR || /^(?:anonymous|guest|customer)$/i.test(name))
    findings.add("jsonld.review.author", { field: "author", value: name });
}

function gtinOf(variant: Node): string | undefined {
  for (const name of GTINS) {
    const gtin = textOf(variant, name);
    if (gtin !== undefined) return gtin;
  }
  return undefined;
}

/** The values of a variant on an axis; age and gender are in its audience. */
function axisValues(variant: Node, axis: string): readonly unknown[] {
  const [audience = {}] = nodesOf(variant, "audience");
  if (axis === "suggestedAge")
    return ["suggestedMinAge", "suggestedMaxAge", "suggestedAge"].flatMap((name) => valuesOf(audience, name));
  return valuesOf(axis === "suggestedGender" ? audience : variant, axis);
}

/**
 * Returns a hash of everything that distinguishes a variant from other variants of its group; empty if it states
 * nothing of the kind. Options beyond those that Google knows are additional properties; offers may differ in their
 * condition.
 */
export function combinationOf(variant: Node): string {
  const stated = [...AXES].map((axis) => axisValues(variant, axis));
  const more = ["additionalProperty", "model", "weight", "width", "height", "depth"].map((name) =>
    valuesOf(variant, name),
  );
  const [offer = {}] = nodesOf(variant, "offers");
  if (stated.every((values) => values.length === 0) && more.every((values) => values.length === 0)) return "";
  const options = JSON.stringify([stated, more, termsOf(offer, "itemCondition")]).toLowerCase();
  return hash("sha256", options, "base64").slice(0, 22);
}

/** The group that a product names. */
export function groupKeyOf(variant: Node): string | undefined {
  const [group] = nodesOf(variant, "isVariantOf");
  const own = textOf(variant, "inProductGroupWithID");
  if (group === undefined) return own === undefined ? undefined : `id ${own}`;
  const id = textOf(group, "productGroupID") ?? own;
  return id === undefined ? textOf(group, "@id") : `id ${id}`;
}

function checkAxes(group: Node, variants: readonly Node[], findings: SchemaOrgFindings): void {
  const field = "variesBy";
  for (const link of linksOf(group, field)) {
    const value = bareTerm(link);
    if (!AXES.has(value)) findings.add("jsonld.group.variesby", { field, value });
    else if (variants.some((variant) => axisValues(variant, value).length === 0))
      findings.add("jsonld.group.absent", { field, value });
  }
}

const isUnique = (variants: Map<string | undefined, unknown[]>, code: string | undefined): boolean =>
  code !== undefined && variants.get(code)?.length === 1;

/** Each variant needs a SKU or a GTIN that no other variant has. */
function checkIdentifiers(variants: readonly Node[], findings: SchemaOrgFindings): void {
  const bySku = Map.groupBy(variants, (variant) => textOf(variant, "sku"));
  const byGtin = Map.groupBy(variants, gtinOf);
  for (const variant of variants) {
    const sku = textOf(variant, "sku");
    const gtin = gtinOf(variant);
    const field = "hasVariant";
    if (sku === undefined && gtin === undefined)
      findings.add("jsonld.group.anonymous", { field, value: nameOf(variant) ?? undefined });
    else if (!isUnique(bySku, sku) && !isUnique(byGtin, gtin))
      findings.add("jsonld.group.variants", { field, value: sku ?? gtin });
  }
}

export function checkGroup(group: Node, findings: SchemaOrgFindings): void {
  if (textOf(group, "name") === undefined) findings.add("jsonld.group.name", { field: "name" });
  const variants = nodesOf(group, "hasVariant").filter((variant) => has(variant, "@type"));
  checkAxes(group, variants, findings);
  checkIdentifiers(variants, findings);
}
