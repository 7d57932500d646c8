/** `shelfwire webhook deliveries` and `webhook resend`: the log of deliveries, and sending them again. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { invalidRequest } from "../../errors.ts";
import { DeliveriesAnswer, DeliveryState, ResentAnswer } from "../../contract/webhooks.ts";
import { deliveryRoutes } from "../../http/routes/deliveries.ts";
import { type ApiContext, withCalls } from "../api.ts";
import type { CommandContext } from "../context.ts";
import { numberOrText, timeOf } from "../options.ts";
import { table } from "../table.ts";

export function deliveryCommands(webhook: Command, commandContext: CommandContext): void {
  const context = withCalls(commandContext, deliveryRoutes);
  deliveriesCommand(webhook, context);
  resendCommand(webhook, context);
}

type DeliveryListOptions = {
  readonly catalog: string;
  readonly webhook?: string;
  readonly state?: string;
  readonly event?: string;
  readonly limit: string;
};

function deliveriesCommand(webhook: Command, { call, print }: ApiContext): void {
  webhook
    .command("deliveries")
    .description("list what was sent, newest first; --json shows every attempt")
    .requiredOption("--catalog <slug>")
    .option("--webhook <id>", "to this endpoint only")
    .option("--state <state>", DeliveryState.enum.join(", "))
    .option("--event <type>")
    .option("--limit <number>", "how many, up to 100", "20")
    .action(async ({ catalog, webhook: id, state, event, limit }: DeliveryListOptions) => {
      const query = { webhook_id: id, state, event, limit: numberOrText(limit) };
      const { deliveries } = await call(catalog, "listDeliveries", DeliveriesAnswer, query);
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

function resendCommand(webhook: Command, { call, print }: ApiContext): void {
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
      const wanted =
        since === undefined
          ? { delivery_id: deliveryId }
          : { since: timeOf("--since", since).toISOString(), webhook_id: webhookId };
      const { resent } = await call(catalog, "resendDeliveries", ResentAnswer, wanted);
      print({ resent }, () => [`${counted(resent, "delivery is", "deliveries are")} sent again.`]);
    });
}
