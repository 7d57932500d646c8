/** The findings of the newest audit on each item. */
import { Type } from "./type.ts";
import { Severity } from "./audits.ts";
import { csvAnswer } from "./runs.ts";
import { Cursor, Data, ItemId, Limit, NextCursor, Nullable, number, text, Uuid } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const FINDINGS_FILTER = {
  rule: Type.Optional(text("The id of a rule, such as `offer.price_plausible`.")),
  severity: Type.Optional(Severity),
  item_id: Type.Optional(ItemId),
};

export const FindingsFilter = Type.Object(FINDINGS_FILTER, { additionalProperties: false });
export type FindingsFilter = Wire<typeof FindingsFilter>;
export const FindingsQuery = Type.Object(
  { ...FINDINGS_FILTER, cursor: Cursor, limit: Limit },
  { additionalProperties: false },
);

export const Finding = Type.Object(
  {
    item_id: Type.String(),
    item_title: Type.String(),
    rule: Type.String(),
    title: Type.String(),
    dimension: Type.String(),
    severity: Severity,
    field: Type.String(),
    points: Type.Integer(),
    earned: Nullable(text("The share of the points that the item has, such as `6/12`.")),
    lost: number("Points of the item's score."),
    message: Nullable(text("Null if the item has been fixed since the audit.")),
    advice: Type.String(),
  },
  {
    title: "Finding",
    examples: [
      {
        item_id: "mug-7",
        item_title: "Blue mug",
        rule: "content.images_extra",
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
export type FindingsAnswer = Wire<typeof FindingsAnswer>;

export const FindingsCsv = csvAnswer(
  "All findings that match the filter.",
  "item_id,item_title,rule,title,severity,field,lost,message,advice\r\n",
);
