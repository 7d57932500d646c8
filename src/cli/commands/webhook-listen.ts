/**
 * `shelfwire webhook listen --forward-to URL`, for the development of a receiver: registers the address while it runs
 * and prints its secret and every attempt. The server sends, as it does in production.
 */
import type { Command } from "commander";
import { sleep } from "../../lib/async.ts";
import { EVENT_TYPES } from "../../contract/events.ts";
import { DEFAULT_EVENTS } from "../../contract/form-fields.ts";
import { DeletedAnswer, DeliveriesAnswer, type Delivery, RegisteredAnswer } from "../../contract/webhooks.ts";
import { deliveryRoutes } from "../../http/routes/deliveries.ts";
import { webhookRoutes } from "../../http/routes/webhooks.ts";
import { type CallApi, callsIn } from "../api.ts";
import type { CommandContext, Io } from "../context.ts";
import { listOf } from "../options.ts";
import { stopSignal } from "../stop.ts";

const POLL_MS = 500;
const MAX_SHOWN = 50;

type ListenOptions = { readonly catalog: string; readonly forwardTo: string; readonly events: string };

export function listenCommand(webhook: Command, { withCatalog, command, io }: CommandContext): void {
  webhook
    .command("listen")
    .description("register an address while this runs, and show every delivery to it")
    .requiredOption("--catalog <slug>")
    .requiredOption("--forward-to <url>", "where your receiver listens; see ALLOW_PRIVATE_TARGETS")
    .option("--events <list>", `of ${EVENT_TYPES.join(", ")}`, DEFAULT_EVENTS.join(","))
    .action(async ({ catalog, forwardTo, events }: ListenOptions) => {
      const signal = stopSignal({ attached: false });
      await withCatalog(catalog, async ({ id: catalogId }, system) => {
        const target = { catalogId, command: command() };
        const call = callsIn(system, webhookRoutes, target);
        const input = { url: forwardTo, events: listOf(events) };
        const made = await call("registerWebhook", RegisteredAnswer, input);
        io.talk(`Secret: ${made.secret}\nWaiting for ${made.events.join(", ")}. Stop with Ctrl-C.\n`);
        try {
          await printAttempts(callsIn(system, deliveryRoutes, target), io, { webhookId: made.id, signal });
        } finally {
          await call("deleteWebhook", DeletedAnswer, { id: made.id });
          io.talk("Stopped; the endpoint is removed.\n");
        }
      });
    });
}

type Watched = { readonly webhookId: string; readonly signal: AbortSignal };

/** Prints each attempt once, oldest first. */
async function printAttempts(call: CallApi, io: Io, { webhookId, signal }: Watched): Promise<void> {
  const query = { webhook_id: webhookId, limit: MAX_SHOWN };
  const printed = new Map<string, number>();
  while (!signal.aborted) {
    const { deliveries } = await call("listDeliveries", DeliveriesAnswer, query);
    for (const delivery of deliveries.toReversed()) {
      for (const line of newLines(delivery, printed.get(delivery.id) ?? 0)) io.out(`${line}\n`);
      printed.set(delivery.id, delivery.attempts.length);
    }
    await sleep(POLL_MS, signal);
  }
}

function newLines(delivery: Delivery, printed: number): string[] {
  const { event, event_id: eventId, attempts, next_attempt_at: nextAttemptAt } = delivery;
  return attempts.slice(printed).map(({ started_at: startedAt, status, message, duration_ms, number }) => {
    const outcome = message ?? `status ${status}`;
    const isLast = number === attempts.length;
    const next = isLast && nextAttemptAt !== null ? `; next attempt ${nextAttemptAt}` : "";
    return `${startedAt}  ${event}  ${eventId}  ${outcome} (${Math.round(duration_ms.total)} ms)${next}`;
  });
}
