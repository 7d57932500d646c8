/** Loads data of the API for a component, and loads it again when asked to. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { fetchData, Problem } from "./api.ts";

export type Loaded<T> = {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/** `path` null: nothing is loaded. The data of before stays until the new data is there, so that nothing jumps. */
export function useData<T extends { readonly data: unknown }>(
  path: string | null,
  catalog?: string,
): Loaded<T["data"]> {
  const [state, setState] = useState<{
    readonly data?: T["data"];
    readonly problem?: Problem;
    readonly of?: string;
  }>({});
  const [version, setVersion] = useState(0);
  const [isLoading, setIsLoading] = useState(path !== null);
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    setIsLoading(true);
    fetchData<T>(path, { catalog, signal: abort.signal })
      .then((data) => setState({ data, of: path }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem(0, { detail: String(error) });
        setState((before) => ({
          ...(before.of === path && before.data !== undefined && { data: before.data }),
          problem,
          of: path,
        }));
      })
      .finally(() => {
        if (!abort.signal.aborted) setIsLoading(false);
      });
    return () => abort.abort();
  }, [path, catalog, version]);
  const reload = useCallback(() => setVersion((number) => number + 1), []);
  return { data: state.data, problem: state.problem, isLoading, reload };
}
