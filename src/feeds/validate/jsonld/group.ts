/** A group of variants: its name, what it varies by, and whether its variants can be told apart. */
import { bareTerm, has, linksOf, nameOf, type Node, nodesOf, textOf } from "./node.ts";
import type { JsonldFindings } from "./product.ts";
import { AXES } from "./vocabulary.ts";

const GTINS = ["gtin", "gtin8", "gtin12", "gtin13", "gtin14"] as const;

function gtinOf(variant: Node): string | undefined {
  for (const name of GTINS) {
    const gtin = textOf(variant, name);
    if (gtin !== undefined) return gtin;
  }
  return undefined;
}

/** Age and gender stand inside the audience. */
function hasAxis(variant: Node, axis: string): boolean {
  const [audience = {}] = nodesOf(variant, "audience");
  if (axis === "suggestedAge")
    return (
      has(audience, "suggestedMinAge") || has(audience, "suggestedMaxAge") || has(audience, "suggestedAge")
    );
  return axis === "suggestedGender" ? has(audience, axis) : has(variant, axis);
}

function checkAxes(group: Node, variants: readonly Node[], findings: JsonldFindings): void {
  const field = "variesBy";
  for (const link of linksOf(group, field)) {
    const value = bareTerm(link);
    if (!AXES.has(value)) findings.say("jsonld.group.variesby", { field, value });
    else if (variants.some((variant) => !hasAxis(variant, value)))
      findings.say("jsonld.group.absent", { field, value });
  }
}

function countOf(values: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Each variant needs a SKU or a GTIN that no other variant has. */
function checkIdentifiers(variants: readonly Node[], findings: JsonldFindings): void {
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

export function checkGroup(group: Node, findings: JsonldFindings): void {
  if (textOf(group, "name") === undefined) findings.say("jsonld.group.name", { field: "name" });
  const variants = nodesOf(group, "hasVariant").filter((variant) => has(variant, "@type"));
  checkAxes(group, variants, findings);
  checkIdentifiers(variants, findings);
}
