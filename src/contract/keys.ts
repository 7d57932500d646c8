/** The keys resource: who may call the API for this catalog. A key itself is shown once, when it is created. */
import { Type } from "./type.ts";
import { Data, DateTime, NextCursor, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const Scope = Type.Enum(["read", "write", "admin"], {
  title: "Scope",
  description:
    "`read`: every GET. `write`: syncs, pushes, sources, webhooks. `admin`: keys, settings, removing the catalog. None includes another.",
});

export const Key = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    key: Type.String({ description: "How the key begins.", examples: ["sw_3kTq0ZbW1xYc_…"] }),
    scopes: Type.Array(Scope),
    state: Type.Enum(["live", "expired", "revoked"]),
    is_current: Type.Boolean({ description: "Whether this call was made with it." }),
    created_at: DateTime,
    expires_at: Nullable(Type.String({ format: "date-time", description: "Null: never." })),
    last_used_at: Nullable(
      Type.String({ format: "date-time", description: "To the minute. Null: never used." }),
    ),
  },
  {
    title: "Key",
    examples: [
      {
        id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff",
        name: "nightly export",
        key: "sw_3kTq0ZbW1xYc_…",
        scopes: ["read"],
        state: "live",
        is_current: false,
        created_at: "2026-11-15T06:00:00.000Z",
        expires_at: null,
        last_used_at: null,
      },
    ],
  },
);
export type Key = Wire<typeof Key>;

export const KeysAnswer = Data(
  Type.Object({ keys: Type.Array(Key), next_cursor: NextCursor }),
  "A page of keys, oldest first.",
);

export const CurrentKeyAnswer = Data(Key, "The key that this call was made with.");

export const NewKey = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$",
      description: "What it is for.",
      examples: ["nightly export"],
    }),
    scopes: Type.Array(Scope, { minItems: 1, uniqueItems: true }),
    expires_at: Type.Optional(
      Nullable(
        Type.String({
          format: "date-time",
          description: "When it stops working, in the future. Never unless set.",
        }),
      ),
    ),
  },
  {
    title: "NewKey",
    additionalProperties: false,
    examples: [{ name: "nightly export", scopes: ["read"], expires_at: "2027-01-31T00:00:00.000Z" }],
  },
);

export const CreatedKeyAnswer = Data(
  Type.Object({
    ...Key.properties,
    secret: Type.String({
      description: "The whole key, to be sent as `Authorization: Bearer`. Returned here and never again.",
    }),
  }),
  "The key, shown this once.",
);

export const RevokeKey = Type.Object(
  {
    id: Uuid,
    allow_last_admin: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Also revoke the last key with the scope `admin`. Afterwards only the command line can create one.",
      }),
    ),
  },
  { title: "RevokeKey", additionalProperties: false },
);

export const RevokedKeyAnswer = Data(
  Type.Object({ id: Uuid, revoked: Type.Literal(true) }),
  "The key no longer works.",
);
