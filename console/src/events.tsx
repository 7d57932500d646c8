/**
 * The live events of the catalog that is shown. `EventSource` cannot send the headers of a session, so this is `fetch`.
 */
import { createContext } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useMemo, useRef } from "preact/hooks";
import type { Run } from "../../src/contract/runs.ts";
import { callApi } from "./api.ts";

export type ShownProgress = { readonly run_id: string; readonly phase: Run["phase"]; readonly done: number };

export type Listeners = {
  readonly onRun?: (run: Run) => void;
  readonly onProgress?: (progress: ShownProgress) => void;
  readonly onDeliveries?: () => void;
  /** Events may have been missed. */
  readonly onRefetch?: () => void;
};

type Registry = Set<Readonly<{ current: Listeners }>>;
const Current = createContext<Registry>(new Set());

/** Calls the listeners while the component is shown. */
export function useEvents(listeners: Listeners): void {
  const registry = useContext(Current);
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => {
    registry.add(latest);
    return () => void registry.delete(latest);
  }, [registry]);
}

/** While much happens, data is read again at most this often. */
const RELOAD_MS = 1_000;

/** Reads data again after the events that concern it, and when events may have been missed. */
export function useReload(
  reload: () => void,
  { run, deliveries = false }: { readonly run?: (run: Run) => boolean; readonly deliveries?: boolean },
): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const soon = () => {
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        last.current = Date.now();
        reload();
      },
      Math.max(0, last.current + RELOAD_MS - Date.now()),
    );
  };
  useEvents({
    onRun: (changed) => run?.(changed) === true && soon(),
    onDeliveries: () => deliveries && soon(),
    onRefetch: soon,
  });
}

/** New feeds or a new audit: scores and findings may have changed with them. */
export const isAudited = ({ kind, status }: Run): boolean =>
  (kind === "render" || kind === "audit") && status !== "running";

const RETRY_MS = 3_000;

export function LiveEvents({
  slug,
  children,
}: {
  readonly slug: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const registry = useMemo((): Registry => new Set(), []);
  // Only while the page is visible: a browser has six connections to a server, which hidden tabs and pages that it
  // keeps for the back button would use up.
  useEffect(() => {
    let abort: AbortController | undefined;
    const connect = () => {
      abort?.abort();
      abort = new AbortController();
      if (document.visibilityState === "visible") void follow(slug, registry, abort.signal);
    };
    const reconnect = () => {
      connect();
      if (document.visibilityState === "visible") tell(registry, "refetch", null);
    };
    connect();
    document.addEventListener("visibilitychange", reconnect);
    return () => {
      document.removeEventListener("visibilitychange", reconnect);
      abort?.abort();
    };
  }, [slug, registry]);
  return <Current.Provider value={registry}>{children}</Current.Provider>;
}

async function follow(slug: string, registry: Registry, signal: AbortSignal): Promise<void> {
  for (let connections = 0; !signal.aborted; connections++) {
    try {
      const { body } = await callApi("/events", { catalog: slug, signal });
      if (connections > 0) tell(registry, "refetch", null);
      if (body) for await (const { event, data } of readEvents(body)) tell(registry, event, data);
    } catch {
      // The next connection follows.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function tell(registry: Registry, event: string, data: unknown): void {
  for (const { current } of registry) {
    if (event === "run") current.onRun?.(data as Run);
    else if (event === "progress") current.onProgress?.(data as ShownProgress);
    else if (event === "deliveries") current.onDeliveries?.();
    else if (event === "refetch") current.onRefetch?.();
  }
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: ?(.*)$/m.exec(block)?.[1];
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (event !== undefined)
        yield { event, data: data === undefined ? null : (JSON.parse(data) as unknown) };
    }
  }
}
