/** One run in detail: its state, and what a sync rejected or warned about. */
import { Type } from "./type.ts";
import { Cursor, Data, DateTime, Failure, Limit, NextCursor, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { SyncPlan } from "./plans.ts";
import { ProposalCounts } from "./proposal-counts.ts";
import { RunStatus, SyncRun, SyncStats } from "./syncs.ts";

export const RunParams = Type.Object({ id: Uuid });

const Cause = Type.Enum(
  [
    "schedule",
    "request",
    "push",
    "command",
    "sync",
    "render",
    "stale",
    "removal",
    "settings",
    "webhook",
    "rules",
    "approval",
    "rollback",
    "release",
  ],
  {
    title: "RunCause",
    description:
      "What queued the run: the schedule, an API call, a push, a command, a sync, a render, feeds that became outdated, a removal, new settings, a webhook of the shop or a check that found deleted products (`webhook`), new rules or approved values, a rollback, or its end.",
  },
);

const Phase = Nullable(
  Type.Enum(["queued", "reading", "merging", "rendering", "publishing", "removing", "computing"], {
    title: "RunPhase",
    description: "What the run is doing now: `queued` until a worker has it. Null after the end.",
  }),
);
export type RunPhase = NonNullable<Wire<typeof Phase>>;

export const Run = Type.Object(
  {
    run_id: Uuid,
    kind: Type.Enum(["sync", "render", "audit", "removal", "rules", "proposals", "plan", "sync_plan"], {
      title: "RunKind",
      description:
        "`rules` applies rules and approved values to the items, `proposals` looks for values to propose, `plan` is a dry run of rules or approvals, `sync_plan` one of a sync.",
    }),
    source_id: Nullable(Uuid),
    status: RunStatus,
    phase: Phase,
    done: Type.Integer({
      description: "Rows read by a sync, items written by a render, or items handled by a removal, so far.",
    }),
    cause: Cause,
    cause_run_id: Nullable(Type.String({ format: "uuid", description: "The run that caused this one." })),
    render_state: Nullable(
      Type.Enum(["published", "held", "discarded", "superseded"], {
        title: "RunRenderState",
        description:
          "What became of a finished render; null for other runs. `published`: its files are or were served. `held`: they wait for a decision.",
      }),
    ),
    error: Nullable(Failure),
    queued_at: DateTime,
    started_at: Nullable(DateTime),
    finished_at: Nullable(DateTime),
  },
  {
    title: "Run",
    description: "How a run of any kind stands.",
    examples: [
      {
        run_id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff",
        kind: "sync",
        source_id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea700",
        status: "running",
        phase: "reading",
        done: 41_200,
        cause: "schedule",
        cause_run_id: null,
        render_state: null,
        error: null,
        queued_at: "2026-11-15T06:00:00.000Z",
        started_at: "2026-11-15T06:00:00.120Z",
        finished_at: null,
      },
    ],
  },
);
export type Run = Wire<typeof Run>;

const RunReport = Type.Object(
  {
    ...Run.properties,
    proposals: Nullable(ProposalCounts),
    dry_run: Nullable(Type.Object({ stats: SyncStats, plan: SyncPlan }, { title: "SyncDryRun" })),
  },
  {
    title: "RunReport",
    description:
      "`dry_run` has the report of a dry run of a sync that succeeded, `proposals` what a search for proposals that succeeded has found; they are null for other runs.",
  },
);

export const RunAnswer = Data(RunReport, "How the run stands.");

const RunCounts = Type.Object(
  {
    seen: Type.Integer({ description: "`upserted` + `unchanged` + `rejected`." }),
    upserted: Type.Integer(),
    unchanged: Type.Integer(),
    rejected: Type.Integer(),
    removed: Type.Integer(),
    warnings: Type.Integer(),
  },
  { title: "RunCounts" },
);

const ListedRun = Type.Object(
  {
    ...Run.properties,
    counts: Nullable(RunCounts),
  },
  { title: "ListedRun", description: "`counts` is null unless the run is a sync." },
);
export type ListedRun = Wire<typeof ListedRun>;

export const RunsQuery = Type.Object(
  {
    kind: Type.Optional(Run.properties.kind),
    status: Type.Optional(RunStatus),
    source_id: Type.Optional(
      Type.Union([Uuid, Type.Literal("pushed")], {
        description: "Only syncs of this source; `pushed`: only pushes.",
      }),
    ),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export const RunsAnswer = Data(
  Type.Object({ runs: Type.Array(ListedRun), next_cursor: NextCursor }),
  "A page of runs, newest first.",
);

export const SyncDetail = Type.Object(
  {
    ...SyncRun.properties,
    error: Nullable(Failure),
    phase: Phase,
    cause: Cause,
    queued_at: DateTime,
    render_run_id: Nullable(
      Type.String({ format: "uuid", description: "The render after it; null until it is queued." }),
    ),
  },
  { title: "SyncDetail", description: "A sync run with its complete ledger." },
);
export type SyncDetail = Wire<typeof SyncDetail>;

export const SyncAnswer = Data(SyncDetail, "The run with its complete ledger.");

const IssueKind = Type.Enum(["rejection", "warning"], { title: "SyncIssueKind" });

const Issue = Type.Object(
  {
    kind: IssueKind,
    item_id: Nullable(Type.String()),
    position: Nullable(Type.Integer({ description: "Where in the source, counted from 1." })),
    field: Nullable(Type.String()),
    code: Type.String(),
    message: Type.String(),
  },
  {
    title: "SyncIssue",
    description: "A row that was rejected, or a warning about one.",
    examples: [
      {
        kind: "rejection",
        item_id: "mug-7",
        position: 7,
        field: "price",
        code: "missing_price",
        message: "The item has no price.",
      },
    ],
  },
);
export type SyncIssue = Wire<typeof Issue>;

export const SearchText = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: "^[^\\u0000]*$",
    description: "Only entries whose item id, field, code or message contains this text, in any case.",
    examples: ["mug"],
  }),
);

const ISSUE_FILTER = {
  kind: Type.Optional(IssueKind),
  code: Type.Optional(
    Type.String({ maxLength: 100, description: "Only this code.", examples: ["missing_price"] }),
  ),
  q: SearchText,
};

export const IssuesFilter = Type.Object(ISSUE_FILTER, { additionalProperties: false });
export type IssuesFilter = Wire<typeof IssuesFilter>;
export const IssuesQuery = Type.Object(
  { ...ISSUE_FILTER, cursor: Cursor, limit: Limit },
  { additionalProperties: false },
);

export const IssuesAnswer = Data(
  Type.Object({
    run_id: Uuid,
    raised: Type.Integer({ description: "How many rejections and warnings the run counted." }),
    stored: Type.Integer({
      description:
        "How many of them are kept with their message: of the newest three runs of a source, or pushes, up to 10,000 rejections and 10,000 warnings, of older ones up to 100 of each.",
    }),
    issues: Type.Array(Issue),
    next_cursor: NextCursor,
  }),
  "A page of rejections and warnings: rejections first, each in the order of the source.",
);

/** A table for spreadsheets. */
export const csvAnswer = (description: string, header: string) => ({
  description,
  content: {
    "text/csv": {
      schema: Type.String({ description: "UTF-8, with a line of column names.", examples: [header] }),
    },
  },
});

export const IssuesCsv = csvAnswer(
  "All rejections and warnings that are kept and match the filter.",
  "kind,item_id,position,field,code,message\r\n",
);
