/** Live events of a catalog, as a stream of server-sent events. */
import { Type } from "./type.ts";

export const EventsHeaders = Type.Object({
  "last-event-id": Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        "Sent by browsers that connect again. Events are not kept, so the stream then begins with `refetch`.",
    }),
  ),
});

/** The largest number of streams that one key may have open on one server. */
export const MAX_STREAMS_PER_KEY = 10;

export const EventsAnswer = {
  description:
    "A stream of events until the caller disconnects, the key stops working or the server stops. Every 15 seconds a comment keeps it open.",
  content: {
    "text/event-stream": {
      schema: Type.String({
        description:
          "`open`: the stream begins. `refetch`: events may have been missed, read again what you show. `run`: a run changed its state; the data is a `Run`. `progress`: `{ run_id, phase, done }` of a running run, at most twice a second. `deliveries`: deliveries to webhooks or destinations changed their state. `end`: no more events follow.",
        examples: [
          'id: m1-7\nevent: progress\ndata: {"run_id":"01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff","phase":"reading","done":41200}\n\n',
        ],
      }),
    },
  },
};
