/**
 * `jsonld.json`: one schema.org document, one node a line, every line fit to be pasted into a page. The shared nodes
 * come with the first item, so that an empty catalog is an empty graph. Every item can be carried.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { Exclusion, FeedContext, FeedWriter, Piece } from "../channel.ts";
import { SCHEMA_ORG } from "./fields.ts";
import type { Json } from "./json-text.ts";
import { loneVariant, productGroup } from "./group.ts";
import { product } from "./product.ts";
import { schemaOrgStore, type SchemaOrgStore } from "./store.ts";
import { type VariantGroup, variantGroupOf, statedGroupId } from "../kit/variants.ts";
import { elementSeparator } from "../kit/separator.ts";

const NONE_EXCLUDED: readonly Exclusion[] = [];

function nodesOf(variantGroup: VariantGroup, store: SchemaOrgStore): readonly Json[] {
  const { variants, whole } = variantGroup;
  const groupId = statedGroupId(variantGroup, variants.length);
  const first = variants[0]?.item;
  if (groupId === undefined || first === undefined) {
    const place = { store, groupId: undefined, group: undefined, alike: undefined };
    return variants.map((variant) => product(variant, place));
  }
  if (!whole) return variants.map((variant) => loneVariant(variant, { groupId, store }));
  return [productGroup(first, variants, { groupId, store })];
}

export function openSchemaOrgJson(context: FeedContext): FeedWriter {
  const separator = elementSeparator();
  const store = schemaOrgStore(context);
  let pending: readonly Json[] = store.sharedNodes;
  return {
    head: () => `{"@context":"${SCHEMA_ORG}","@graph":[`,
    group: (group: ItemGroup): Piece => {
      const nodes = nodesOf(variantGroupOf(group, context), store);
      let text = "";
      if (nodes.length > 0) {
        for (const node of pending) text += separator() + node;
        pending = [];
      }
      for (const node of nodes) text += separator() + node;
      return { text, written: group.items.length, excluded: NONE_EXCLUDED };
    },
    tail: () => "\n]}\n",
  };
}
