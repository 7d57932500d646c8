/** The status of the catalog, kept current. */
import { useRef } from "preact/hooks";
import type { CatalogStatus, CatalogStatusAnswer } from "../../src/contract/status.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { useEvents } from "./events.tsx";
import { useData } from "./use-data.ts";
import type { Loaded } from "./use-data.ts";

const REFETCH_MS = 1_000;

/** Calls `reload` after runs began or ended, at most once a second. */
export function useReloadAfterRuns(reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      reload();
    }, REFETCH_MS);
  };
  useEvents({ onRun: soon, onRefetch: soon, onDeliveries: soon });
}

export function useStatus(): Loaded<CatalogStatus> {
  const loaded = useData<Wire<typeof CatalogStatusAnswer>>("/catalog/status");
  useReloadAfterRuns(loaded.reload);
  return loaded;
}
