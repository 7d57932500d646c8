/** `shelfwire webhook …`: endpoints that receive events of a catalog, their secrets and their health. */
import type { Command } from "commander";
import { newId } from "../../lib/id.ts";
import { withCamelCase } from "../../lib/snake-case.ts";
import { DEFAULT_EVENTS, EVENT_TYPES } from "../../contract/events.ts";
import type { Attempt, Webhook } from "../../contract/webhooks.ts";
import { sendTest } from "../../webhooks/deliveries.ts";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  registerWebhook,
  rotateSecret,
} from "../../webhooks/endpoints.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { table } from "../table.ts";
import { listOf, secondsOf } from "../options.ts";
import { commandChanges } from "../change-log.ts";
import { deliveryCommands } from "./webhook-deliveries.ts";
import { listenCommand } from "./webhook-listen.ts";

const CATALOG = ["--catalog <slug>", "the catalog it belongs to"] as const;
type InCatalog = { readonly catalog: string };

export function webhookCommands(program: Command, context: CommandContext): void {
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
  deliveryCommands(webhook, context);
  listenCommand(webhook, context);
}

function addCommand(webhook: Command, { withCatalog, print }: CommandContext): void {
  webhook
    .command("add")
    .description("register an endpoint; its secret is shown only once")
    .argument("<url>", "an https:// address")
    .requiredOption(...CATALOG)
    .option("--events <list>", `of ${EVENT_TYPES.join(", ")}`, DEFAULT_EVENTS.join(","))
    .action(async (url: string, { catalog, events }: InCatalog & { events: string }) => {
      const made = await withCatalog(catalog, async ({ id: catalogId }, { db, encryption, allow }) => {
        const id = newId();
        const target = { type: "webhook", id, fields: ["url", "events"] } as const;
        const recorded = commandChanges("webhook add").recording(db, catalogId, target);
        return registerWebhook(
          recorded,
          encryption,
          { id, catalogId, url, events: listOf(events) },
          { allow },
        );
      });
      print(made, () => [
        `${made.id}  ${made.url}  ${made.events.join(", ")}`,
        `Secret: ${made.secret}`,
        "Keep it safe: it is not shown again. Receivers check signatures with it.",
      ]);
    });
}

function listCommand(webhook: Command, { withCatalog, print }: CommandContext): void {
  webhook
    .command("list")
    .description("list a catalog's endpoints and their health")
    .requiredOption(...CATALOG)
    .action(async ({ catalog }: InCatalog) => {
      const webhooks = await withCatalog(catalog, async ({ id }, { db }) => listWebhooks(db, id));
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

function removeCommand(webhook: Command, { withCatalog, print }: CommandContext): void {
  endpointCommand(
    webhook,
    "remove",
    "remove an endpoint; deliveries that are queued for it are dropped",
  ).action(async (id: string, { catalog }: InCatalog) => {
    await withCatalog(catalog, async ({ id: catalogId }, { db }) => {
      const recorded = commandChanges("webhook remove").recording(db, catalogId, { type: "webhook", id });
      await deleteWebhook(recorded, { catalogId, id });
    });
    print({ id, deleted: true }, () => [`Removed ${id}.`]);
  });
}

/** What it missed is in the log, and can be sent again. */
function enableCommand(
  webhook: Command,
  { withCatalog, print }: CommandContext,
  { name, enabled, description }: { name: string; enabled: boolean; description: string },
): void {
  endpointCommand(webhook, name, description).action(async (id: string, { catalog }: InCatalog) => {
    const changed = await withCatalog(catalog, async ({ id: catalogId }, { db, encryption, allow }) => {
      const target = { type: "webhook", id, fields: ["enabled"] } as const;
      const recorded = commandChanges(`webhook ${name}`).recording(db, catalogId, target);
      return changeWebhook(recorded, encryption, { catalogId, id, enabled }, { allow });
    });
    print(changed, () => [
      enabled
        ? `Enabled ${id}. shelfwire webhook resend --since <time> --webhook ${id} sends what it missed.`
        : `Disabled ${id}. Deliveries that wait follow their schedule; new events are logged as discarded.`,
    ]);
  });
}

function rotateCommand(webhook: Command, { withCatalog, print }: CommandContext): void {
  endpointCommand(webhook, "rotate", "create a new secret; both sign until the overlap ends")
    .option("--overlap <time>", "how long the old one also signs: 0 to 7d", "24h")
    .action(async (id: string, { catalog, overlap }: InCatalog & { overlap: string }) => {
      const overlapS = secondsOf("--overlap", overlap);
      const rotated = await withCatalog(catalog, async ({ id: catalogId }, { db, encryption }) =>
        db.tx(async (tx) => {
          const made = await rotateSecret(tx, encryption, { catalogId, id, overlapS });
          const target = { type: "webhook", id, fields: ["secret"] } as const;
          await commandChanges("webhook rotate").record(tx, catalogId, target);
          return made;
        }),
      );
      const until = rotated.previous_secret_until;
      print(rotated, () => [
        `Secret: ${rotated.secret}`,
        until === null
          ? "The old one no longer signs."
          : `The old one also signs until ${until}: update your receivers before then.`,
      ]);
    });
}

function testCommand(webhook: Command, { withCatalog, print, endWith }: CommandContext): void {
  endpointCommand(
    webhook,
    "test",
    "send a signed test event now and show the attempt; exits 6 if it failed",
  ).action(async (id: string, { catalog }: InCatalog) => {
    const tested = await withCatalog(catalog, async ({ id: catalogId }, system) => {
      const { encryption, webhookHttpClient: client, stopping: signal } = system;
      const target = { type: "webhook", id } as const;
      const db = commandChanges("webhook test").recording(system.db, catalogId, target);
      return sendTest({ db, client, encryption, signal }, { catalogId, id });
    });
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
