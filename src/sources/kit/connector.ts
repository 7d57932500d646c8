/** What every connector of a shop's API does around its own `probe` and `read`. */
import { AppError } from "../../errors.ts";
import type {
  Connector,
  ProbeResult,
  ReadContext,
  ShopWebhooks,
  SourceEvent,
  SourceSettings,
} from "../source.ts";
import { type PartReader, productsToRead, shopClock, shopIds } from "./changes.ts";
import { toSourceError } from "./failure.ts";
import { interactiveLimits, limitsFor, type RetryPolicy } from "./retry.ts";
import { type HookPlatform, shopWebhooks } from "./webhooks.ts";

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
  readonly probe: (shop: Shop) => Promise<ProbeResult>;
  readonly read: (shop: Shop, context: ReadContext) => AsyncGenerator<SourceEvent, void, void>;
  /** The shop's webhooks about products. */
  readonly hooks?: HookPlatform<Shop> & Pick<ShopWebhooks, "receive">;
  /** How some products are read, and which parts can be read with these settings. */
  readonly part?: (PartReader<Shop> & { readonly of: NonNullable<Connector["parts"]> }) | undefined;
};

/**
 * A probe and a sample retry less than a whole read, because a person waits for them. Failures become AppErrors. An
 * abort takes effect before the first request and at every event. Settings are checked once more, because an older
 * version may have stored them.
 */
export function defineConnector<Limits extends { readonly retries: RetryPolicy }, Shop>(
  { open, probe, read, part: reader, hooks, ...definition }: ConnectorDefinition<Limits, Shop>,
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
    ...(reader && {
      parts: reader.of,
      ids: idsOf(reader, (...args) => openChecked(...args, interactiveLimits(limits))),
    }),
    ...(hooks && {
      webhooks: shopWebhooks(hooks, (...args) => openChecked(...args, interactiveLimits(limits))),
    }),
    probe: async (settings, context) => {
      try {
        return await probe(await openChecked(settings, context, interactiveLimits(limits)));
      } catch (error) {
        throw toSourceError(error);
      }
    },
    async *read(settings, context) {
      try {
        const clock = shopClock(context.http);
        const timed = { ...context, http: clock.http };
        const shop = await openChecked(settings, timed, limitsFor(context, limits));
        for await (const event of readEvents({ read, part: reader }, shop, timed)) {
          context.signal.throwIfAborted();
          yield event.kind === "end" ? boundChange(event, clock.startedAt()) : event;
        }
      } catch (error) {
        throw toSourceError(error);
      }
    },
  };
}

function idsOf<Shop>(
  reader: PartReader<Shop>,
  open: (settings: SourceSettings, context: Pick<ReadContext, "http" | "signal">) => Promise<Shop>,
): NonNullable<Connector["ids"]> {
  return async (settings, context, since) => {
    try {
      return await shopIds(reader, await open(settings, context), since);
    } catch (error) {
      throw toSourceError(error);
    }
  };
}

type End = Extract<SourceEvent, { kind: "end" }>;

/** The events of the part that the context requests, or of everything. */
async function* readEvents<Limits, Shop>(
  { read, part: reader }: Pick<ConnectorDefinition<Limits, Shop>, "read" | "part">,
  shop: Shop,
  context: ReadContext,
): AsyncGenerator<SourceEvent, void, void> {
  const { part = null } = context;
  const found = part === null || !reader ? null : await productsToRead(reader, shop, part);
  if (found === null || !reader) {
    yield* read(shop, context);
    return;
  }
  yield { kind: "partial" };
  for (const id of found.ids) yield { kind: "product", product: String(id) };
  for await (const event of reader.products(shop, found.ids)) {
    yield event.kind === "end" ? endOfPart(event, found.newestChange) : event;
  }
}

/** Without a time, if the products were read by their ids: that says nothing about the others. */
function endOfPart({ kind, validators, expected }: End, newestChange: Date | null): End {
  const end = { kind, validators, expected };
  return newestChange === null ? end : { ...end, newestChange };
}

/** The clock that dates products may be behind the one that dates answers, by this much. */
const MAX_SKEW_MS = 24 * 3_600_000;

/**
 * What is dated after the beginning of the read may have been read before it changed again. If nothing changed for
 * long, the next read need not begin there: many products may have been changed at once.
 */
function boundChange(end: End, startedAt: Date): End {
  const { newestChange } = end;
  if (newestChange === undefined) return end;
  const latest = startedAt.getTime();
  const time = Math.max(newestChange?.getTime() ?? 0, latest - MAX_SKEW_MS);
  return { ...end, newestChange: new Date(Math.min(time, latest)) };
}

/** The facts of a probe by their labels; those that the shop does not state are left out. */
export function probeFacts(facts: Readonly<Record<string, string | null | undefined>>): ProbeResult["facts"] {
  return Object.entries(facts).flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

/** The notes of a probe: the sentences whose condition is true. */
export function probeNotes(notes: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(notes).flatMap(([sentence, holds]) => (holds ? [sentence] : []));
}
