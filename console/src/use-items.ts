/**
 * Pages of items. A search may return a short page and go on later: then the next page is loaded too, within bounds.
 */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { ItemsAnswer, ItemSummary } from "../../src/contract/items.ts";
import { fetchData, toProblem } from "./api.ts";
import type { Problem } from "./api.ts";
import { useThisCatalog } from "./catalog.ts";
import { pathWith } from "./router.tsx";

/** A call takes about 200 ms: a search goes on for some seconds, and then asks. */
const MAX_CALLS = 20;
export const PAGE = 50;

export type ItemListFilter = Readonly<
  Record<"q" | "source_id" | "group_id" | "finding" | "refused_in", string | null>
>;

export type ListedItems = {
  /** Of the search before until something of the new one is known. */
  readonly items: readonly ItemSummary[] | undefined;
  readonly next: string | null;
  readonly isSearching: boolean;
  readonly problem: Problem | undefined;
  readonly reload: () => void;
};

type State = Pick<ListedItems, "items" | "next" | "isSearching" | "problem"> & {
  /** The search that it is the state of. */
  readonly of: string;
};

export function useItems(filter: ItemListFilter, from: string | null): ListedItems {
  const { slug } = useThisCatalog();
  const of = pathWith("/items", { ...filter, cursor: from });
  const [version, setVersion] = useState(0);
  const [state, setState] = useState<State>({
    items: undefined,
    next: null,
    isSearching: true,
    problem: undefined,
    of,
  });
  useEffect(() => {
    const abort = new AbortController();
    const search = async () => {
      const items: ItemSummary[] = [];
      let cursor = from;
      for (let calls = 1; ; calls += 1) {
        const page: ItemsAnswer["data"] = await fetchData<ItemsAnswer>(
          pathWith("/items", { ...filter, cursor, limit: PAGE - items.length }),
          { catalog: slug, signal: abort.signal },
        );
        if (abort.signal.aborted) return;
        items.push(...page.items);
        cursor = page.next_cursor;
        const isDone = cursor === null || items.length >= PAGE || calls >= MAX_CALLS;
        setState({ items: [...items], next: cursor, isSearching: !isDone, problem: undefined, of });
        if (isDone) return;
      }
    };
    setState((before) => ({ ...before, isSearching: true, problem: undefined, of }));
    search().catch((error: unknown) => {
      if (!abort.signal.aborted)
        setState({ items: undefined, next: null, isSearching: false, problem: toProblem(error), of });
    });
    return () => abort.abort();
  }, [of, slug, version]);
  const reload = useCallback(() => setVersion((number) => number + 1), []);
  return { ...state, isSearching: state.isSearching || state.of !== of, reload };
}
