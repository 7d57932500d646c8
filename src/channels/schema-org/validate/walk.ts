/** Visits a node and everything nested in it, and calls the checks for its type. */
import { isJsonObject } from "../../../lib/json-object.ts";
import {
  checkGroup,
  checkPage,
  checkProduct,
  checkRating,
  checkReview,
  type SchemaOrgFindings,
} from "./product.ts";
import type { NodeNames, Variants } from "./graph.ts";
import { has, isElsewhere, isReference, nameOf, type Node, nodesOf, typesOf } from "./node.ts";
import {
  checkAggregateOffer,
  checkDays,
  checkOffer,
  checkReturnPolicy,
  checkShippingDetails,
} from "./offer.ts";
import { ORGANIZATIONS, PROPERTIES, SUPERSEDED } from "./vocabulary.ts";

export type Walk = {
  readonly findings: SchemaOrgFindings;
  readonly names: NodeNames;
  readonly variants: Variants;
  readonly now: Date;
  /** Called for each product that is an item of the catalog. */
  readonly onItem: () => void;
  /** Called for each organization. */
  readonly onSeller: () => void;
};

/** The position of a node: the property that contains it, and the node of that property. */
type NodePosition = { readonly property: string | null; readonly parent: Node | null };

type NodeCheck = (node: Node, place: NodePosition, walk: Walk) => void;

/** Under these properties a product is an item of the catalog; elsewhere it is only mentioned. */
const ITEM_PROPERTIES = new Set(["hasVariant", "item", "itemListElement", "dataFeedElement", "mainEntity"]);

function isItem(node: Node, { property }: NodePosition): boolean {
  const isProduct = typesOf(node).some((type) => type === "Product" || type === "ProductGroup");
  return isProduct && (property === null || ITEM_PROPERTIES.has(property));
}

const BY_TYPE: Readonly<Record<string, NodeCheck>> = {
  Product: (node, place, { findings, variants, onItem }) => {
    if (!isItem(node, place)) return;
    onItem();
    const group = place.property === "hasVariant" ? place.parent : null;
    checkProduct(node, findings, group);
    checkPage(node, findings);
    variants.variant(node, group);
  },
  ProductGroup: (node, place, { findings, variants }) => {
    variants.group(node);
    if (!isItem(node, place)) return;
    checkGroup(node, findings);
    checkPage(node, findings);
  },
  Offer: (node, _, { findings, now }) => checkOffer(node, findings, now),
  AggregateOffer: (node, _, { findings }) => checkAggregateOffer(node, findings),
  ServicePeriod: (node, { property }, { findings }) => {
    for (const time of nodesOf(node, "duration"))
      if (!isReference(time)) checkDays(time, property ?? "duration", findings);
  },
  OfferShippingDetails: (node, _, { findings }) => checkShippingDetails(node, findings),
  MerchantReturnPolicy: (node, { parent }, { findings }) => {
    const isOfShop = parent !== null && typesOf(parent).some((type) => ORGANIZATIONS.has(type));
    checkReturnPolicy(node, findings, isOfShop);
  },
  AggregateRating: (node, _, { findings }) => checkRating(node, findings),
  Review: (node, _, { findings }) => checkReview(node, findings),
};

export function walkNode(node: Node, place: NodePosition, walk: Walk): void {
  const isOwn = isItem(node, place) && !isReference(node);
  const { findings } = walk;
  const { line, itemId } = findings;
  if (isOwn) findings.at(line, nameOf(node));
  walk.names.add(node, isOwn);
  if (!isReference(node)) {
    checkNode(node, place, walk);
    for (const [property, value] of Object.entries(node)) walkValue(value, { property, parent: node }, walk);
  }
  findings.at(line, itemId);
}

function checkNode(node: Node, place: NodePosition, walk: Walk): void {
  const types = typesOf(node);
  if (types.some((type) => ORGANIZATIONS.has(type))) walk.onSeller();
  if (types.length === 0) reportUntyped(node, place, walk.findings);
  for (const type of types) BY_TYPE[type]?.(node, place, walk);
  const [only = "", ...others] = types;
  const known = PROPERTIES.get(only);
  if (known !== undefined && others.length === 0) checkProperties(node, known, walk.findings);
}

function reportUntyped(node: Node, { property }: NodePosition, findings: SchemaOrgFindings): void {
  if (has(node, "@value") || isElsewhere(node)) return;
  findings.add("jsonld.type.missing", { field: property ?? undefined, isMild: property !== null });
}

function checkProperties(node: Node, known: ReadonlySet<string>, findings: SchemaOrgFindings): void {
  for (const field of Object.keys(node)) {
    if (known.has(field) || field.startsWith("@")) continue;
    const newer = SUPERSEDED.get(field);
    if (newer !== undefined)
      findings.add("jsonld.property.superseded", { field, detail: `\`${newer}\` has taken its place.` });
    else findings.add("jsonld.property.unknown", { field });
  }
}

function walkValue(value: unknown, place: NodePosition, walk: Walk): void {
  const field = place.property ?? "";
  // The context explains terms; it is not data.
  if (field === "@context") return;
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0))
    walk.findings.add("jsonld.value.empty", { field });
  else if (Array.isArray(value)) for (const one of value) walkValue(one, place, walk);
  else if (isJsonObject(value)) walkNode(value, place, walk);
}
