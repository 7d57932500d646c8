/** The audit resource: the score, where every point went, why it moved, and what was found on each item. */
import { Type } from "typebox";
import { Cursor, Data, DateTime, Failure, ItemId, Limit, NextCursor, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

export const Score = Type.Integer({ minimum: 0, maximum: 100 });
export const Grade = Type.Enum(["A", "B", "C", "D", "F"], { title: "Grade" });
export type Grade = Wire<typeof Grade>;
const Severity = Type.Enum(["critical", "major", "minor", "info"], { title: "Severity" });
const Points = Type.Number({ description: "Points of the score, with two decimals." });

const FIX = {
  score_if_fixed: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: "The score of the catalog if this were fixed, ceiling and cut included.",
  }),
  grade_if_fixed: Grade,
  gain: Type.Integer({
    description: "By how much the score would rise: `score_if_fixed` minus `catalog_score`.",
  }),
};

const Refusals = Type.Object(
  {
    items: Type.Integer({ description: "Refused items and rejected rows." }),
    rules: Type.Array(Type.String(), {
      description: "The rules to fix, those that refuse most items first.",
    }),
    ...FIX,
  },
  {
    title: "Refusals",
    description: "All refusals together: where several rules refuse items, no single fix lifts the ceiling.",
  },
);

const RuleReport = Type.Object(
  {
    number: Type.Integer(),
    id: Type.String({ description: "As docs/audit-rules.md lists them." }),
    title: Type.String(),
    dimension: Type.String(),
    severity: Severity,
    points: Type.Integer({ description: "What an item can lose here, of 100." }),
    lost: Points,
    ...FIX,
    items: Type.Integer({ description: "Items that have this problem." }),
    refused: Type.Integer({ description: "Items that a channel refuses for it." }),
    judged: Type.Integer(),
    unknown: Type.Integer({
      description: "Items of which it could not be told; no points are lost for these.",
    }),
    not_applicable: Type.Integer(),
    message: Nullable(Type.String({ description: "What is wrong, where it is not about single items." })),
    advice: Type.String(),
    reference: Type.String(),
    examples: Type.Array(
      Type.Object({
        item_id: Nullable(Type.String({ description: "Null for a rejected row without an id." })),
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
    items: Type.Optional(
      Type.Integer({ description: "Of `rejected`: how many more rows are rejected now; negative if fewer." }),
    ),
    points: Points,
    exact: Type.String({ description: "The same, exactly, over `denominator`." }),
  },
  { title: "ScoreChangePart", description: "One cause of the change. All parts add up to the difference." },
);

const Change = Type.Object(
  {
    kind: Type.Enum(["explained", "not_comparable"]),
    reason: Type.Optional(Type.String({ description: "Why the two audits cannot be compared." })),
    before: Type.Optional(Score),
    after: Type.Optional(Score),
    difference: Type.Optional(Type.Integer()),
    kept: Type.Optional(Type.Integer({ description: "Items that both audits saw." })),
    parts: Type.Optional(Type.Array(ChangePart)),
    denominator: Type.Optional(Type.String()),
  },
  { title: "ScoreChange", description: "Why the score differs from the audit before." },
);

export const Audit = Type.Object(
  {
    run_id: Uuid,
    created_at: DateTime,
    catalog_score: Score,
    grade: Grade,
    previous_score: Nullable(Score),
    items: Type.Integer({ description: "Stored items." }),
    rejected: Type.Integer({
      description:
        "Rows of the newest successful syncs that could not be stored, unpublished ones excepted. Each counts as an item without points that every channel refuses.",
    }),
    rejection_reasons: Type.Array(
      Type.Object({
        code: Type.String(),
        rows: Nullable(Type.Integer({ description: "Null where only examples are known." })),
        message: Type.String(),
      }),
      { description: "Why rows were rejected, the commonest reason first." },
    ),
    as_of: DateTime,
    ruleset: Type.Object({ version: Type.Integer(), hash: Type.String() }),
    summary: Type.String(),
    raw: Type.Number({ description: "The score before the ceiling." }),
    ceiling: Nullable(Type.Object({ limit: Score, reason: Type.String() })),
    blocked: Type.Integer({ description: "Stored items that at least one channel refuses." }),
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
        id: Type.Enum(["acp", "gmc", "jsonld"]),
        files: Type.Array(Type.String()),
        score: Type.Integer({
          minimum: 0,
          maximum: 100,
          description:
            "A refused item has no score here, so this is never above the share of items that are ready.",
        }),
        ready: Type.Integer({ description: "Items that this channel accepts." }),
        total: Type.Integer({ description: "Stored items and rejected rows." }),
        refusals: Nullable(Refusals),
      }),
    ),
    rules: Type.Array(RuleReport, { description: "Those that bring most when fixed first." }),
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
        { description: "An audit newer than this one that could not be finished." },
      ),
    ),
  }),
  "The newest audit; `audit` is null before the first.",
);

export const AuditsAnswer = Data(
  Type.Object({
    audits: Type.Array(
      Type.Object(
        {
          run_id: Uuid,
          catalog_score: Score,
          grade: Grade,
          previous_score: Nullable(Score),
          items: Type.Integer(),
          ruleset: Type.String({ description: "Scores under different rules are not comparable." }),
          created_at: DateTime,
        },
        { title: "AuditSummary" },
      ),
    ),
    next_cursor: NextCursor,
  }),
  "A page of audits, newest first.",
);

export const FindingsQuery = Type.Object(
  {
    rule: Type.Optional(Type.String({ description: "The id of a rule, such as `offer.price_plausible`." })),
    severity: Type.Optional(Severity),
    item_id: Type.Optional(ItemId),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export const Finding = Type.Object(
  {
    item_id: Type.String(),
    rule: Type.String(),
    title: Type.String(),
    dimension: Type.String(),
    severity: Severity,
    field: Type.String(),
    points: Type.Integer(),
    earned: Nullable(
      Type.String({ description: "The share of the points that the item has, such as `6/12`." }),
    ),
    lost: Type.Number({ description: "Points of the item's score." }),
    message: Nullable(Type.String({ description: "Null if the item has been fixed since the audit." })),
    advice: Type.String(),
  },
  {
    title: "Finding",
    examples: [
      {
        item_id: "mug-7",
        rule: "content.images",
        title: "Only one image",
        dimension: "content",
        severity: "minor",
        field: "images",
        points: 2,
        earned: "6/12",
        lost: 1,
        message: "The item has one image.",
        advice: "Add two or more further images.",
      },
    ],
  },
);
export type Finding = Wire<typeof Finding>;

export const FindingsAnswer = Data(
  Type.Object({
    run_id: Nullable(Uuid),
    findings: Type.Array(Finding),
    next_cursor: NextCursor,
  }),
  "A page of findings, by item id.",
);
