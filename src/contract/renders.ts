/** The renders resource: what each render wrote into each file, and which items will not be shown, with the reason. */
import { Type } from "./type.ts";
import { FeedFileName } from "./feeds.ts";
import { Exceeded } from "./publish-guard.ts";
import { csvAnswer, SearchText } from "./runs.ts";
import { Cursor, Data, DateTime, Failure, Limit, NextCursor, Nullable, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { RunStatus } from "./syncs.ts";

const FILE = {
  file: FeedFileName,
  written: Type.Integer({ description: "Items in the file." }),
  excluded: Type.Integer({ description: "Items that the merchant leaves out of the file." }),
  refused: Type.Integer({ description: "Items in the file that its destination will refuse." }),
  bytes: Type.Integer({ description: "The size of the file, not compressed." }),
  etag: Type.String({ description: "Identifies the bytes of the file, as the `ETag` of its URL does." }),
  changed: Type.Boolean({ description: "Whether the file differs from that of the render before." }),
};

const RENDER = {
  run_id: Uuid,
  status: RunStatus,
  cause: Type.String({
    description:
      "What queued it: sync, push, request, settings, stale (an offer began or ended), command, or release (of paused publication). A rollback is a render with the cause rollback.",
  }),
  cause_run_id: Nullable(Type.String({ format: "uuid", description: "The sync or push before it." })),
  is_published: Type.Boolean({ description: "Whether the feed URLs serve the files of this render." }),
  state: Nullable(
    Type.Enum(["published", "held", "discarded", "superseded"], {
      title: "RenderState",
      description: [
        "`published`: its files are or were served.",
        "`held`: it exceeds limits of the publish guard; promote or discard it.",
        "`discarded`: a person decided not to publish it.",
        "`superseded`: a newer render has taken its place before anyone decided.",
        "Null: it has no files, since it failed or is not finished.",
      ].join("\n"),
    }),
  ),
  held_since: Nullable(
    Type.String({
      format: "date-time",
      description:
        "Since when renders of the catalog are held; of the first one, if another took its place that exceeds the same limit.",
    }),
  ),
  exceeded: Type.Array(Exceeded, {
    description: "The limits of the publish guard that it exceeds, whether it was held or published.",
  }),
  decision: Nullable(
    Type.Object(
      {
        at: DateTime,
        by: Type.String({ description: "The name of the API key, or the user who ran the command." }),
        key_id: Nullable(Uuid),
        reason: Type.String(),
      },
      { title: "RenderDecision", description: "Who promoted it, discarded it or rolled back, and why." },
    ),
  ),
  restores: Nullable(
    Type.String({ format: "uuid", description: "Of a rollback: the render whose files it brought back." }),
  ),
  is_kept: Type.Boolean({
    description:
      "Whether its files are still there: it can be compared and, if it was published, rolled back to.",
  }),
  items: Type.Integer({ description: "Items in the catalog when it was rendered." }),
  error: Nullable(Failure),
  queued_at: DateTime,
  started_at: Nullable(DateTime),
  finished_at: Nullable(DateTime),
};

const Render = Type.Object(
  {
    ...RENDER,
    files: Type.Array(Type.Object(FILE, { title: "RenderedFile" }), {
      description: "Empty if the render failed.",
    }),
  },
  { title: "Render" },
);

export const RendersAnswer = Data(
  Type.Object({ renders: Type.Array(Render), next_cursor: NextCursor }),
  "A page of renders, newest first.",
);

const Reason = Type.Object(
  {
    code: Type.String({ examples: ["missing_brand"] }),
    count: Type.Integer(),
    remedy: Nullable(Type.String({ description: "What to do about it." })),
    example: Nullable(
      Type.Object({ item_id: Type.String(), field: Nullable(Type.String()), message: Type.String() }),
    ),
  },
  { title: "RefusalReason", description: "Why items will be refused or are left out, and how many." },
);

export const RenderDetail = Type.Object(
  {
    ...RENDER,
    files: Type.Array(
      Type.Object(
        {
          ...FILE,
          reasons: Type.Array(Reason, {
            description: "The commonest first. The counts add up to `excluded` and `refused`.",
          }),
        },
        { title: "RenderedFileDetail" },
      ),
    ),
  },
  { title: "RenderDetail" },
);
export type RenderDetail = Wire<typeof RenderDetail>;
export type Render = Wire<typeof Render>;

export const RenderAnswer = Data(
  RenderDetail,
  "The render, with the reasons why items of its files will be refused or are left out.",
);

export const DecideRender = Type.Object(
  {
    run_id: Uuid,
    reason: Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$",
      description: "Why. It is kept with the render, and shown.",
      examples: ["The season has changed."],
    }),
  },
  { title: "DecideRender", additionalProperties: false },
);

export const RollBack = Type.Object(
  {
    run_id: Type.String({
      format: "uuid",
      pattern: "^[0-9A-Fa-f-]{36}$",
      description: "The render whose files are to be served again.",
    }),
    reason: DecideRender.properties.reason,
  },
  { title: "RollBack", additionalProperties: false },
);

export const ReleaseAnswer = Data(
  Type.Object({ run_id: Type.String({ format: "uuid", description: "The render that was queued." }) }),
  "Publication is not paused any more.",
);

const FILTER = {
  file: Type.Optional(FeedFileName),
  code: Type.Optional(
    Type.String({ maxLength: 100, description: "Only this reason.", examples: ["missing_brand"] }),
  ),
  q: SearchText,
};

export const RefusalsFilter = Type.Object(FILTER, { additionalProperties: false });
export type RefusalsFilter = Wire<typeof RefusalsFilter>;
export const RefusalsQuery = Type.Object(
  { ...FILTER, cursor: Cursor, limit: Limit },
  { additionalProperties: false },
);

const Refusal = Type.Object(
  {
    file: FeedFileName,
    item_id: Type.String(),
    included: Type.Boolean({ description: "Whether the file has the item all the same." }),
    code: Type.String(),
    field: Nullable(Type.String()),
    message: Type.String(),
  },
  {
    title: "Refusal",
    description: "An item that the destination of a file will refuse, or that the file leaves out, and why.",
    examples: [
      {
        file: "acp.csv",
        item_id: "mug-7",
        included: true,
        code: "missing_brand",
        field: "brand",
        message: "The item has no brand.",
      },
    ],
  },
);
export type Refusal = Wire<typeof Refusal>;

export const RefusalsAnswer = Data(
  Type.Object({
    run_id: Uuid,
    is_complete: Type.Boolean({
      description:
        "False if the list of this render is no longer on disk: then only the first 20 of each file are known. They are kept as long as the files of the render.",
    }),
    refusals: Type.Array(Refusal),
    next_cursor: NextCursor,
  }),
  "A page of refused or left out items, in the order of the files. A filtered page may be short, or empty, and still have a next one.",
);

export const RefusalsCsv = csvAnswer(
  "All refused or left out items that match the filter.",
  "file,item_id,included,code,field,message\r\n",
);
