/**
 * Names of nodes. The page's address alone would not do: variants often share a page, and two nodes of one name are
 * one node. With the item's id, which is unique in the catalog, the name is unique too.
 */
import type { Json } from "./json-text.ts";

const PLAIN = /^[\w.~-]+$/;

/** `page` is the JSON of an address; percent-encoding leaves nothing in the id that JSON would have to escape. */
export function nodeId(page: Json, kind: "product" | "group", id: string): Json {
  const fragment = page.indexOf("#");
  const address = page.slice(0, fragment === -1 ? -1 : fragment);
  return `${address}#${kind}-${PLAIN.test(id) ? id : encodeURIComponent(id.toWellFormed())}"`;
}
