/** `shelfwire destination send` and `destination deliveries`: deliver now, and the receipts. */
import type { Command } from "commander";
import {
  DestinationDeliveriesAnswer,
  DestinationDeliveryAnswer,
} from "../../contract/destination-deliveries.ts";
import type { ApiContext } from "../api.ts";
import { numberOrText } from "../options.ts";
import { table } from "../table.ts";

export function destinationDeliveryCommands(destination: Command, context: ApiContext): void {
  sendCommand(destination, context);
  deliveriesCommand(destination, context);
}

function sendCommand(destination: Command, { call, print }: ApiContext): void {
  destination
    .command("send")
    .description("deliver what is published now; a running server or worker does it within seconds")
    .argument("<id>")
    .requiredOption("--catalog <slug>", "which catalog")
    .action(async (id: string, { catalog }: { readonly catalog: string }) => {
      const delivery = await call(catalog, "sendToDestination", DestinationDeliveryAnswer, { id });
      print(delivery, () => [
        `Queued ${delivery.id}. See shelfwire destination deliveries --catalog ${catalog}.`,
      ]);
    });
}

type UploadListOptions = { readonly catalog: string; readonly destination?: string; readonly limit: string };

function deliveriesCommand(destination: Command, { call, print }: ApiContext): void {
  destination
    .command("deliveries")
    .description("list what was delivered, newest first; --json shows every file")
    .requiredOption("--catalog <slug>", "which catalog")
    .option("--destination <id>", "to this destination only")
    .option("--limit <number>", "how many, up to 100", "20")
    .action(async ({ catalog, destination: id, limit }: UploadListOptions) => {
      const query = { limit: numberOrText(limit), destination_id: id };
      const page = await call(catalog, "listDestinationDeliveries", DestinationDeliveriesAnswer, query);
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
