/** What is published, on every page: whether a render is held. */
import { useEffect } from "preact/hooks";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import { useReload } from "./events.tsx";
import { useData } from "./use-data.ts";
import type { LoadedData } from "./use-data.ts";

const CHANGED = "shelfwire:publication";

/** A decision was made on this page. */
export const publicationChanged = (): void => void window.dispatchEvent(new Event(CHANGED));

export function usePublication(): LoadedData<FeedsAnswer["data"]> {
  const loaded = useData<FeedsAnswer>("/feeds");
  const { reload } = loaded;
  useReload(reload, { run: ({ kind, status }) => kind === "render" && status !== "running" });
  useEffect(() => {
    window.addEventListener(CHANGED, reload);
    return () => window.removeEventListener(CHANGED, reload);
  }, [reload]);
  return loaded;
}
