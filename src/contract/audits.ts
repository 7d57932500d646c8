/** The audit resource: the score, its parts, and why it changed. */
import { Type } from "./type.ts";
import { Data, DateTime, Failure, integer, NextCursor, Nullable, number, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

export const Score = Type.Integer({ minimum: 0, maximum: 100 });
export const Grade = Type.Enum(["A", "B", "C", "D", "F"], { title: "Grade" });
export type Grade = Wire<typeof Grade>;
export const Severity = Type.Enum(["critical", "major", "minor", "info"], { title: "Severity" });
const Points = number("Points of the score, with two decimals.");

const scoreOf = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

const Format = Type.Enum(["acp", "gmc", "jsonld"], { title: "Channel" });

const FIX = {
  score_if_fixed: scoreOf("The score of the catalog if this were fixed and nothing else changed."),
  grade_if_fixed: Grade,
  gain: integer("By how much the score would rise: `score_if_fixed` minus `catalog_score`."),
};

const Refusals = Type.Object(
  {
    items: integer("Refused items and rejected rows."),
    rules: Type.Array(Type.String(), {
      description: "The rules to fix, those that refuse most items first.",
    }),
    ...FIX,
  },
  {
    title: "Refusals",
    description:
      "All refusals together: an item that several rules refuse is accepted only when all of them are fixed.",
  },
);

export const AuditRule = Type.Object(
  {
    number: Type.Integer(),
    id: text("As docs/audit-rules.md lists them."),
    title: Type.String(),
    dimension: Type.String(),
    severity: Severity,
    points: integer("What an item can lose here, of 100."),
    lost: Points,
    ...FIX,
    gain_min: integer(
      "The least that fixing it can gain. It differs from `gain_max` if the fix makes other rules apply, such as those about descriptions once there is one.",
    ),
    gain_max: integer("The most that fixing it can gain."),
    items: integer("Items that have this problem."),
    refused: integer("Items that a channel refuses for it."),
    judged: Type.Integer(),
    unknown: integer("Items for which the rule could not be judged; they lose no points."),
    not_applicable: Type.Integer(),
    message: Nullable(text("What is wrong, if it is not about single items.")),
    advice: Type.String(),
    reference: Type.String(),
    field: text("Where the problem is: a field of the item, or `settings`."),
    applies: text('To which items it applies, as the end of a sentence that begins with "Applies".'),
    expects: text("The requirement, and how points are earned."),
    formats: Type.Array(Format, { description: "The channels whose score it affects." }),
    refused_by: Type.Array(Format, {
      description: "The channels that refuse an item with none of the points.",
    }),
    examples: Type.Array(
      Type.Object({
        item_id: Nullable(text("Null for a rejected row without an id.")),
        earned: Type.String(),
        message: Type.String(),
      }),
      { maxItems: 20 },
    ),
  },
  { title: "AuditRule" },
);

const ChangePart = Type.Object(
  {
    kind: Type.Enum(["rule", "newcomers", "leavers", "rejected", "ceiling", "rounding"]),
    rule: Type.Optional(Type.String()),
    items: Type.Optional(integer("Of `rejected`: how many more rows are rejected now; negative if fewer.")),
    points: Points,
    exact: text("The same, exactly, over `denominator`."),
  },
  { title: "ScoreChangePart", description: "One cause of the change. All parts add up to the difference." },
);

const Change = Type.Object(
  {
    kind: Type.Enum(["explained", "not_comparable"]),
    reason: Type.Optional(text("Why the two audits cannot be compared.")),
    before: Type.Optional(Score),
    after: Type.Optional(Score),
    difference: Type.Optional(Type.Integer()),
    kept: Type.Optional(integer("Items that both audits saw.")),
    parts: Type.Optional(Type.Array(ChangePart)),
    denominator: Type.Optional(Type.String()),
  },
  { title: "ScoreChange", description: "Why the score differs from the previous audit." },
);

export const Audit = Type.Object(
  {
    run_id: Uuid,
    created_at: DateTime,
    catalog_score: Score,
    grade: Grade,
    previous_score: Nullable(Score),
    items: integer("Stored items."),
    rejected: integer(
      "Rows of the newest successful syncs that could not be stored, except unpublished ones. Each counts as an item without points that every channel refuses.",
    ),
    rejection_reasons: Type.Array(
      Type.Object({
        code: Type.String(),
        rows: Nullable(integer("Null where only examples are known.")),
        message: Type.String(),
      }),
      { description: "Why rows were rejected, most frequent first." },
    ),
    as_of: DateTime,
    ruleset: Type.Object({ version: Type.Integer(), hash: Type.String() }),
    summary: Type.String(),
    raw: number("The score with two decimals, before it is cut to a whole number."),
    ceiling: Nullable(
      Type.Object(
        { limit: Score, reason: Type.String() },
        {
          description:
            "The highest score that other fixes can reach while items are refused and rows are rejected; null if none are.",
        },
      ),
    ),
    blocked: integer("Stored items that at least one channel refuses."),
    refusals: Nullable(Refusals),
    coverage: Type.Object({
      judged: Type.Integer(),
      unknown: Type.Integer(),
      not_applicable: Type.Integer(),
    }),
    dimensions: Type.Array(
      Type.Object({
        id: Type.String(),
        title: Type.String(),
        stake: Points,
        lost: Points,
        score: Nullable(Score),
      }),
    ),
    formats: Type.Array(
      Type.Object({
        id: Format,
        files: Type.Array(Type.String()),
        score: scoreOf("Refused items count as 0, so this is at most the share of items that are ready."),
        ready: integer("Items that this channel accepts."),
        total: integer("Stored items, without those that rules leave out of the channel, and rejected rows."),
        refusals: Nullable(Refusals),
      }),
    ),
    rules: Type.Array(AuditRule, {
      description:
        "Sorted by gain, largest first. A setting for which a channel refuses every item precedes them.",
    }),
    exact: Type.Object({
      denominator: Type.String(),
      raw: Type.String(),
      lost: Type.Record(Type.String(), Type.String()),
    }),
    change: Nullable(Change),
  },
  { title: "Audit" },
);
export type Audit = Wire<typeof Audit>;

export const AuditAnswer = Data(
  Type.Object({
    audit: Nullable(Audit),
    last_failure: Nullable(
      Type.Object(
        { run_id: Uuid, ...Failure.properties, finished_at: DateTime },
        { description: "A newer audit that failed." },
      ),
    ),
  }),
  "The newest audit; `audit` is null before the first.",
);
export type AuditAnswer = Wire<typeof AuditAnswer>;

const SUMMARY = {
  run_id: Uuid,
  catalog_score: Score,
  grade: Grade,
  previous_score: Nullable(Score),
  items: Type.Integer(),
  ruleset: text("Scores under different rules are not comparable."),
  created_at: DateTime,
};

export const AuditsAnswer = Data(
  Type.Object({
    audits: Type.Array(Type.Object(SUMMARY, { title: "AuditSummary" })),
    next_cursor: NextCursor,
  }),
  "A page of audits, newest first.",
);
export type AuditsAnswer = Wire<typeof AuditsAnswer>;

export const PastAuditAnswer = Data(
  Type.Object({ ...SUMMARY, change: Nullable(Change) }, { title: "PastAudit" }),
  "The audit with why its score differs from the one before.",
);
export type PastAuditAnswer = Wire<typeof PastAuditAnswer>;
