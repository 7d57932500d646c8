/** Loads data of the API for a component, and loads it again when asked to. Actions change something there. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { fetchData, toProblem } from "./api.ts";
import type { Problem } from "./api.ts";
import { useCatalog } from "./catalog.ts";

export type LoadedData<T> = {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  /** The data is of the address before, such as of other filters, and the new data is being loaded. */
  readonly isOutdated: boolean;
  readonly reload: () => void;
};

/** After this time a server that did not answer is asked again. */
const RETRY_MS = 5_000;

/**
 * Data of the catalog that is shown, or of the session outside of one. `path` null: nothing is loaded. The previous
 * data stays until the new data is there, so that nothing jumps.
 */
export function useData<T extends { readonly data: unknown }>(path: string | null): LoadedData<T["data"]> {
  const catalog = useCatalog()?.slug;
  const [state, setState] = useState<{
    readonly data?: T["data"];
    readonly problem?: Problem;
    readonly of?: string;
  }>({});
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    fetchData<T>(path, { catalog, signal: abort.signal })
      .then((data) => setState({ data, of: path }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = toProblem(error);
        setState((before) => ({
          ...(before.of === path && before.data !== undefined && { data: before.data }),
          problem,
          of: path,
        }));
      });
    return () => abort.abort();
  }, [path, catalog, version]);
  const reload = useCallback(() => setVersion((number) => number + 1), []);
  const { data, problem, of } = state;
  useEffect(() => {
    if (problem?.code !== "offline") return undefined;
    const timer = setTimeout(reload, RETRY_MS);
    return () => clearTimeout(timer);
  }, [problem]);
  return { data, problem, isOutdated: path !== null && of !== path, reload };
}

export type PageAction<Input> = {
  readonly run: (input: Input) => Promise<void>;
  readonly isWorking: boolean;
  readonly problem: Problem | undefined;
  /** Forgets the problem: the user changed what it was about. */
  readonly clear: () => void;
};

/** Something the user starts: at most once at a time, with its problem if it failed. */
export function useAction<Input = void>(act: (input: Input) => Promise<unknown>): PageAction<Input> {
  const [isWorking, setIsWorking] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const isBusy = useRef(false);
  const run = async (input: Input) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setIsWorking(true);
    setProblem(undefined);
    try {
      await act(input);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      isBusy.current = false;
      setIsWorking(false);
    }
  };
  return { run, isWorking, problem, clear: () => setProblem(undefined) };
}
