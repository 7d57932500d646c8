/** `shelfwire webhook …`: who is told about a catalog, and whether telling them works. */
import type { Command } from "commander";
import { sendTest } from "../../setup/webhook-log.ts";
import { attemptBody, webhookLine } from "../../setup/webhook-view.ts";
import { deleteWebhook, listWebhooks, registerWebhook, rotateSecret } from "../../setup/webhooks.ts";
import { attemptRecord } from "../../webhooks/attempt.ts";
import { EVENT_TYPES } from "../../contract/events.ts";
import type { CommandContext } from "../context.ts";
import { FINDINGS } from "../exit.ts";
import { theCatalog } from "../find.ts";
import { table } from "../table.ts";
import { secondsOf } from "../time-text.ts";
import { commandTrail, notingRegistration } from "../trail.ts";
import { deliveryCommands } from "./webhook-deliveries.ts";
import { listenCommand } from "./webhook-listen.ts";

const CATALOG = ["--catalog <slug>", "the catalog it belongs to"] as const;
type InCatalog = { readonly catalog: string };

export function webhookCommands(program: Command, context: CommandContext): void {
  const webhook = program.command("webhook").description("tell other programs what happens to a catalog");
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
    .option("--events <list>", "what to tell it about", EVENT_TYPES.join(","))
    .action(async (url: string, { catalog, events }: InCatalog & { events: string }) => {
      const made = await withSystem(async ({ db, sealer, allow }) => {
        const { id: catalogId } = await theCatalog(db, catalog);
        const wanted = events.split(",").map((event) => event.trim());
        const noted = notingRegistration("webhook add", db, catalogId);
        return registerWebhook(noted, sealer, { catalogId, url, events: wanted }, { allow });
      });
      const { createdAt, ...rest } = made;
      print({ ...rest, created_at: createdAt.toISOString() }, () => [
        `${made.id}  ${made.url}  ${made.events.join(", ")}`,
        `Secret: ${made.secret}`,
        "Keep it safe: it is not shown again. Receivers check signatures with it.",
      ]);
    });
}

function listCommand(webhook: Command, { withSystem, print }: CommandContext): void {
  webhook
    .command("list")
    .description("list a catalog's endpoints and how they are doing")
    .requiredOption(...CATALOG)
    .action(async ({ catalog }: InCatalog) => {
      const webhooks = await withSystem(async ({ db }) =>
        (await listWebhooks(db, (await theCatalog(db, catalog)).id)).map(webhookLine),
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
    .description("remove an endpoint; what is still queued for it is dropped")
    .argument("<id>")
    .requiredOption(...CATALOG)
    .action(async (id: string, { catalog }: InCatalog) => {
      await withSystem(async ({ db }) => {
        const { id: catalogId } = await theCatalog(db, catalog);
        const noted = commandTrail("webhook remove").noting(db, catalogId, { type: "webhook", id });
        await deleteWebhook(noted, { catalogId, id });
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
    .option("--overlap <time>", "how long the old one goes on signing: 0 to 7d", "24h")
    .action(async (id: string, { catalog, overlap }: InCatalog & { overlap: string }) => {
      const overlapS = secondsOf("--overlap", overlap);
      const rotated = await withSystem(async ({ db, sealer }) => {
        const { id: catalogId } = await theCatalog(db, catalog);
        return db.tx(async (tx) => {
          const made = await rotateSecret(tx, sealer, { catalogId, id, overlapS });
          const target = { type: "webhook", id, fields: ["secret"] } as const;
          await commandTrail("webhook rotate").note(tx, catalogId, target);
          return made;
        });
      });
      const until = rotated.previousSecretUntil?.toISOString() ?? null;
      print({ id, secret: rotated.secret, previous_secret_until: until }, () => [
        `Secret: ${rotated.secret}`,
        until === null
          ? "The old one signs no more."
          : `The old one signs beside it until ${until}: switch your receivers over by then.`,
      ]);
    });
}

function testCommand(webhook: Command, { withSystem, print, endWith }: CommandContext): void {
  webhook
    .command("test")
    .description("send a signed test event now and show how it went; exits 6 if it did not arrive")
    .argument("<id>")
    .requiredOption(...CATALOG)
    .action(async (id: string, { catalog }: InCatalog) => {
      const tested = await withSystem(async ({ db, sealer, poster }) => {
        const { id: catalogId } = await theCatalog(db, catalog);
        const signal = new AbortController().signal;
        const noted = commandTrail("webhook test").noting(db, catalogId, { type: "webhook", id });
        return sendTest({ db: noted, poster, sealer, signal }, { catalogId, id });
      });
      const { answer, ...record } = attemptRecord(tested.attempt);
      const attempt = attemptBody({ ...record, number: 1, answer: answer?.toString("utf8") ?? null });
      const delivered = tested.attempt.outcome === "delivered";
      if (!delivered) endWith(FINDINGS);
      print({ delivery_id: tested.deliveryId, event_id: tested.eventId, delivered, attempt }, () => [
        delivered
          ? `Delivered: status ${attempt.status}.`
          : `Not delivered: ${attempt.message ?? attempt.error}`,
        waterfall(attempt.duration_ms),
      ]);
    });
}

type Durations = ReturnType<typeof attemptBody>["duration_ms"];

function waterfall({ dns, connect, tls, first_byte, total }: Durations): string {
  const steps = { name: dns, connection: connect, TLS: tls, "first byte": first_byte };
  const reached = Object.entries(steps).flatMap(([step, ms]) => (ms === null ? [] : [`${step} ${ms} ms`]));
  return [...reached, `in all ${total} ms`].join(", ");
}
