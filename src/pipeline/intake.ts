/**
 * The loop that consumes the events of a source: drafts are normalized, and rows are passed to a sink. The sink of a
 * sync or a push fills staging, that of a sample collects a few items, that of an offline read keeps them all.
 */
import type { Warning } from "../catalog/finding.ts";
import { normalize, type Normalized } from "../catalog/normalize.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { PushEvent } from "../sources/push/read.ts";
import type { ColumnSuggestion, SourceEvent } from "../sources/source.ts";

export type Sink = {
  /** Takes an item, or the reason why a row is none. Returns a promise only to slow the loop down: it runs per row. */
  readonly add: (row: Normalized, position: number, product?: string) => Promise<void> | undefined;
  readonly warn: (warning: Warning, suggestion?: ColumnSuggestion) => void;
  /** Takes a draft or a removal before it is normalized. Returns false for what it does not take. */
  readonly take?: (event: PushedChange) => Promise<void> | undefined | false;
  /** All rows of this product are in this read, which has only some products. */
  readonly addProduct?: (product: string) => void;
  readonly flush?: () => Promise<void>;
  readonly isFull?: () => boolean;
};

export type PushedChange = Extract<PushEvent, { kind: "draft" | "removal" }>;

type IntakeEvent = SourceEvent | PushEvent;

export type Intake = {
  readonly events: AsyncGenerator<IntakeEvent | readonly IntakeEvent[], void, void>;
  /** The first step of `events`, if the caller has awaited it already. */
  readonly first?: IteratorResult<IntakeEvent | readonly IntakeEvent[], void>;
  readonly settings: CatalogSettings;
  readonly signal: AbortSignal;
};

/** How a complete read ends: everything was handed over, or the source states that nothing has changed. */
export type ReadEnd = Extract<SourceEvent, { kind: "end" | "unchanged" }>;

/** Returns null if the source ended without saying that it is complete, or if the sink is full. */
export async function intake(
  { events, first, settings, signal }: Intake,
  sink: Sink,
): Promise<ReadEnd | null> {
  try {
    for (let step = first ?? (await events.next()); step.done !== true; step = await events.next()) {
      const batch = isBatch(step.value) ? step.value : [step.value];
      for (const event of batch) {
        signal.throwIfAborted();
        if (isEnd(event)) return event;
        const pending = handOver(event, sink, settings);
        if (pending) await pending;
        if (sink.isFull?.() === true) return null;
      }
      if (sink.flush) await sink.flush();
    }
    return null;
  } finally {
    await events.return();
  }
}

function isEnd(event: IntakeEvent): event is ReadEnd {
  return event.kind === "end" || event.kind === "unchanged";
}

function isBatch(value: IntakeEvent | readonly IntakeEvent[]): value is readonly IntakeEvent[] {
  return Array.isArray(value);
}

function handOver(
  event: Exclude<IntakeEvent, ReadEnd>,
  sink: Sink,
  settings: CatalogSettings,
): Promise<void> | undefined {
  switch (event.kind) {
    case "draft":
      return addDraft(event, sink, settings);
    case "removal":
      return sink.take?.(event) || undefined;
    case "rejected": {
      const { rejection, product } = event;
      return sink.add({ kind: "rejected", rejection }, rejection.position, product);
    }
    case "partial":
      return undefined;
    case "product":
      sink.addProduct?.(event.product);
      return undefined;
    case "warning":
      sink.warn(event.warning, suggestionOf(event));
      return undefined;
    default:
      return event satisfies never;
  }
}

function addDraft(
  event: Extract<PushedChange, { kind: "draft" }>,
  sink: Sink,
  settings: CatalogSettings,
): Promise<void> | undefined {
  const taken = sink.take === undefined ? false : sink.take(event);
  if (taken !== false) return taken;
  const { position, draft, decimalMark, product } = event;
  return sink.add(normalize(draft, { position, settings, decimalMark }), position, product);
}

const suggestionOf = (event: Extract<IntakeEvent, { kind: "warning" }>): ColumnSuggestion | undefined =>
  "suggestion" in event ? event.suggestion : undefined;
