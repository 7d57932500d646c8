/** `shelfwire webhook deliveries` and `webhook resend`: the log of deliveries, and sending them again. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { invalidRequest } from "../../errors.ts";
import { EVENT_TYPES, TEST_EVENT } from "../../contract/events.ts";
import type { DeliveryState } from "../../contract/webhooks.ts";
import { listDeliveries, resendDeliveries } from "../../webhooks/deliveries.ts";
import type { CommandContext } from "../context.ts";
import { table } from "../table.ts";
import { choice, timeOf } from "../options.ts";
import { commandChanges } from "../change-log.ts";

export function deliveryCommands(webhook: Command, context: CommandContext): void {
  deliveriesCommand(webhook, context);
  resendCommand(webhook, context);
}

const STATES = ["pending", "delivered", "dead", "discarded"] as const satisfies readonly DeliveryState[];
const EVENTS = [...EVENT_TYPES, TEST_EVENT] as const;
type ListOptions = {
  readonly catalog: string;
  readonly webhook?: string;
  readonly state?: string;
  readonly event?: string;
  readonly limit: string;
};

function deliveriesCommand(webhook: Command, { withCatalog, print }: CommandContext): void {
  webhook
    .command("deliveries")
    .description("list what was sent, newest first; --json shows every attempt")
    .requiredOption("--catalog <slug>")
    .option("--webhook <id>", "to this endpoint only")
    .option("--state <state>", STATES.join(", "))
    .option("--event <type>")
    .option("--limit <number>", "how many, up to 100", "20")
    .action(async (options: ListOptions) => {
      const query = {
        limit: Number(options.limit),
        ...(options.webhook !== undefined && { webhook_id: options.webhook }),
        ...(options.state !== undefined && { state: choice("--state", options.state, STATES) }),
        ...(options.event !== undefined && { event: choice("--event", options.event, EVENTS) }),
      };
      const { deliveries } = await withCatalog(options.catalog, async ({ id }, { db }) =>
        listDeliveries(db, id, query),
      );
      print({ deliveries }, () =>
        table(
          ["id", "event", "state", "attempts", "last", "next attempt"],
          deliveries.map(({ id, event, state, attempts, next_attempt_at }) => {
            const last = attempts.at(-1);
            const outcome = last === undefined ? "" : (last.message ?? `status ${last.status}`);
            return [id, event, state, String(attempts.length), outcome, next_attempt_at ?? ""];
          }),
        ),
      );
    });
}

type ResendOptions = { readonly catalog: string; readonly since?: string; readonly webhook?: string };

function resendCommand(webhook: Command, { withCatalog, print }: CommandContext): void {
  webhook
    .command("resend")
    .description("send a delivery again, or all that became dead since a time")
    .argument("[delivery]", "the id of one delivery")
    .requiredOption("--catalog <slug>")
    .option("--since <time>", "all that became dead since then, e.g. 2026-11-15T06:00:00Z")
    .option("--webhook <id>", "with --since: to this endpoint only")
    .action(async (deliveryId: string | undefined, { catalog, since, webhook: webhookId }: ResendOptions) => {
      if ((deliveryId === undefined) === (since === undefined)) {
        throw invalidRequest("Name either a delivery by its id, or a time with --since.");
      }
      const { resent } = await withCatalog(catalog, async ({ id: catalogId }, { db }) => {
        const id = deliveryId ?? webhookId;
        const type = deliveryId === undefined ? "webhook" : "delivery";
        const target = { type, ...(id !== undefined && { id }) } as const;
        const recorded = commandChanges("webhook resend").recording(db, catalogId, target);
        if (deliveryId !== undefined)
          return resendDeliveries(recorded, catalogId, { delivery_id: deliveryId });
        return resendDeliveries(recorded, catalogId, {
          since: timeOf("--since", since ?? "").toISOString(),
          ...(webhookId !== undefined && { webhook_id: webhookId }),
        });
      });
      print({ resent }, () => [`${counted(resent, "delivery is", "deliveries are")} sent again.`]);
    });
}
