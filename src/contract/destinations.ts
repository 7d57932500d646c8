/** The destinations resource: where the files of a catalog are delivered. Secrets are never returned. */
import { Type } from "./type.ts";
import { DeliveryError } from "./destination-deliveries.ts";
import { DESTINATION_FIELDS, limitsOf } from "./form-fields.ts";
import { Data, DateTime, flag, Nullable, text, Uuid, SettingField } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

/** The formats that a destination can get. */
export const FileFormat = Type.Enum(
  [
    "acp.csv.gz",
    "acp.tsv.gz",
    "acp.jsonl.gz",
    "acp.csv",
    "acp.tsv",
    "acp.jsonl",
    "acp.json",
    "acp-feed",
    "gmc.tsv.gz",
    "gmc.tsv",
    "jsonld.json",
  ],
  {
    title: "FileFormat",
    description:
      "The rows of OpenAI (`acp`) or Google (`gmc`) in a format and a compression; `acp-feed`: metadata.json and products.jsonl of the Agentic Commerce Protocol.",
  },
);
export type FileFormat = Wire<typeof FileFormat>;

export const DestinationKind = Type.Enum(["sftp", "https"], { title: "DestinationKind" });
export type DestinationKind = Wire<typeof DestinationKind>;

const Name = Type.String({
  minLength: 1,
  maxLength: DESTINATION_FIELDS.name.maxLength,
  pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$",
});
export const FILE_NAME = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$";
const FileName = Type.String({
  pattern: FILE_NAME,
  description: "The name of the files without number and extension; default `products`.",
});
const Schedule = Type.Enum(["publication", "daily"], {
  description:
    "`publication`: after every render whose file has changed, and after 20 hours if it has not. `daily`: at `daily_at`.",
});
export const DAILY_AT = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
const DailyAt = Type.String({
  pattern: DAILY_AT,
  description: "With the schedule `daily`; default 03:00.",
});
const TimeZone = Type.String({
  maxLength: 60,
  pattern: "^[A-Za-z0-9_+/-]+$",
  description: "Of `daily_at`, such as Europe/Berlin; default UTC.",
});
const VanishedDays = Type.Integer({
  ...limitsOf(DESTINATION_FIELDS.vanished_days),
  description:
    "For so many days rows that are gone from the catalog are still sent, as out of stock and not eligible for search; default 14. Only for the rows of OpenAI in csv, tsv and jsonl.",
});
const BytesPerS = Nullable(
  Type.Integer({ ...limitsOf(DESTINATION_FIELDS.max_bytes_per_s), description: "Null: no limit." }),
);

export const Destination = Type.Object(
  {
    id: Uuid,
    kind: DestinationKind,
    name: Type.String(),
    settings: Type.Record(Type.String(), Type.String(), { description: "Without secrets." }),
    secrets_set: Type.Array(Type.String(), { description: "The names of the secrets that are set." }),
    format: FileFormat,
    file_name: Type.String(),
    shards: flag("Whether the files are numbered, and split at 500,000 items or 500 MB."),
    max_bytes_per_s: BytesPerS,
    vanished_days: VanishedDays,
    schedule: Schedule,
    daily_at: DailyAt,
    time_zone: TimeZone,
    enabled: Type.Boolean(),
    status: Type.Enum(["new", "active", "failing"], {
      description: "`new`: nothing was sent yet. `failing`: the newest attempt failed.",
    }),
    failing_since: Nullable(DateTime),
    last_success_at: Nullable(DateTime),
    delivered_run_id: Nullable({ ...Uuid, description: "The render that it has, from the newest delivery." }),
    last_failure_at: Nullable(DateTime),
    last_error: Nullable(DeliveryError),
    next_delivery_at: Nullable(DateTime),
    created_at: DateTime,
  },
  { title: "Destination" },
);
export type Destination = Wire<typeof Destination>;

export const DestinationAnswer = Data(Destination, "The destination as it is stored.");
export const DestinationsAnswer = Data(
  Type.Object({ destinations: Type.Array(Destination) }),
  "Every destination with its health.",
);

/** PostgreSQL cannot store NUL. */
const SettingText = Type.String({ maxLength: 20_000, pattern: "^[^\\u0000]*$" });

const Options = {
  name: Type.Optional(Name),
  format: Type.Optional(FileFormat),
  file_name: Type.Optional(FileName),
  shards: Type.Optional(Type.Boolean()),
  max_bytes_per_s: Type.Optional(BytesPerS),
  vanished_days: Type.Optional(VanishedDays),
  schedule: Type.Optional(Schedule),
  daily_at: Type.Optional(DailyAt),
  time_zone: Type.Optional(TimeZone),
  enabled: Type.Optional(Type.Boolean()),
};

export const NewDestination = Type.Object(
  {
    kind: DestinationKind,
    settings: Type.Record(Type.String(), SettingText, {
      description: "Settings by name, including secrets. GET /destinations/kinds lists them.",
    }),
    ...Options,
  },
  { additionalProperties: false },
);
export type NewDestination = Wire<typeof NewDestination>;

const ChangedSettings = Type.Record(Type.String(), Nullable(SettingText), {
  description:
    "Only those that change; null clears a setting. If the host changes, secrets must be sent again.",
});

export const ChangedDestination = Type.Object(
  { id: Uuid, settings: Type.Optional(ChangedSettings), ...Options },
  { additionalProperties: false },
);
export type ChangedDestination = Wire<typeof ChangedDestination>;

export const DestinationId = Type.Object(
  { id: Uuid },
  { title: "DestinationId", additionalProperties: false },
);

export const TriedDestination = Type.Object(
  {
    id: Type.Optional(Uuid),
    kind: Type.Optional(DestinationKind),
    settings: Type.Optional(ChangedSettings),
  },
  {
    additionalProperties: false,
    description: "The `id` of a saved destination, or a `kind` with its settings.",
  },
);
export type TriedDestination = Wire<typeof TriedDestination>;

export const TriedDestinationAnswer = Data(
  Type.Object({
    ok: flag(
      "SFTP: the login works and a file could be written. HTTPS: the server answered, and did not refuse the login.",
    ),
    host_key: Nullable(
      Type.Object({
        value: text(
          "What to save as the setting `host_key`, after a comparison with what the operator names.",
        ),
        confirmed: Type.Boolean(),
      }),
    ),
    note: Nullable(text("What the test has not shown.")),
    error: Nullable(DeliveryError),
    duration_ms: Type.Integer(),
  }),
  "The result of the test.",
);
export type DestinationTest = Wire<typeof TriedDestinationAnswer>["data"];

export const DeletedDestinationAnswer = Data(
  Type.Object({ id: Uuid, deleted: Type.Literal(true) }),
  "It is deleted. Files at the destination stay.",
);

export const DestinationKindsAnswer = Data(
  Type.Object({
    kinds: Type.Array(
      Type.Object({
        kind: DestinationKind,
        label: Type.String(),
        fields: Type.Array(SettingField),
      }),
    ),
  }),
  "Every kind with its settings.",
);
