/** `shelfwire webhook …`: endpoints that receive events of a catalog, their secrets and their health. */
import type { Command } from "commander";
import { newId } from "../../lib/id.ts";
import { EVENT_TYPES } from "../../contract/events.ts";
import type { Attempt } from "../../contract/webhooks.ts";
import { sendTest } from "../../webhooks/deliveries.ts";
import { deleteWebhook, listWebhooks, registerWebhook, rotateSecret } from "../../webhooks/endpoints.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { requireCatalog } from "../find.ts";
import { table } from "../table.ts";
import { secondsOf } from "../options.ts";
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
  rotateCommand(webhook, context);
  testCommand(webhook, context);
  deliveryCommands(webhook, context);
  listenCommand(webhook, context);
}

function addCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("add")
    .description("register an endpoint; its secret is shown this once")
    .argument("<url>", "an https:// address")
    .requiredOption(...CATALOG)
    .option("--events <list>", "the events to send", EVENT_TYPES.join(","))
    .action(async (url: string, { catalog, events }: InCatalog & { events: string }) => {
      const made = await withSystem(async ({ db, sealer, allow }) => {
        const { id: catalogId } = await requireCatalog(db, catalog);
        const wanted = events.split(",").map((event) => event.trim());
        const id = newId();
        const target = { type: "webhook", id, fields: ["url", "events"] } as const;
        const recorded = commandChanges("webhook add").recording(db, catalogId, target);
        return registerWebhook(recorded, sealer, { id, catalogId, url, events: wanted }, { allow });
      });
      print(made, () => [
        `${made.id}  ${made.url}  ${made.events.join(", ")}`,
        `Secret: ${made.secret}`,
        "Keep it safe: it is not shown again. Receivers check signatures with it.",
      ]);
    });
}

function listCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("list")
    .description("list a catalog's endpoints and their health")
    .requiredOption(...CATALOG)
    .action(async ({ catalog }: InCatalog) => {
      const webhooks = await withSystem(async ({ db }) =>
        listWebhooks(db, (await requireCatalog(db, catalog)).id),
      );
      print({ webhooks }, () =>
        table(
          ["id", "url", "events", "status", "last success", "last failure"],
          webhooks.map((w) => [
            w.id,
            w.url,
            w.events.join(","),
            w.failing_since === null ? w.status : `failing since ${w.failing_since}`,
            w.last_success_at ?? "never",
            w.last_failure ?? "none",
          ]),
        ),
      );
    });
}

function removeCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("remove")
    .description("remove an endpoint; deliveries that are queued for it are dropped")
    .argument("<id>")
    .requiredOption(...CATALOG)
    .action(async (id: string, { catalog }: InCatalog) => {
      await withSystem(async ({ db }) => {
        const { id: catalogId } = await requireCatalog(db, catalog);
        const recorded = commandChanges("webhook remove").recording(db, catalogId, { type: "webhook", id });
        await deleteWebhook(recorded, { catalogId, id });
      });
      print({ id, deleted: true }, () => [`Removed ${id}.`]);
    });
}

function rotateCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("rotate")
    .description("make a new secret; both sign until the overlap ends")
    .argument("<id>")
    .requiredOption(...CATALOG)
    .option("--overlap <time>", "how long the old one also signs: 0 to 7d", "24h")
    .action(async (id: string, { catalog, overlap }: InCatalog & { overlap: string }) => {
      const overlapS = secondsOf("--overlap", overlap);
      const rotated = await withSystem(async ({ db, sealer }) => {
        const { id: catalogId } = await requireCatalog(db, catalog);
        return db.tx(async (tx) => {
          const made = await rotateSecret(tx, sealer, { catalogId, id, overlapS });
          const target = { type: "webhook", id, fields: ["secret"] } as const;
          await commandChanges("webhook rotate").record(tx, catalogId, target);
          return made;
        });
      });
      const until = rotated.previous_secret_until;
      print(rotated, () => [
        `Secret: ${rotated.secret}`,
        until === null
          ? "The old one no longer signs."
          : `The old one also signs until ${until}: give your receivers the new one by then.`,
      ]);
    });
}

function testCommand(webhook: Command, { withSystem, print, endWith }: CommandContext): void {
  webhook
    .command("test")
    .description("send a signed test event now and show the attempt; exits 6 if it failed")
    .argument("<id>")
    .requiredOption(...CATALOG)
    .action(async (id: string, { catalog }: InCatalog) => {
      const tested = await withSystem(async ({ db, sealer, webhookHttpClient: client }) => {
        const { id: catalogId } = await requireCatalog(db, catalog);
        const signal = new AbortController().signal;
        const recorded = commandChanges("webhook test").recording(db, catalogId, { type: "webhook", id });
        return sendTest({ db: recorded, client, sealer, signal }, { catalogId, id });
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
  const steps = { name: dns, connection: connect, TLS: tls, "first byte": first_byte };
  const reached = Object.entries(steps).flatMap(([step, ms]) => (ms === null ? [] : [`${step} ${ms} ms`]));
  return [...reached, `in all ${total} ms`].join(", ");
}
