/** The state of a catalog: one state with its reason, what needs attention, and the figures of an overview. */
import { Type } from "./type.ts";
import { Grade, Score } from "./audits.ts";
import { FeedFileName } from "./feeds.ts";
import { Data, DateTime, integer, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { RunStatus } from "./syncs.ts";

export const CatalogState = Type.Enum(["ok", "attention", "failing"], {
  title: "CatalogState",
  description:
    "`failing`: destinations get old items, or none. `attention`: something should be fixed. `ok`: nothing has to be done.",
});
export type CatalogState = Wire<typeof CatalogState>;

export const StateReason = Type.String({ description: "Why, in one sentence." });

const ActionKind = Type.Enum(
  [
    "add_source",
    "open_source",
    "sync_source",
    "open_run",
    "open_render",
    "render_feeds",
    "open_feed",
    "open_audit_rule",
    "open_webhook",
    "open_destination",
    "open_alert_settings",
  ],
  {
    title: "ActionKind",
    description: [
      "`add_source`: POST /sources, or push items.",
      "`open_source`: look at the source; target is its id.",
      "`sync_source`: POST /syncs; target is the id of the source.",
      "`open_run`: GET /runs/{id}; target is the id of a sync or render.",
      "`open_render`: GET /renders/{id}, then promote or discard it; target is its id.",
      "`render_feeds`: POST /feeds.",
      "`open_feed`: why items are not in a file; target is the file.",
      "`open_audit_rule`: GET /audit/findings?rule=…; target is the id of the rule.",
      "`open_webhook`: look at the endpoint; target is its id.",
      "`open_destination`: look at the destination; target is its id.",
      "`open_alert_settings`: who is mailed, and why it fails.",
    ].join("\n"),
  },
);

export const Action = Type.Object(
  { kind: ActionKind, target: Nullable(Type.String()) },
  {
    title: "Action",
    description: "What to do first.",
    examples: [{ kind: "open_run", target: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff" }],
  },
);
export type Action = Wire<typeof Action>;

/**
 * The codes in the order of their consequences, for entries of the same severity: first the problems that destinations
 * notice.
 */
export const ATTENTION_CODES = [
  "restored_copy",
  "secret_unreadable",
  "feed_empty",
  "render_held",
  "limits_exceeded",
  "unlikely_values",
  "publication_paused",
  "render_failed",
  "feeds_old",
  "sync_refused",
  "source_failing",
  "source_stale",
  "destination_failing",
  "push_failed",
  "no_items",
  "sync_overdue",
  "feeds_outdated",
  "items_removed",
  "rows_rejected",
  "encoding_uncertain",
  "items_refused",
  "source_disabled",
  "audit_failed",
  "score_dropped",
  "score_limited",
  "webhook_failing",
  "webhook_disabled",
  "consumer_behind",
  "mail_failing",
] as const;
export const AttentionCode = Type.Enum([...ATTENTION_CODES], { title: "AttentionCode" });
export type AttentionCode = Wire<typeof AttentionCode>;

export const AttentionSeverity = Type.Enum(["failing", "attention"], { title: "AttentionSeverity" });

const Attention = Type.Object(
  {
    code: AttentionCode,
    severity: AttentionSeverity,
    message: Type.String({ description: "What is wrong, with figures, in one or two sentences." }),
    count: Nullable(integer("How many failures, rows or items it is about.")),
    since: Nullable(DateTime),
    action: Nullable(Action),
  },
  {
    title: "Attention",
    examples: [
      {
        code: "source_failing",
        severity: "attention",
        message: "The last 3 syncs of Shop failed: The shop did not answer in time. (source_timeout)",
        count: 3,
        since: "2026-11-15T06:00:00.000Z",
        action: { kind: "open_run", target: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff" },
      },
    ],
  },
);
export type Attention = Wire<typeof Attention>;

/** Entries of `attention` in an answer. */
export const MAX_ATTENTION = 50;
/** Scores of `history`. */
export const SCORE_HISTORY = 30;

const StatusScore = Type.Object(
  {
    score: Score,
    grade: Grade,
    ceiling: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: "The highest possible score while channels refuse items; null: no limit.",
      }),
    ),
    measured_at: DateTime,
    previous_score: Nullable(Score),
    history: Type.Array(Type.Object({ at: DateTime, score: Score }), {
      maxItems: SCORE_HISTORY,
      description: "The newest scores, oldest first; the last one is `score`.",
    }),
  },
  { title: "StatusScore", description: "The score of the audit." },
);

const StatusFeed = Type.Object(
  {
    file: FeedFileName,
    url: Nullable(Type.String({ format: "uri", description: "Null if the token cannot be decrypted." })),
    items: integer("Items in the file."),
    excluded: integer("Items that the merchant leaves out of the file."),
    refused: integer("Items in the file that its destination will refuse."),
    bytes: integer("The size of the file, not compressed."),
    rendered_at: Nullable(
      Type.String({
        format: "date-time",
        description: "When the file was rendered; null before the first render.",
      }),
    ),
    changed_at: Nullable(
      Type.String({
        format: "date-time",
        description: "When its content last changed: `Last-Modified` of the file.",
      }),
    ),
    last_fetched_at: Nullable(
      Type.String({
        format: "date-time",
        description: "When the file was last fetched from its URL, to the minute; null if not known.",
      }),
    ),
    last_fetched_by: Nullable(
      Type.String({ description: "Who fetched it, from the User-Agent.", examples: ["Google"] }),
    ),
    last_fetched_status: Nullable(
      Type.Integer({ description: "200: the file; 206: a part; 304: it had not changed.", examples: [200] }),
    ),
  },
  { title: "StatusFeed" },
);

const StatusSync = Type.Object(
  {
    last: Nullable(
      Type.Object(
        {
          run_id: Uuid,
          source_id: Nullable(Uuid),
          source_name: Nullable(Type.String()),
          status: RunStatus,
          error_code: Nullable(
            Type.String({
              description: "Why it failed; `canceled` if a user ended it.",
              examples: ["canceled"],
            }),
          ),
          finished_at: DateTime,
        },
        { description: "The newest finished sync or push; the source is null for a push." },
      ),
    ),
    next: Nullable(
      Type.Object(
        { source_id: Uuid, source_name: Type.String(), at: DateTime },
        { description: "The next scheduled sync." },
      ),
    ),
    running: integer("Syncs and pushes that run or wait for a worker."),
  },
  { title: "StatusSync" },
);

export const CatalogStatus = Type.Object(
  {
    state: CatalogState,
    reason: StateReason,
    action: Nullable(Action),
    attention: Type.Array(Attention, {
      maxItems: MAX_ATTENTION,
      description:
        "What needs attention, ordered by consequence. The first entry is the reason of the state.",
    }),
    attention_count: integer("How many entries there are; `attention` has the first of them."),
    score: Nullable(StatusScore),
    feeds: Type.Array(StatusFeed, { minItems: 4, maxItems: 4 }),
    sync: StatusSync,
    sources: integer("Sources of the catalog."),
    items: integer("Items in the catalog."),
    pushed_items: integer("Of them, those that no source has: they were pushed or uploaded."),
  },
  { title: "CatalogStatus" },
);
export type CatalogStatus = Wire<typeof CatalogStatus>;

export const CatalogStatusAnswer = Data(CatalogStatus, "The state of the catalog, and what needs attention.");
