/** Who fetched the hosted files: per consumer, and as receipts by day and render. */
import { Type } from "./type.ts";
import { FeedFileName } from "./feeds.ts";
import { Cursor, Data, DateTime, flag, integer, Limit, NextCursor, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const Consumer = Type.String({
  description:
    "Who it was, from the `User-Agent`, which anyone can send: a known name, the name of a program, `unnamed` without one, or `other` if a catalog has more than 20 unknown ones on a day.",
  examples: ["Google"],
});
const Day = Type.String({ format: "date", description: "In UTC.", examples: ["2026-11-15"] });
const Bytes = Type.Integer({ description: "Bytes that were sent." });

const FetchDay = Type.Object(
  {
    day: Day,
    fetches: integer("Answers 200, 206 and 304."),
    not_modified: integer("Of these, 304: the consumer had the file already."),
    bytes: Bytes,
  },
  { title: "FetchDay" },
);

const FeedConsumer = Type.Object(
  {
    file: FeedFileName,
    consumer: Consumer,
    is_known: flag("One that Shelfwire knows by name."),
    first_fetched_at: DateTime,
    last_fetched_at: DateTime,
    last_status: Type.Integer({ examples: [200] }),
    render_run_id: Type.String({ format: "uuid", description: "The render that it got last." }),
    rendered_at: Nullable(
      Type.String({ format: "date-time", description: "Null if the run is no longer kept." }),
    ),
    renders_behind: integer(
      "How many renders have changed the file since then; 0: the consumer has what is published.",
    ),
    usual_interval_s: Nullable(
      integer("The longest time between two fetches, in seconds; null before it has fetched on five days."),
    ),
    fetches: integer("In the days that were asked for."),
    days: Type.Array(FetchDay, { description: "Days with fetches, newest first." }),
  },
  { title: "FeedConsumer", description: "A consumer of a file." },
);
export type FeedConsumer = Wire<typeof FeedConsumer>;

export const DEFAULT_FETCH_DAYS = 7;
export const MAX_FETCH_DAYS = 400;

export const FetchesQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_FETCH_DAYS,
        default: DEFAULT_FETCH_DAYS,
        description: "How many days are counted, with today.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const FetchesAnswer = Data(
  Type.Object({ consumers: Type.Array(FeedConsumer) }),
  "The consumers of each file, the newest fetch first.",
);

const FetchReceipt = Type.Object(
  {
    day: Day,
    file: FeedFileName,
    consumer: Consumer,
    render_run_id: Uuid,
    status: integer("200, 206 for a part of the file, or 304 if the consumer had it already."),
    fetches: Type.Integer(),
    bytes: Bytes,
    first_at: DateTime,
    last_at: DateTime,
  },
  {
    title: "FetchReceipt",
    description: "All fetches of one day by one consumer that got the same render with the same status.",
  },
);
export type FetchReceipt = Wire<typeof FetchReceipt>;

export const ReceiptsQuery = Type.Object(
  {
    file: Type.Optional(FeedFileName),
    consumer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        pattern: "^[A-Za-z0-9._-]+$",
        description: "Only this one.",
      }),
    ),
    run_id: Type.Optional(
      Type.String({ ...Uuid, description: "Only those who got the files of this render." }),
    ),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export const ReceiptsAnswer = Data(
  Type.Object({ receipts: Type.Array(FetchReceipt), next_cursor: NextCursor }),
  "A page of receipts, newest first.",
);
