/**
 * `shelfwire webhook listen --forward-to URL`, for the development of a receiver: registers the address while it runs
 * and prints its secret and every attempt. The server sends, as it does in production.
 */
import type { Command } from "commander";
import { newId } from "../../lib/id.ts";
import { sleep } from "../../lib/async.ts";
import { DEFAULT_EVENTS, EVENT_TYPES } from "../../contract/events.ts";
import type { Delivery } from "../../contract/webhooks.ts";
import { listDeliveries } from "../../webhooks/deliveries.ts";
import { deleteWebhook, registerWebhook } from "../../webhooks/endpoints.ts";
import type { CommandContext, Io } from "../context.ts";
import { listOf } from "../options.ts";
import { stopSignal } from "../stop.ts";
import type { System } from "../system.ts";
import { commandChanges } from "../change-log.ts";

const POLL_MS = 500;
const MAX_SHOWN = 50;

type ListenOptions = { readonly catalog: string; readonly forwardTo: string; readonly events: string };

export function listenCommand(webhook: Command, { withCatalog, io }: CommandContext): void {
  webhook
    .command("listen")
    .description("register an address while this runs, and show every delivery to it")
    .requiredOption("--catalog <slug>")
    .requiredOption("--forward-to <url>", "where your receiver listens; see ALLOW_PRIVATE_TARGETS")
    .option("--events <list>", `of ${EVENT_TYPES.join(", ")}`, DEFAULT_EVENTS.join(","))
    .action(async ({ catalog, forwardTo, events }: ListenOptions) => {
      const signal = stopSignal({ attached: false });
      await withCatalog(catalog, async ({ id: catalogId }, system) => {
        const { db, encryption, allow } = system;
        const id = newId();
        const recorded = (fields: readonly string[]) =>
          commandChanges("webhook listen").recording(db, catalogId, { type: "webhook", id, fields });
        const input = { id, catalogId, url: forwardTo, events: listOf(events) };
        const made = await registerWebhook(recorded(["url", "events"]), encryption, input, { allow });
        io.talk(`Secret: ${made.secret}\nWaiting for ${made.events.join(", ")}. Stop with Ctrl-C.\n`);
        try {
          await printAttempts(system, io, { catalogId, webhookId: id, signal });
        } finally {
          await deleteWebhook(recorded([]), { catalogId, id });
          io.talk("Stopped; the endpoint is removed.\n");
        }
      });
    });
}

type Watched = { readonly catalogId: string; readonly webhookId: string; readonly signal: AbortSignal };

/** Prints each attempt once, oldest first. */
async function printAttempts(
  { db }: System,
  io: Io,
  { catalogId, webhookId, signal }: Watched,
): Promise<void> {
  const printed = new Map<string, number>();
  while (!signal.aborted) {
    const { deliveries } = await listDeliveries(db, catalogId, { webhook_id: webhookId, limit: MAX_SHOWN });
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
