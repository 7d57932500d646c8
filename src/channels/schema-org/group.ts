/**
 * A group of variants as `ProductGroup`. What it says of itself is only what all its variants have in common; a part
 * of a group too large to be held at once says no more than which group it belongs to.
 */
import type { Item } from "../../catalog/item.ts";
import { meaningful } from "../../catalog/filler-words.ts";
import { type GroupProperty, SCHEMA_ORG } from "./fields.ts";
import { array, type Json, maybeStr, node, nodeId, str } from "./json-text.ts";
import { brand, product } from "./product.ts";
import type { SchemaOrgStore } from "./store.ts";
import type { Variant } from "../kit/variants.ts";

type Attribute = (item: Item) => string | undefined;

/** The six axes that Google reads, by its names. */
const AXES: readonly (readonly [string, Attribute])[] = [
  ["color", (item) => meaningful(item.color)],
  ["size", (item) => meaningful(item.size)],
  ["material", (item) => meaningful(item.material)],
  ["pattern", (item) => item.pattern],
  ["suggestedAge", (item) => item.ageGroup],
  ["suggestedGender", (item) => item.gender],
];

function variesBy(variants: readonly Variant[]): Json | undefined {
  const varying = AXES.filter(([, attribute]) => {
    const values = new Set(variants.map(({ item }) => attribute(item)));
    return values.size > 1 && !values.has(undefined);
  });
  return array(varying.map(([name]) => `"${SCHEMA_ORG}/${name}"`));
}

function shared(variants: readonly Variant[], attribute: Attribute): string | undefined {
  const first = variants[0] && attribute(variants[0].item);
  return variants.every(({ item }) => attribute(item) === first) ? first : undefined;
}

/** Google distinguishes variants by SKU or GTIN; some shops give all variants of a product one SKU. */
function alikeIn(variants: readonly Variant[]): ReadonlySet<Item> {
  const skus = countOf(variants.map(({ item }) => item.sku));
  if ([...skus.values()].every((count) => count === 1)) return new Set();
  const gtins = countOf(variants.map(({ item }) => item.gtin));
  return new Set(
    variants.flatMap(({ item }) => (isOne(skus, item.sku) || isOne(gtins, item.gtin) ? [] : [item])),
  );
}

function isOne(counts: ReadonlyMap<string, number>, code = ""): boolean {
  return counts.get(code) === 1;
}

function countOf(codes: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const code of codes) if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}

function groupName({ groupTitle, title }: Item): Json {
  return str(groupTitle ?? title);
}

export function productGroup(
  first: Item,
  variants: readonly Variant[],
  { groupId, store }: { readonly groupId: string; readonly store: SchemaOrgStore },
): Json {
  const page = shared(variants, (item) => item.canonicalLink);
  const place = { store, groupId, group: undefined, alike: alikeIn(variants) };
  const properties: { readonly [P in GroupProperty]: Json | undefined } = {
    name: groupName(first),
    description: maybeStr(shared(variants, (item) => item.description)),
    url: maybeStr(page),
    productGroupID: str(groupId),
    brand: shared(variants, (item) => item.brand) === undefined ? undefined : brand(first),
    variesBy: variesBy(variants),
    hasVariant: array(variants.map((variant) => product(variant, place))),
  };
  return node("ProductGroup", { "@id": nodeId(str(page ?? first.link), "group", groupId), ...properties });
}

/** A variant that stands alone and names its group. The group has no id of its own here: no node of the file has it. */
export function loneVariant(
  variant: Variant,
  { groupId, store }: { readonly groupId: string; readonly store: SchemaOrgStore },
): Json {
  const group = node("ProductGroup", { name: groupName(variant.item), productGroupID: str(groupId) });
  return product(variant, { store, groupId, group, alike: undefined });
}
