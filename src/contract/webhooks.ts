/** The webhooks resource: endpoints, their deliveries and every attempt. */
import { Type } from "./type.ts";
import { EVENT_TYPES, TEST_EVENT } from "./events.ts";
import { WEBHOOK_FIELDS } from "./form-fields.ts";
import { Cursor, Data, DateTime, integer, NextCursor, Nullable, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const EventType = Type.Enum([...EVENT_TYPES], { title: "EventType" });

const Secret = Type.String({
  description: "Signs every delivery. Returned here and never again.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

export const RegisterWebhook = Type.Object(
  {
    url: Type.String({
      maxLength: WEBHOOK_FIELDS.url.maxLength,
      description: "An https:// address that receives deliveries.",
    }),
    events: Type.Array(EventType, { minItems: 1, description: "The events it receives." }),
  },
  {
    title: "RegisterWebhook",
    description: "Fields that are not listed are ignored.",
    examples: [{ url: "https://shop.example/hooks", events: ["feeds.rendered"] }],
  },
);

export const RegisteredAnswer = Data(
  Type.Object({
    id: Uuid,
    url: Type.String(),
    events: Type.Array(EventType),
    secret: Secret,
    created_at: DateTime,
  }),
  "The endpoint with its secret.",
);
export type RegisteredWebhook = Wire<typeof RegisteredAnswer>["data"];

export const Webhook = Type.Object(
  {
    id: Uuid,
    url: Type.String(),
    events: Type.Array(EventType),
    created_at: DateTime,
    enabled: Type.Boolean({ description: "False: events are logged as `discarded` and not sent." }),
    status: Type.Enum(["active", "failing", "disabled"], {
      description:
        "`failing`: the newest attempt failed. Deliveries are still attempted. `disabled`: it gets no new deliveries; those that wait follow their schedule.",
    }),
    disabled_at: Nullable(DateTime),
    disabled_by: Nullable(
      Type.Enum(["failures", "request"], {
        description:
          "`failures`: every attempt of five days failed, and the schedule of a delivery has ended. `request`: a user disabled it.",
      }),
    ),
    failing_since: Nullable(DateTime),
    last_success_at: Nullable(DateTime),
    last_failure_at: Nullable(DateTime),
    last_failure: Nullable(Type.String()),
    previous_secret_until: Nullable(
      Type.String({ format: "date-time", description: "Until then, two secrets sign." }),
    ),
    deliveries: Type.Object({
      pending: integer("Wait for their first or their next attempt. Counted up to 10,000."),
      dead: integer("Of the catalog's newest 10,000: failed at every attempt. They can be sent again."),
    }),
  },
  { title: "Webhook" },
);
export type Webhook = Wire<typeof Webhook>;

export const WebhooksAnswer = Data(
  Type.Object({ webhooks: Type.Array(Webhook) }),
  "Every endpoint with its health.",
);

export const ChangeWebhook = Type.Object(
  {
    id: Uuid,
    ...Type.Partial(RegisterWebhook).properties,
    enabled: Type.Optional(
      Type.Boolean({ description: "`true` enables an endpoint again; what it missed can be sent again." }),
    ),
  },
  {
    title: "ChangeWebhook",
    additionalProperties: false,
    minProperties: 2,
    examples: [{ id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff", events: ["feeds.rendered"] }],
  },
);
export const ChangedWebhookAnswer = Data(Webhook, "The endpoint as it is now.");

export const WebhookId = Type.Object({ id: Uuid }, { title: "WebhookId", additionalProperties: false });

export const DeleteWebhook = Type.Object(
  { id: Uuid },
  { title: "DeleteWebhook", description: "Fields that are not listed are ignored." },
);

export const DeletedAnswer = Data(Type.Object({ id: Uuid, deleted: Type.Literal(true) }), "It is deleted.");

export const RotateSecret = Type.Object(
  {
    id: Uuid,
    overlap_s: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: "How long the old secret signs in addition to the new one.",
      }),
    ),
  },
  { title: "RotateSecret", additionalProperties: false },
);

export const RotatedAnswer = Data(
  Type.Object({ id: Uuid, secret: Secret, previous_secret_until: Nullable(DateTime) }),
  "The new secret.",
);
export type RotatedSecret = Wire<typeof RotatedAnswer>["data"];

const Milliseconds = Nullable(Type.Number({ minimum: 0 }));

export const Attempt = Type.Object(
  {
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
      { description: "Zero for steps that a reused connection saves; null for steps that were not reached." },
    ),
    address: Nullable(text("The address that was connected to.")),
    status: Nullable(Type.Integer()),
    error: Nullable(
      Type.String({ description: "What kind of failure it was; null for a success.", examples: ["timeout"] }),
    ),
    message: Nullable(Type.String()),
    location: Nullable(text("Where a redirect pointed. It was not followed.")),
    answer: Nullable(text("The first 16 KiB of the answer.")),
  },
  { title: "Attempt" },
);
export type Attempt = Wire<typeof Attempt>;

export const DeliveryState = Type.Enum(["pending", "delivered", "dead", "discarded"], {
  title: "DeliveryState",
  description:
    "`dead`: every attempt failed. `discarded`: the endpoint was disabled when the event happened, and no attempt was made.",
});
export type DeliveryState = Wire<typeof DeliveryState>;

export const DeliveriesQuery = Type.Object(
  {
    webhook_id: Type.Optional(Uuid),
    state: Type.Optional(DeliveryState),
    event: Type.Optional(Type.Enum([...EVENT_TYPES, TEST_EVENT])),
    cursor: Cursor,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  },
  { additionalProperties: false },
);
export type DeliveriesQuery = Wire<typeof DeliveriesQuery>;

export const Delivery = Type.Object(
  {
    id: Uuid,
    webhook_id: Uuid,
    event_id: Type.String({
      format: "uuid",
      description: "`webhook-id` of every attempt. Receivers deduplicate by it.",
    }),
    event: Type.String(),
    state: DeliveryState,
    next_attempt_at: Nullable(DateTime),
    created_at: DateTime,
    finished_at: Nullable(DateTime),
    attempts: Type.Array(Attempt),
  },
  { title: "Delivery" },
);
export type Delivery = Wire<typeof Delivery>;

export const DeliveryParams = Type.Object({ id: Uuid });
export const DeliveryAnswer = Data(Delivery, "The delivery with every attempt.");

export const DeliveriesAnswer = Data(
  Type.Object({ deliveries: Type.Array(Delivery), next_cursor: NextCursor }),
  "A page of deliveries, newest first.",
);
export type DeliveriesPage = Wire<typeof DeliveriesAnswer>["data"];

export const ResendDeliveries = Type.Object(
  {
    delivery_id: Type.Optional(Uuid),
    since: Type.Optional(
      Type.String({ format: "date-time", description: "All that became dead since then." }),
    ),
    webhook_id: Type.Optional({ ...Uuid, description: "With `since`: of this endpoint only." }),
  },
  { title: "ResendDeliveries", additionalProperties: false, description: "Either `delivery_id` or `since`." },
);
export type ResendDeliveries = Wire<typeof ResendDeliveries>;

export const ResentAnswer = Data(Type.Object({ resent: Type.Integer() }), "How many will be sent again.");

export const TestedAnswer = Data(
  Type.Object({
    delivery_id: Uuid,
    event_id: Uuid,
    delivered: Type.Boolean(),
    attempt: Attempt,
  }),
  "The attempt, delivered or not.",
);
export type TestedWebhook = Wire<typeof TestedAnswer>["data"];
