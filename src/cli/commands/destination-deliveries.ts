/** `shelfwire destination send` and `destination deliveries`: deliver now, and the receipts. */
import type { Command } from "commander";
import { listDestinationDeliveries, requestDelivery } from "../../destinations/deliveries.ts";
import { invalidRequest } from "../../errors.ts";
import { isUuid } from "../../lib/id.ts";
import { publishedOf } from "../../pipeline/destinations/published.ts";
import { commandChanges } from "../change-log.ts";
import type { CommandContext } from "../context.ts";
import { table } from "../table.ts";

export function destinationDeliveryCommands(destination: Command, context: CommandContext): void {
  sendCommand(destination, context);
  deliveriesCommand(destination, context);
}

function sendCommand(destination: Command, { withCatalog, print }: CommandContext): void {
  destination
    .command("send")
    .description("deliver what is published now; a running server or worker does it within seconds")
    .argument("<id>")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (id: string, { catalog }: { readonly catalog: string }) => {
      if (!isUuid(id))
        throw invalidRequest(`"${id}" is not a UUID. Take the id from shelfwire destination list.`);
      const delivery = await withCatalog(catalog, async ({ id: catalogId }, system) => {
        const target = { type: "destination", id } as const;
        const db = commandChanges("destination send").recording(system.db, catalogId, target);
        return requestDelivery(db, { catalogId, id }, publishedOf);
      });
      print(delivery, () => [
        `Queued ${delivery.id}. See shelfwire destination deliveries --catalog ${catalog}.`,
      ]);
    });
}

type ListOptions = { readonly catalog: string; readonly destination?: string; readonly limit: string };

function deliveriesCommand(destination: Command, { withCatalog, print }: CommandContext): void {
  destination
    .command("deliveries")
    .description("list what was delivered, newest first; --json shows every file")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--destination <id>", "to this destination only")
    .option("--limit <number>", "how many, up to 100", "20")
    .action(async ({ catalog, destination: id, limit }: ListOptions) => {
      if (id !== undefined && !isUuid(id)) throw invalidRequest(`--destination must be a UUID, not "${id}".`);
      const query = { limit: Number(limit), ...(id !== undefined && { destination_id: id }) };
      const page = await withCatalog(catalog, async ({ id: catalogId }, { db }) =>
        listDestinationDeliveries(db, catalogId, query),
      );
      print(page, () =>
        table(
          ["id", "created", "state", "to", "attempts", "files", "bytes", "duration", "error"],
          page.deliveries.map((one) => [
            one.id,
            one.created_at,
            one.state,
            one.sent_to ?? "",
            String(one.attempts),
            String(one.files?.length ?? 0),
            String(one.bytes ?? 0),
            one.duration_ms === null ? "" : `${one.duration_ms} ms`,
            one.error?.message ?? "",
          ]),
        ),
      );
    });
}
