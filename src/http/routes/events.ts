/** GET /api/v1/events: what happens in the catalog, as it happens. */
import { EventsAnswer, EventsHeaders } from "../../contract/event-stream.ts";
import type { Api } from "../api.ts";
import type { EventStreams } from "../event-streams.ts";

export function eventRoutes(api: Api, streams: EventStreams): void {
  api.route({
    method: "GET",
    url: "/events",
    scope: "read",
    operationId: "streamEvents",
    summary: "Stream live events",
    description:
      "Server-sent events of this catalog: runs of every kind as they change their state, the progress of running ones, and deliveries to webhooks and destinations. Events are not kept: after `refetch`, or after connecting again, read again what you show. A key may have 10 open streams on one server.",
    headers: EventsHeaders,
    answers: { 200: EventsAnswer },
    handler: async ({ caller, headers, signal }) => ({
      headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
      body: streams.open(caller, { isReconnect: headers["last-event-id"] !== undefined, signal }),
    }),
  });
}
