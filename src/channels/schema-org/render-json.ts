/**
 * `jsonld.json`: one schema.org document with one node per line; every line can be put into a page as it is. The shared
 * nodes come with the first item, so that an empty catalog is an empty graph. An item that Google's merchant listings
 * refuse is in the file all the same.
 */
import type { ItemGroup } from "../../catalog/item.ts";
import { type FeedContext, type FeedWriter, elementSeparator } from "../channel.ts";
import { ADDRESS_CHECKS, refusalChecks, type WrittenVariants, writtenVariants } from "../kit/variants.ts";
import { SCHEMA_ORG, SCHEMA_ORG_FIELD_TABLE } from "./fields.ts";
import { loneVariant, product, productGroup } from "./product.ts";
import type { JsonText } from "./json-text.ts";
import { schemaOrgStore, type SchemaOrgStore } from "./store.ts";

const REFUSALS = refusalChecks(SCHEMA_ORG_FIELD_TABLE.refusals, {
  missing_image: ({ item }) => item.images === undefined,
  ...ADDRESS_CHECKS,
  price_not_positive: ({ isFree }) => isFree,
});

function nodesOf(
  group: ItemGroup,
  { written, groupId }: WrittenVariants,
  store: SchemaOrgStore,
): readonly JsonText[] {
  const first = written[0]?.item;
  if (groupId === undefined || first === undefined)
    return written.map((variant) => product(variant, { store }));
  if (!group.isWhole) return written.map((variant) => loneVariant(variant, { groupId, store }));
  return [productGroup(first, written, { groupId, store })];
}

export function openSchemaOrgJson(context: FeedContext): FeedWriter {
  const separator = elementSeparator();
  const store = schemaOrgStore(context);
  let pending: readonly JsonText[] = store.sharedNodes;
  return {
    head: () => `{"@context":"${SCHEMA_ORG}","@graph":[`,
    group: (group) => {
      const variants = writtenVariants(group, context, { checks: REFUSALS });
      const nodes = nodesOf(group, variants, store);
      let text = "";
      for (const node of nodes.length === 0 ? [] : [...pending, ...nodes]) text += separator() + node;
      if (nodes.length > 0) pending = [];
      return { text, written: group.items.length, refusals: variants.refusals };
    },
    tail: () => "\n]}\n",
  };
}
