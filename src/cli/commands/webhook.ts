/** `shelfwire webhook …`: endpoints that receive events of a catalog, their secrets and their health. */
import type { Command } from "commander";
import { withCamelCase } from "../../lib/snake-case.ts";
import { EVENT_TYPES } from "../../contract/events.ts";
import { DEFAULT_EVENTS } from "../../contract/form-fields.ts";
import {
  type Attempt,
  ChangedWebhookAnswer,
  DeletedAnswer,
  RegisteredAnswer,
  RotatedAnswer,
  TestedAnswer,
  type Webhook,
  WebhooksAnswer,
} from "../../contract/webhooks.ts";
import { webhookRoutes } from "../../http/routes/webhooks.ts";
import { type ApiContext, withCalls } from "../api.ts";
import type { CommandContext, InCatalog } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { table } from "../table.ts";
import { listOf, secondsOf } from "../options.ts";
import { deliveryCommands } from "./webhook-deliveries.ts";
import { listenCommand } from "./webhook-listen.ts";

const CATALOG = ["--catalog <slug>", "the catalog it belongs to"] as const;

export function webhookCommands(program: Command, commandContext: CommandContext): void {
  const context = withCalls(commandContext, webhookRoutes);
  const webhook = program.command("webhook").description("send events of a catalog to other programs");
  addCommand(webhook, context);
  listCommand(webhook, context);
  removeCommand(webhook, context);
  enableCommand(webhook, context, {
    name: "enable",
    enabled: true,
    description: "enable an endpoint that was disabled",
  });
  enableCommand(webhook, context, {
    name: "disable",
    enabled: false,
    description: "send no new deliveries to an endpoint; they are logged as discarded",
  });
  rotateCommand(webhook, context);
  testCommand(webhook, context);
  deliveryCommands(webhook, commandContext);
  listenCommand(webhook, commandContext);
}

function addCommand(webhook: Command, { call, print }: ApiContext): void {
  webhook
    .command("add")
    .description("register an endpoint; its secret is shown only once")
    .argument("<url>", "an https:// address")
    .requiredOption(...CATALOG)
    .option("--events <list>", `of ${EVENT_TYPES.join(", ")}`, DEFAULT_EVENTS.join(","))
    .action(async (url: string, { catalog, events }: InCatalog & { events: string }) => {
      const made = await call(catalog, "registerWebhook", RegisteredAnswer, { url, events: listOf(events) });
      print(made, () => [
        `${made.id}  ${made.url}  ${made.events.join(", ")}`,
        `Secret: ${made.secret}`,
        "Keep it safe: it is not shown again. Receivers check signatures with it.",
      ]);
    });
}

function listCommand(webhook: Command, { call, print }: ApiContext): void {
  webhook
    .command("list")
    .description("list a catalog's endpoints and their health")
    .requiredOption(...CATALOG)
    .action(async ({ catalog }: InCatalog) => {
      const { webhooks } = await call(catalog, "listWebhooks", WebhooksAnswer);
      print({ webhooks }, () =>
        table(
          ["id", "url", "events", "status", "last success", "last failure"],
          webhooks.map((w) => [
            w.id,
            w.url,
            w.events.join(","),
            healthText(w),
            w.last_success_at ?? "never",
            w.last_failure ?? "none",
          ]),
        ),
      );
    });
}

function healthText(webhook: Webhook): string {
  const { status, failingSince, disabledAt, disabledBy } = withCamelCase(webhook);
  if (status !== "disabled") return status === "failing" ? `failing since ${failingSince}` : status;
  return `disabled since ${disabledAt}${disabledBy === "failures" ? " because it failed" : ""}`;
}

const endpointCommand = (webhook: Command, name: string, description: string) =>
  webhook
    .command(name)
    .description(description)
    .argument("<id>")
    .requiredOption(...CATALOG);

function removeCommand(webhook: Command, { call, print }: ApiContext): void {
  endpointCommand(
    webhook,
    "remove",
    "remove an endpoint; deliveries that are queued for it are dropped",
  ).action(async (id: string, { catalog }: InCatalog) => {
    const deleted = await call(catalog, "deleteWebhook", DeletedAnswer, { id });
    print(deleted, () => [`Removed ${id}.`]);
  });
}

/** What it missed is in the log, and can be sent again. */
function enableCommand(
  webhook: Command,
  { call, print }: ApiContext,
  { name, enabled, description }: { name: string; enabled: boolean; description: string },
): void {
  endpointCommand(webhook, name, description).action(async (id: string, { catalog }: InCatalog) => {
    const changed = await call(catalog, "changeWebhook", ChangedWebhookAnswer, { id, enabled });
    print(changed, () => [
      enabled
        ? `Enabled ${id}. shelfwire webhook resend --since <time> --webhook ${id} sends what it missed.`
        : `Disabled ${id}. Deliveries that wait follow their schedule; new events are logged as discarded.`,
    ]);
  });
}

function rotateCommand(webhook: Command, { call, print }: ApiContext): void {
  endpointCommand(webhook, "rotate", "create a new secret; both sign until the overlap ends")
    .option("--overlap <time>", "how long the old one also signs: 0 to 7d", "24h")
    .action(async (id: string, { catalog, overlap }: InCatalog & { overlap: string }) => {
      const change = { id, overlap_s: secondsOf("--overlap", overlap) };
      const rotated = await call(catalog, "rotateWebhookSecret", RotatedAnswer, change);
      const until = rotated.previous_secret_until;
      print(rotated, () => [
        `Secret: ${rotated.secret}`,
        until === null
          ? "The old one no longer signs."
          : `The old one also signs until ${until}: update your receivers before then.`,
      ]);
    });
}

function testCommand(webhook: Command, { call, print, endWith }: ApiContext): void {
  endpointCommand(
    webhook,
    "test",
    "send a signed test event now and show the attempt; exits 6 if it failed",
  ).action(async (id: string, { catalog }: InCatalog) => {
    const tested = await call(catalog, "testWebhook", TestedAnswer, { id });
    const { delivered, attempt } = tested;
    if (!delivered) endWith(FINDINGS);
    print(tested, () => [
      delivered
        ? `Delivered: status ${attempt.status}.`
        : `Not delivered: ${attempt.message ?? attempt.error}`,
      durationText(attempt.duration_ms),
    ]);
  });
}

function durationText({ dns, connect, tls, first_byte, total }: Attempt["duration_ms"]): string {
  const steps = { DNS: dns, connection: connect, TLS: tls, "first byte": first_byte };
  const reached = Object.entries(steps).flatMap(([step, ms]) => (ms === null ? [] : [`${step} ${ms} ms`]));
  return [...reached, `total ${total} ms`].join(", ");
}
