/**
 * `shelfwire webhook listen --forward-to URL`: for working on a receiver. It registers the address for as long as it
 * runs, prints the secret and then every attempt as it happens, and removes the endpoint when it is stopped. The server
 * does the sending, so what the receiver meets is exactly what it will meet later.
 */
import type { Command } from "commander";
import { sleep } from "../../lib/async.ts";
import { listDeliveries } from "../../setup/webhook-log.ts";
import type { Delivery } from "../../setup/webhook-log.ts";
import { deleteWebhook, registerWebhook } from "../../setup/webhooks.ts";
import { EVENT_TYPES } from "../../contract/events.ts";
import type { CommandContext, Io } from "../context.ts";
import { theCatalog } from "../find.ts";
import { stopSignal } from "../stop.ts";
import type { System } from "../system.ts";
import { commandTrail, notingRegistration } from "../trail.ts";

const LOOK_MS = 500;
const LOOKED_AT = 50;

type ListenOptions = { readonly catalog: string; readonly forwardTo: string; readonly events: string };

export function listenCommand(webhook: Command, { withSystem, io }: CommandContext): void {
  webhook
    .command("listen")
    .description("register an address while this runs, and show every delivery to it")
    .requiredOption("--catalog <slug>")
    .requiredOption("--forward-to <url>", "where your receiver listens; see ALLOW_PRIVATE_TARGETS")
    .option("--events <list>", "what to tell it about", EVENT_TYPES.join(","))
    .action(async ({ catalog, forwardTo, events }: ListenOptions) => {
      const signal = stopSignal({ attached: false });
      await withSystem(async (system) => {
        const { db, sealer, allow } = system;
        const { id: catalogId } = await theCatalog(db, catalog);
        const wanted = events.split(",").map((event) => event.trim());
        const made = await registerWebhook(
          notingRegistration("webhook listen", db, catalogId),
          sealer,
          { catalogId, url: forwardTo, events: wanted },
          { allow },
        );
        io.talk(`Secret: ${made.secret}\nWaiting for ${made.events.join(", ")}. Stop with Ctrl-C.\n`);
        try {
          await tell(system, io, { catalogId, endpointId: made.id, signal });
        } finally {
          const target = { type: "webhook", id: made.id } as const;
          const noted = commandTrail("webhook listen").noting(db, catalogId, target);
          await deleteWebhook(noted, { catalogId, id: made.id });
          io.talk("Stopped; the endpoint is removed.\n");
        }
      });
    });
}

type Watched = { readonly catalogId: string; readonly endpointId: string; readonly signal: AbortSignal };

/** Prints each attempt once, oldest first. */
async function tell({ db }: System, io: Io, { catalogId, endpointId, signal }: Watched): Promise<void> {
  const told = new Map<string, number>();
  while (!signal.aborted) {
    const { deliveries } = await listDeliveries(db, { catalogId, endpointId, limit: LOOKED_AT });
    for (const delivery of deliveries.toReversed()) {
      for (const line of newLines(delivery, told.get(delivery.id) ?? 0)) io.out(`${line}\n`);
      told.set(delivery.id, delivery.attempts.length);
    }
    await sleep(LOOK_MS, signal);
  }
}

function newLines({ event, eventId, attempts, nextAttemptAt }: Delivery, told: number): string[] {
  return attempts.slice(told).map(({ startedAt, status, message, totalMs, number }) => {
    const outcome = message ?? `status ${status}`;
    const isLast = number === attempts.length;
    const next = isLast && nextAttemptAt !== null ? `; next attempt ${nextAttemptAt.toISOString()}` : "";
    return `${startedAt.toISOString()}  ${event}  ${eventId}  ${outcome} (${Math.round(totalMs)} ms)${next}`;
  });
}
