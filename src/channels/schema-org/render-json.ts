/**
 * `jsonld.json`: one schema.org document, one node a line, every line fit to be pasted into a page. The shared nodes
 * come with the first item, so that an empty catalog is an empty graph. Every item can be carried.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { Exclusion, FeedContext, FeedWriter, Piece, Renderer } from "../channel.ts";
import { SCHEMA_ORG, SCHEMA_ORG_30 } from "./fields.ts";
import type { Json } from "./json-text.ts";
import { loneVariant, productGroup } from "./group.ts";
import { product } from "./product.ts";
import { jsonldStore, type JsonldStore } from "./store.ts";
import { type Family, familyOf, statedGroupId } from "../kit/variants.ts";
import { elementSeparator } from "../kit/separator.ts";

const NONE_EXCLUDED: readonly Exclusion[] = [];

function nodesOf(family: Family, store: JsonldStore): readonly Json[] {
  const { members, whole } = family;
  const groupId = statedGroupId(family, members.length);
  const first = members[0]?.item;
  if (groupId === undefined || first === undefined) {
    const place = { store, groupId: undefined, group: undefined, alike: undefined };
    return members.map((member) => product(member, place));
  }
  if (!whole) return members.map((member) => loneVariant(member, { groupId, store }));
  return [productGroup(first, members, { groupId, store })];
}

function open(context: FeedContext): FeedWriter {
  const separator = elementSeparator();
  const store = jsonldStore(context);
  let pending: readonly Json[] = store.sharedNodes;
  return {
    head: () => `{"@context":"${SCHEMA_ORG}","@graph":[`,
    group: (group: ItemGroup): Piece => {
      const nodes = nodesOf(familyOf(group, context), store);
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

export const jsonld: Renderer = { contentType: "application/json", profile: SCHEMA_ORG_30.id, open };
