/** What every connector of a shop's API does around its own `probe` and `read`. */
import type { Connector, Probe, ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { toSourceError } from "./failure.ts";
import { interactiveLimits, limitsFor, type RetryPolicy } from "./retry.ts";

export type ConnectorDefinition<Limits> = Pick<
  Connector,
  "kind" | "label" | "fields" | "check" | "destination"
> & {
  readonly probe: (
    settings: SourceSettings,
    context: Pick<ReadContext, "http" | "signal">,
    limits: Limits,
  ) => Promise<Probe>;
  readonly read: (
    settings: SourceSettings,
    context: ReadContext,
    limits: Limits,
  ) => AsyncGenerator<SourceEvent, void, void>;
};

/**
 * A probe and a sample retry less than a whole read, because a person waits for them. Failures become AppErrors. An
 * abort takes effect before the first request and at every event.
 */
export function defineConnector<Limits extends { readonly retries: RetryPolicy }>(
  { probe, read, ...definition }: ConnectorDefinition<Limits>,
  limits: Limits,
): Connector {
  return {
    ...definition,
    probe: async (settings, context) => {
      try {
        context.signal.throwIfAborted();
        return await probe(settings, context, interactiveLimits(limits));
      } catch (error) {
        throw toSourceError(error);
      }
    },
    async *read(settings, context) {
      try {
        context.signal.throwIfAborted();
        for await (const event of read(settings, context, limitsFor(context, limits))) {
          context.signal.throwIfAborted();
          yield event;
        }
      } catch (error) {
        throw toSourceError(error);
      }
    },
  };
}

/** The facts of a probe by their labels; those that the shop does not state are left out. */
export function probeFacts(facts: Readonly<Record<string, string | null | undefined>>): Probe["facts"] {
  return Object.entries(facts).flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

/** The notes of a probe: the sentences whose condition holds. */
export function probeNotes(notes: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(notes).flatMap(([sentence, holds]) => (holds ? [sentence] : []));
}
