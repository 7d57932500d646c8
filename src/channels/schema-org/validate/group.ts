/** A group of variants: its name, what it varies by, and whether its variants can be told apart. */
import { hash } from "node:crypto";
import { bareTerm, has, linksOf, nameOf, type Node, nodesOf, termsOf, textOf, valuesOf } from "./node.ts";
import type { SchemaOrgFindings } from "./product.ts";
import { AXES } from "./vocabulary.ts";

const GTINS = ["gtin", "gtin8", "gtin12", "gtin13", "gtin14"] as const;

function gtinOf(variant: Node): string | undefined {
  for (const name of GTINS) {
    const gtin = textOf(variant, name);
    if (gtin !== undefined) return gtin;
  }
  return undefined;
}

/** What a variant says on an axis; age and gender stand inside the audience. */
function axisValues(variant: Node, axis: string): readonly unknown[] {
  const [audience = {}] = nodesOf(variant, "audience");
  if (axis === "suggestedAge")
    return ["suggestedMinAge", "suggestedMaxAge", "suggestedAge"].flatMap((name) => valuesOf(audience, name));
  return valuesOf(axis === "suggestedGender" ? audience : variant, axis);
}

/**
 * A hash of everything that distinguishes a variant from others of its group; empty when it states none of it. Options
 * beyond those that Google knows are additional properties; offers may differ in their condition.
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

/** The group that a product on its own says it belongs to. */
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
    if (!AXES.has(value)) findings.say("jsonld.group.variesby", { field, value });
    else if (variants.some((variant) => axisValues(variant, value).length === 0))
      findings.say("jsonld.group.absent", { field, value });
  }
}

function countOf(values: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Each variant needs a SKU or a GTIN that no other variant has. */
function checkIdentifiers(variants: readonly Node[], findings: SchemaOrgFindings): void {
  const skus = countOf(variants.map((variant) => textOf(variant, "sku")));
  const gtins = countOf(variants.map(gtinOf));
  for (const variant of variants) {
    const sku = textOf(variant, "sku");
    const gtin = gtinOf(variant);
    const field = "hasVariant";
    if (sku === undefined && gtin === undefined)
      findings.say("jsonld.group.anonymous", { field, value: nameOf(variant) ?? undefined });
    else if (skus.get(sku ?? "") !== 1 && gtins.get(gtin ?? "") !== 1)
      findings.say("jsonld.group.variants", { field, value: sku ?? gtin });
  }
}

export function checkGroup(group: Node, findings: SchemaOrgFindings): void {
  if (textOf(group, "name") === undefined) findings.say("jsonld.group.name", { field: "name" });
  const variants = nodesOf(group, "hasVariant").filter((variant) => has(variant, "@type"));
  checkAxes(group, variants, findings);
  checkIdentifiers(variants, findings);
}
