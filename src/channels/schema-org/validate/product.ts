/** A product, alone or as a variant: what Google's merchant listings need of it, and what they would like. */
import { checkGtin, GTIN_PROBLEMS } from "../../../catalog/gtin.ts";
import { SCHEMA_ORG_FIELD_TABLE } from "../fields.ts";
import { addressFault } from "../../kit/validate/checks/url.ts";
import type { Findings } from "../../kit/validate/findings.ts";
import { has, linksOf, type Node, nodesOf, textOf, typesOf } from "./node.ts";
import type { SchemaOrgRule } from "./rules.ts";

export type SchemaOrgFindings = Findings<SchemaOrgRule>;
type Check = (node: Node, findings: SchemaOrgFindings, group: Node | null) => void;

const GTINS = ["gtin", "gtin8", "gtin12", "gtin13", "gtin14"] as const;
const IDENTIFIERS = [...GTINS, "mpn", "isbn"] as const;

const MOST_CERTIFICATIONS =
  SCHEMA_ORG_FIELD_TABLE.types.Product.hasCertification.most ?? Number.POSITIVE_INFINITY;

const checkNeeds: Check = (node, findings) => {
  if (textOf(node, "name") === undefined) findings.say("jsonld.name.missing", { field: "name" });
  const isOffered = has(node, "offers");
  const isReviewed = has(node, "review") || has(node, "aggregateRating");
  if (!isOffered) findings.say("jsonld.offers.missing", { field: "offers", isMild: isReviewed });
  if (!has(node, "image") && (isOffered || !isReviewed))
    findings.say("jsonld.image.missing", { field: "image" });
  for (const offer of nodesOf(node, "offers"))
    if (typesOf(offer).includes("AggregateOffer"))
      findings.say("jsonld.offers.aggregate", { field: "offers" });
};

const checkWishes: Check = (node, findings) => {
  if (!IDENTIFIERS.some((name) => has(node, name)))
    findings.say("jsonld.identifier.missing", { field: "gtin" });
  if (!has(node, "sku")) findings.say("jsonld.sku.missing", { field: "sku" });
  if (!has(node, "url") && !nodesOf(node, "offers").some((offer) => has(offer, "url")))
    findings.say("jsonld.url.missing", { field: "url" });
};

const checkIsbn: Check = (node, findings) => {
  const field = "isbn";
  if (has(node, field) && !typesOf(node).includes("Book"))
    findings.say("jsonld.isbn.type", { field, value: textOf(node, field) });
};

const checkSku: Check = (node, findings) => {
  const value = textOf(node, "sku");
  if (value !== undefined && /\s/.test(value)) findings.say("jsonld.sku.whitespace", { field: "sku", value });
};

const checkGtins: Check = (node, findings) => {
  for (const field of GTINS) {
    const value = textOf(node, field);
    if (value === undefined) continue;
    const checked = checkGtin(value);
    const length = field.slice("gtin".length);
    if (checked.kind === "invalid" && checked.reason === "wrong_check_digit")
      findings.say("jsonld.gtin.checksum", { field, value });
    else if (checked.kind === "invalid")
      findings.say("jsonld.gtin.length", {
        field,
        value,
        detail: `The GTIN ${GTIN_PROBLEMS[checked.reason]}.`,
      });
    else if (length !== "" && String(value.length) !== length)
      findings.say("jsonld.gtin.length", { field, value });
  }
};

const checkImages: Check = (node, findings) => {
  const images = linksOf(node, "image");
  if (images.length === 1) findings.say("jsonld.image.one", { field: "image" });
  for (const value of images) {
    const fault = addressFault(value);
    if (fault !== undefined)
      findings.say("jsonld.image.invalid", { field: "image", value, detail: `The address ${fault}.` });
  }
};

const checkCertifications: Check = (node, findings) => {
  const field = "hasCertification";
  const { length } = nodesOf(node, field);
  if (length > MOST_CERTIFICATIONS)
    findings.say("jsonld.certification.many", { field, value: String(length) });
};

/** The address of the page, of a product, a group or an offer. */
export function checkPage(node: Node, findings: SchemaOrgFindings): void {
  for (const value of linksOf(node, "url")) {
    const fault = addressFault(value);
    if (fault !== undefined)
      findings.say("jsonld.url.relative", { field: "url", value, detail: `The address ${fault}.` });
    else if (!value.startsWith("https:")) findings.say("jsonld.url.http", { field: "url", value });
  }
}

const checkGroupName: Check = (node, findings, group) => {
  const own = textOf(node, "inProductGroupWithID");
  const groups = group === null ? nodesOf(node, "isVariantOf") : [group];
  for (const one of groups) {
    const named = textOf(one, "productGroupID");
    if (own === undefined || named === undefined || own === named) continue;
    const detail = `The group calls itself "${named}".`;
    findings.say("jsonld.group.id", { field: "inProductGroupWithID", value: own, detail });
  }
};

const CHECKS: readonly Check[] = [
  checkNeeds,
  checkWishes,
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
    findings.say("jsonld.rating.count", { field: "aggregateRating", value: count });
  const value = textOf(node, "ratingValue");
  const least = Number(textOf(node, "worstRating") ?? 1);
  const most = Number(textOf(node, "bestRating") ?? 5);
  const stars = value === undefined ? Number.NaN : Number(value);
  if (!(stars >= least && stars <= most))
    findings.say("jsonld.rating.range", { field: "aggregateRating", value });
}

const LONGEST_AUTHOR = 100;

export function checkReview(node: Node, findings: SchemaOrgFindings): void {
  const author = nodesOf(node, "author")[0];
  const name = author === undefined ? textOf(node, "author") : textOf(author, "name");
  if (name === undefined || name.length >= LONGEST_AUTHOR || /^(?:anonymous|guest|customer)$/i.test(name))
    findings.say("jsonld.review.author", { field: "author", value: name });
}
