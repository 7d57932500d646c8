/**
 * What a user enters in the forms of alerts, destinations, sources and webhooks, declared once: the kind, the limits,
 * and the texts of the console. The schemas of the API and the fields of the console come from these tables. They
 * import nothing, for the browser.
 */
export type FormField = {
  /** `share`: of 1, entered in percent. `answer`: true or false. `list`: one entry on each line. */
  readonly kind: "text" | "url" | "list" | "number" | "share" | "time" | "time_zone" | "answer";
  readonly label: string;
  readonly help?: string;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  /** A number is entered in units of so many. */
  readonly unit?: number;
  /** An empty field is null. */
  readonly isNullable?: boolean;
  readonly choices?: Readonly<Record<string, string>>;
};

/** The limits, as a schema has them. */
export const limitsOf = ({ min, max }: { readonly min: number; readonly max: number }) => ({
  minimum: min,
  maximum: max,
});

export const ALERT_FIELDS = {
  recipients: {
    kind: "list",
    label: "Recipients",
    help: "Mail addresses, one on each line. Without addresses no mail is sent.",
  },
  digest_at: { kind: "time", label: "Time" },
  time_zone: { kind: "time_zone", label: "Time zone", help: "Also of the times in mails." },
  max_feed_age_h: {
    kind: "number",
    label: "Greatest age of the files, in hours",
    help: "Files that were neither rendered nor confirmed by a sync for longer are an alert. Leave it empty to switch this off.",
    min: 1,
    max: 8_760,
    isNullable: true,
  },
  min_score_drop: {
    kind: "number",
    label: "Largest fall of the score, in points",
    help: "A score that falls by so many within seven days is an alert.",
    min: 1,
    max: 100,
  },
} as const satisfies Readonly<Record<string, FormField>>;

export const DESTINATION_FIELDS = {
  name: { kind: "text", label: "Name", help: "For you, such as the name of the partner.", maxLength: 200 },
  daily_at: { kind: "time", label: "Time" },
  time_zone: { kind: "time_zone", label: "Time zone" },
  file_name: {
    kind: "text",
    label: "Name of the files",
    help: "The files keep their names, and each delivery replaces them. A number and the extension follow: products-0001.csv.gz.",
    maxLength: 100,
  },
  shards: {
    kind: "answer",
    label: "Large catalogs",
    help: "OpenAI wants several smaller files rather than a very large one.",
    choices: {
      true: "Numbered files of at most 500,000 items or 500 MB",
      false: "Always one file, without a number",
    },
  },
  vanished_days: {
    kind: "number",
    label: "Days to send removed items as out of stock",
    help: "OpenAI keeps showing an item that merely disappears from the file. So items that are gone are sent for these days as out of stock. 0 turns this off. Only for the files for OpenAI in rows.",
    min: 0,
    max: 90,
  },
  max_bytes_per_s: {
    kind: "number",
    label: "Speed limit, in kB per second",
    help: "Leave it empty for no limit.",
    min: 1_000,
    max: 10_000_000_000,
    unit: 1_000,
    isNullable: true,
  },
} as const satisfies Readonly<Record<string, FormField>>;

export const SOURCE_FIELDS = {
  max_removed_ratio: {
    kind: "share",
    label: "Largest share that one sync may remove, in percent",
    help: "A sync that would remove more of the items of this source fails and changes nothing: a broken export cannot empty your feeds. 100 switches this off.",
    min: 0,
    max: 1,
  },
} as const satisfies Readonly<Record<string, FormField>>;

export const WEBHOOK_FIELDS = {
  url: {
    kind: "url",
    label: "Address",
    help: "It begins with https:// and is reachable from the internet. The operator of this installation can allow http:// and private addresses.",
    maxLength: 2_048,
  },
} as const satisfies Readonly<Record<string, FormField>>;

/** The events that a new webhook receives by default: all that report a success. */
export const DEFAULT_EVENTS = ["sync.completed", "feeds.rendered", "audit.completed"] as const;
