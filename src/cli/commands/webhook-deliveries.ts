/** `shelfwire webhook deliveries` and `webhook resend`: what was sent, and sending again what did not arrive. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { listDeliveries, resendDeliveries } from "../../setup/webhook-log.ts";
import { deliveryBody } from "../../setup/webhook-view.ts";
import { EVENT_TYPES, TEST_EVENT } from "../../contract/events.ts";
import type { CommandContext } from "../context.ts";
import { theCatalog } from "../find.ts";
import { table } from "../table.ts";
import { timeOf } from "../time-text.ts";
import { commandTrail } from "../trail.ts";

export function deliveryCommands(webhook: Command, context: CommandContext): void {
  deliveriesCommand(webhook, context);
  resendCommand(webhook, context);
}

const STATES = ["pending", "delivered", "dead"] as const;
type State = (typeof STATES)[number];
type ListOptions = {
  readonly catalog: string;
  readonly webhook?: string;
  readonly state?: string;
  readonly event?: string;
  readonly limit: string;
};

function deliveriesCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("deliveries")
    .description("list what was sent, newest first; --json shows every attempt")
    .requiredOption("--catalog <slug>")
    .option("--webhook <id>", "to this endpoint only")
    .option("--state <state>", STATES.join(", "))
    .option("--event <type>")
    .option("--limit <number>", "how many, up to 100", "20")
    .action(async (options: ListOptions) => {
      const { deliveries } = await withSystem(async ({ db }) =>
        listDeliveries(db, {
          catalogId: (await theCatalog(db, options.catalog)).id,
          limit: Number(options.limit),
          ...(options.webhook !== undefined && { endpointId: options.webhook }),
          ...(options.state !== undefined && { state: stateOf(options.state) }),
          ...(options.event !== undefined && { event: eventOf(options.event) }),
        }),
      );
      const shown = deliveries.map(deliveryBody);
      print({ deliveries: shown }, () =>
        table(
          ["id", "event", "state", "attempts", "last", "next attempt"],
          shown.map(({ id, event, state, attempts, next_attempt_at }) => {
            const last = attempts.at(-1);
            const outcome = last === undefined ? "" : (last.message ?? `status ${last.status}`);
            return [id, event, state, String(attempts.length), outcome, next_attempt_at ?? ""];
          }),
        ),
      );
    });
}

function stateOf(text: string): State {
  const state = STATES.find((known) => known === text);
  if (state) return state;
  throw new AppError("invalid_request", `--state takes ${STATES.join(", ")}, not "${text}".`);
}

function eventOf(text: string): string {
  const known = [...EVENT_TYPES, TEST_EVENT];
  if (known.some((event) => event === text)) return text;
  throw new AppError("invalid_request", `--event takes ${known.join(", ")}, not "${text}".`);
}

type ResendOptions = { readonly catalog: string; readonly since?: string; readonly webhook?: string };

function resendCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("resend")
    .description("send a delivery again, or all that died since a time")
    .argument("[delivery]", "the id of one delivery")
    .requiredOption("--catalog <slug>")
    .option("--since <time>", "all that died since then, e.g. 2026-11-15T06:00:00Z")
    .option("--webhook <id>", "with --since: to this endpoint only")
    .action(
      async (deliveryId: string | undefined, { catalog, since, webhook: endpointId }: ResendOptions) => {
        if ((deliveryId === undefined) === (since === undefined)) {
          throw new AppError("invalid_request", "Give either the id of a delivery or --since with a time.");
        }
        const { resent } = await withSystem(async ({ db }) => {
          const { id: catalogId } = await theCatalog(db, catalog);
          const id = deliveryId ?? endpointId;
          const type = deliveryId === undefined ? "webhook" : "delivery";
          const target = { type, ...(id !== undefined && { id }) } as const;
          const noted = commandTrail("webhook resend").noting(db, catalogId, target);
          if (deliveryId !== undefined) return resendDeliveries(noted, { catalogId, deliveryId });
          const wanted = { catalogId, since: timeOf("--since", since ?? "") };
          return resendDeliveries(noted, { ...wanted, ...(endpointId !== undefined && { endpointId }) });
        });
        print({ resent }, () => [`${counted(resent, "delivery is", "deliveries are")} sent again.`]);
      },
    );
}
