/** What every connector of a shop's API does around its own `probe` and `read`. */
import { AppError } from "../../errors.ts";
import type { Connector, Probe, ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { toSourceError } from "./failure.ts";
import { interactiveLimits, limitsFor, type RetryPolicy } from "./retry.ts";

export type ConnectorDefinition<Limits, Shop> = Pick<
  Connector,
  "kind" | "label" | "fields" | "check" | "destination"
> & {
  /** The first requests: what both a probe and a read need to know of the shop. */
  readonly open: (
    settings: SourceSettings,
    context: Pick<ReadContext, "http" | "signal">,
    limits: Limits,
  ) => Promise<Shop>;
  readonly probe: (shop: Shop) => Promise<Probe>;
  readonly read: (shop: Shop, context: ReadContext) => AsyncGenerator<SourceEvent, void, void>;
};

/**
 * A probe and a sample retry less than a whole read, because a person waits for them. Failures become AppErrors. An
 * abort takes effect before the first request and at every event. Settings are checked once more, because an older
 * version may have stored them.
 */
export function defineConnector<Limits extends { readonly retries: RetryPolicy }, Shop>(
  { open, probe, read, ...definition }: ConnectorDefinition<Limits, Shop>,
  limits: Limits,
): Connector {
  const openChecked: typeof open = (settings, context, withLimits) => {
    context.signal.throwIfAborted();
    const [problem] = definition.check(settings);
    if (problem !== undefined) {
      const message = `The setting ${problem.setting} cannot be used. ${problem.detail}`;
      throw new AppError("source_settings_invalid", message);
    }
    return open(settings, context, withLimits);
  };
  return {
    ...definition,
    probe: async (settings, context) => {
      try {
        return await probe(await openChecked(settings, context, interactiveLimits(limits)));
      } catch (error) {
        throw toSourceError(error);
      }
    },
    async *read(settings, context) {
      try {
        const shop = await openChecked(settings, context, limitsFor(context, limits));
        for await (const event of read(shop, context)) {
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

/** The notes of a probe: the sentences whose condition is true. */
export function probeNotes(notes: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(notes).flatMap(([sentence, holds]) => (holds ? [sentence] : []));
}
