/** Where a JSON document keeps its products: under the names that shops, feeds and JSON-LD give to such lists. */
export const LIST_NAMES: readonly string[] =
  `products items data offers results entry entries rows records listings catalog
   @graph itemlistelement datafeedelement`.split(/\s+/);

const KNOWN: ReadonlySet<string> = new Set(LIST_NAMES);

/** Whether the array under these keys is such a list. */
export function hasUsualName(path: readonly string[]): boolean {
  return KNOWN.has(path.at(-1)?.toLowerCase() ?? "");
}
