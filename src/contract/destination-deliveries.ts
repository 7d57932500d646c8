/** Deliveries to destinations: what was sent where and when, and why it failed. */
import { Type } from "./type.ts";
import { Cursor, Data, DateTime, integer, NextCursor, Nullable, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

/** Why a delivery to a destination failed. */
export const DELIVERY_ERRORS = [
  "blocked",
  "unreachable",
  "timeout",
  "interrupted",
  "protocol",
  "host_key_unconfirmed",
  "host_key_changed",
  "unauthorized",
  "folder_missing",
  "refused",
  "rename_refused",
  "full",
  "write_failed",
  "size_differs",
  "redirect",
  "http",
  "feed_missing",
  "settings",
] as const;
export type DeliveryErrorCode = (typeof DELIVERY_ERRORS)[number];

export const DeliveredFile = Type.Object(
  {
    name: Type.String({ examples: ["products-0001.csv.gz"] }),
    bytes: integer("As sent."),
    remote_bytes: Nullable(
      integer(
        "As the server has it: asked for after the upload, and compared. Null if it cannot be asked (HTTPS), and for deliveries of earlier versions.",
      ),
    ),
    sha256: text("Of the bytes sent, in hex."),
  },
  { title: "DeliveredFile" },
);
export type DeliveredFile = Wire<typeof DeliveredFile>;

export const DeliveryError = Type.Object(
  {
    code: Type.Enum([...DELIVERY_ERRORS]),
    message: text("What is wrong, where, and what to do."),
  },
  { title: "DeliveryError" },
);
export type DeliveryError = Wire<typeof DeliveryError>;

export const DestinationDelivery = Type.Object(
  {
    id: Uuid,
    destination_id: Uuid,
    cause: Type.Enum(["publication", "daily", "request"]),
    render_run_id: { ...Uuid, description: "The render that was sent, or that is sent next." },
    sent_to: Nullable(
      Type.String({
        description:
          "Where the newest attempt went: host, port and folder, or the origin of the address; its path may be a secret. Null before the first attempt.",
        examples: ["sftp://sftp.example:22/feeds"],
      }),
    ),
    file: text("The file of the render that it was made from."),
    etag: text("Identifies the bytes of that file."),
    state: Type.Enum(["pending", "sending", "delivered", "dead", "superseded"], {
      description: "`dead`: every attempt failed. `superseded`: a newer render is delivered instead.",
    }),
    attempts: Type.Integer(),
    next_attempt_at: Nullable(DateTime),
    created_at: DateTime,
    started_at: Nullable(DateTime),
    finished_at: Nullable(DateTime),
    duration_ms: Nullable(integer("Of the newest attempt.")),
    bytes: Nullable(integer("Of all files; the sizes at the destination are compared with it.")),
    files: Nullable(Type.Array(DeliveredFile)),
    vanished: Nullable(integer("Rows that are gone from the catalog and were sent as out of stock.")),
    replaced_by: Nullable(
      Type.String({
        description:
          "`atomic`: earlier files were replaced at once. `two_renames`: the server cannot do that; the place was empty for a moment. `request`: by the receiver.",
        examples: ["atomic"],
      }),
    ),
    removed: Type.Array(Type.String(), { description: "Files of earlier deliveries that were removed." }),
    error: Nullable(DeliveryError),
  },
  { title: "DestinationDelivery" },
);
export type DestinationDelivery = Wire<typeof DestinationDelivery>;

export const DestinationDeliveryAnswer = Data(DestinationDelivery, "The delivery, which is sent soon.");
export const DestinationDeliveriesQuery = Type.Object(
  {
    destination_id: Type.Optional(Uuid),
    cursor: Cursor,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  },
  { additionalProperties: false },
);
export type DestinationDeliveriesQuery = Wire<typeof DestinationDeliveriesQuery>;
export const DestinationDeliveriesAnswer = Data(
  Type.Object({ deliveries: Type.Array(DestinationDelivery), next_cursor: NextCursor }),
  "A page of deliveries, newest first.",
);
export type DestinationDeliveriesPage = Wire<typeof DestinationDeliveriesAnswer>["data"];
