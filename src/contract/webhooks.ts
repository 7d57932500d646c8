/** The webhooks resource: who is told, what was sent to them, and how each attempt went. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Cursor, Data, DateTime, NextCursor, Nullable, Uuid } from "./shapes.ts";

const EventType = Type.Enum(["sync.completed", "feeds.rendered", "audit.completed"]);

const Secret = Type.String({
  description: "Signs every delivery. Returned here and never again.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

export const RegisterWebhook = Type.Object({
  url: Type.String({
    maxLength: 2_048,
    description: "An https:// address that receives deliveries.",
  }),
  events: Type.Array(EventType, { minItems: 1, description: "What it is told about." }),
});
export type RegisterWebhook = Static<typeof RegisterWebhook>;

export const RegisteredAnswer = Data(
  Type.Object({
    id: Uuid,
    url: Type.String(),
    events: Type.Array(EventType),
    secret: Secret,
    created_at: DateTime,
  }),
);

export const WebhooksAnswer = Data(
  Type.Object({
    webhooks: Type.Array(
      Type.Object({
        id: Uuid,
        url: Type.String(),
        events: Type.Array(EventType),
        created_at: DateTime,
        status: Type.Enum(["active", "failing"], {
          description: "`failing`: the newest attempt failed. Deliveries go on being tried.",
        }),
        failing_since: Nullable(DateTime),
        last_success_at: Nullable(DateTime),
        last_failure_at: Nullable(DateTime),
        last_failure: Nullable(Type.String()),
        previous_secret_until: Nullable(
          Type.String({ format: "date-time", description: "Until then, two secrets sign." }),
        ),
      }),
    ),
  }),
);

export const WebhookId = Type.Object({ id: Uuid });
export type WebhookId = Static<typeof WebhookId>;

export const DeletedAnswer = Data(Type.Object({ id: Uuid, deleted: Type.Literal(true) }));

export const RotateSecret = Type.Object({
  id: Uuid,
  overlap_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 86_400,
      description: "How long the old secret goes on signing beside the new one.",
    }),
  ),
});
export type RotateSecret = Static<typeof RotateSecret>;

export const RotatedAnswer = Data(
  Type.Object({ id: Uuid, secret: Secret, previous_secret_until: Nullable(DateTime) }),
);

const Milliseconds = Nullable(Type.Number({ minimum: 0 }));

const Attempt = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  started_at: DateTime,
  duration_ms: Type.Object(
    {
      dns: Milliseconds,
      connect: Milliseconds,
      tls: Milliseconds,
      first_byte: Milliseconds,
      total: Type.Number({ minimum: 0 }),
    },
    { description: "Zero for what a kept connection spares; null for what was never reached." },
  ),
  address: Nullable(Type.String({ description: "The address that was connected to." })),
  status: Nullable(Type.Integer()),
  error: Nullable(
    Type.String({ description: "What kind of failure it was; null for a success.", examples: ["timeout"] }),
  ),
  message: Nullable(Type.String()),
  location: Nullable(Type.String({ description: "Where a redirect pointed. It was not followed." })),
  answer: Nullable(Type.String({ description: "The first 16 KiB of the answer." })),
});

const DeliveryState = Type.Enum(["pending", "delivered", "dead"]);

export const DeliveriesQuery = Type.Object(
  {
    webhook_id: Type.Optional(Uuid),
    state: Type.Optional(DeliveryState),
    event: Type.Optional(Type.Enum(["sync.completed", "feeds.rendered", "audit.completed", "webhook.test"])),
    cursor: Cursor,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  },
  { additionalProperties: false },
);
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;

export const DeliveriesAnswer = Data(
  Type.Object({
    deliveries: Type.Array(
      Type.Object({
        id: Uuid,
        webhook_id: Uuid,
        event_id: Type.String({
          format: "uuid",
          description: "`webhook-id` of every attempt; what receivers deduplicate by.",
        }),
        event: Type.String(),
        state: DeliveryState,
        next_attempt_at: Nullable(DateTime),
        created_at: DateTime,
        finished_at: Nullable(DateTime),
        attempts: Type.Array(Attempt),
      }),
    ),
    next_cursor: NextCursor,
  }),
);

export const ResendDeliveries = Type.Object(
  {
    delivery_id: Type.Optional(Uuid),
    since: Type.Optional(Type.String({ format: "date-time", description: "All that died since then." })),
    webhook_id: Type.Optional(
      Type.String({ format: "uuid", description: "With `since`: of this endpoint only." }),
    ),
  },
  { additionalProperties: false, description: "Either `delivery_id` or `since`." },
);
export type ResendDeliveries = Static<typeof ResendDeliveries>;

export const ResentAnswer = Data(Type.Object({ resent: Type.Integer() }));

export const TestedAnswer = Data(
  Type.Object({
    delivery_id: Uuid,
    event_id: Uuid,
    delivered: Type.Boolean(),
    attempt: Attempt,
  }),
);
